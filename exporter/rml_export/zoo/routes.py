"""The ways by which a model of the zoo becomes a graph. No framework is imported before its route is taken."""

from importlib import import_module
from pathlib import Path
from typing import Any

from rml_export.export import ExportOptions, ExportResult, export_model, take_way
from rml_export.front_end import FrontEnd

# Route -> the module whose front_end(model, size, batch) makes the model. A route through StableHLO lowers what the
# framework's compiler path makes of the same model.
ROUTES = {
    "torch": "rml_export.zoo.torch_zoo",
    "jax": "rml_export.zoo.jax_zoo",
    "tf": "rml_export.zoo.tf_zoo",
    "stablehlo_torch": "rml_export.zoo.torch_zoo",
    "stablehlo_jax": "rml_export.zoo.jax_zoo",
    "stablehlo_tf": "rml_export.zoo.tf_zoo",
}


# What has to be importable for a route's parts.
_PACKAGES = {
    "torch": ("torch",),
    "jax": ("jax", "jaxlib"),
    "tf": ("tensorflow",),
    "stablehlo": ("jax", "jaxlib"),
    "stablehlo_torch": ("torch_mlir",),
}


def packages(route: str) -> list[str]:
    """The packages that a route imports."""
    parts = (route, route.rpartition("_")[0], route.rpartition("_")[2])
    return sorted({package for part in parts for package in _PACKAGES.get(part, ())})


def front_end(route: str, model: str, size: str, batch: int) -> FrontEnd:
    """One model of the zoo in its framework, with example inputs."""
    made = import_module(ROUTES[route]).front_end(model, size, batch)
    return take_way(made, "stablehlo" if route.startswith("stablehlo_") else "direct")


def export_zoo(route: str, model: str, size: str, batch: int, path: str | Path, **options: Any) -> ExportResult:
    """Exports one model of the zoo with its golden file; options are those of ExportOptions."""
    return export_model(front_end(route, model, size, batch), path, ExportOptions(**options))
