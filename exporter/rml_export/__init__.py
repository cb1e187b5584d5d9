"""rml_export: writes models of machine learning frameworks as rml-graph files.

    from rml_export import export_jax, export_onnx, export_tf, export_torch
    export_torch(module, (example_input,), "models/mine/1/model")
    export_jax(fn, params, (example_input,), "models/mine/1/model")
    export_tf(fn, (example_input,), "models/mine/1/model")
    export_onnx("model.onnx", "models/mine/1/model")

write model.json, model.safetensors and golden.safetensors. ExportError lists everything that stands in the way.
No framework is imported before it is asked for.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rml_export.builder import Builder
from rml_export.errors import ExportError

__version__ = "0.1"
__all__ = ["Builder", "ExportError", "export_jax", "export_onnx", "export_stablehlo", "export_tf", "export_torch"]


def export_torch(module: Any, inputs: Sequence[Any], path: str | Path, **options: Any) -> Any:
    """Exports a torch.nn.Module; see rml_export.from_torch.export_torch for the options."""
    from rml_export.from_torch import export_torch as export

    return export(module, inputs, path, **options)


def export_jax(fn: Any, params: Any, inputs: Sequence[Any], path: str | Path, **options: Any) -> Any:
    """Exports fn(params, *inputs); see rml_export.from_jax.export_jax for the options."""
    from rml_export.from_jax import export_jax as export

    return export(fn, params, inputs, path, **options)


def export_tf(fn: Any, inputs: Sequence[Any], path: str | Path, **options: Any) -> Any:
    """Exports a TensorFlow function or Keras model; see rml_export.from_tf.export_tf for the options."""
    from rml_export.from_tf import export_tf as export

    return export(fn, inputs, path, **options)


def export_onnx(model: Any, path: str | Path, **options: Any) -> Any:
    """Exports a .onnx file or an onnx.ModelProto; see rml_export.from_onnx.export_onnx for the options."""
    from rml_export.from_onnx import export_onnx as export

    return export(model, path, **options)


def export_stablehlo(module: Any, inputs: Sequence[Any], path: str | Path, **options: Any) -> Any:
    """Exports @main of a StableHLO module; see rml_export.from_stablehlo.export_stablehlo for the options."""
    from rml_export.from_stablehlo import export_stablehlo as export

    return export(module, inputs, path, **options)
