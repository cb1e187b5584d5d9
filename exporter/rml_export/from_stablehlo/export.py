"""export_stablehlo: a StableHLO module to a graph file, weights and golden outputs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jaxlib import xla_client

from rml_export.canonical import canonical
from rml_export.errors import ExportError
from rml_export.export import Export, ExportOptions, ExportResult, export_model, lower_model
from rml_export.from_stablehlo.front_end import Argument, Produced, lower_module
from rml_export.from_stablehlo.module import TensorType, main_block, parse, tensor_type
from rml_export.front_end import Lowered, Progress


def export_stablehlo(
    module: str | bytes | Path,
    inputs: Sequence[Any] | None,
    path: str | Path,
    *,
    params: Mapping[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    **options: Any,
) -> ExportResult:
    """Writes PATH.json, PATH.safetensors and the golden file for @main of a module.

    module    the text of a module, its bytecode (a portable artifact), or the path of a file with either.
    inputs    example inputs, of the shapes that @main has: a module's batch is fixed, and so is the graph's. None:
              drawn from a seeded generator, integers being 0.
    params    the leading arguments of @main, by name: they become constants.
    Options: those of ExportOptions. The golden outputs are XLA's on this CPU. ExportError if the module cannot be
    exported; nothing is written then.
    """
    model = StablehloModel(module, inputs, params, input_names, output_names)
    return export_model(model, path, ExportOptions(**{**options, "static": True}))


def lower_stablehlo(
    module: str | bytes | Path,
    inputs: Sequence[Any] | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    **options: Any,
) -> Export:
    """Everything but writing."""
    model = StablehloModel(module, inputs, params, input_names, output_names)
    return lower_model(model, ExportOptions(**{**options, "static": True}))


class StablehloModel:
    """The front end (rml_export.front_end.FrontEnd) of one module. Its batch is fixed: export it with static=True."""

    def __init__(
        self,
        module: str | bytes | Path,
        inputs: Sequence[Any] | None = None,
        params: Mapping[str, Any] | None = None,
        input_names: Sequence[str] | None = None,
        output_names: Sequence[str] | None = None,
    ) -> None:
        self.framework = f"XLA of jax {jax.__version__}"
        self.module = parse(read(module))
        self.params = {name: np.asarray(array) for name, array in (params or {}).items()}
        kinds = argument_types(self.module)
        given = inputs if inputs is not None else drawn(kinds[len(self.params) :])
        self.examples = [canonical(np.asarray(array), f"input {i}") for i, array in enumerate(given)]
        names = list(input_names) if input_names is not None else default_names("input", len(self.examples))
        if len(names) != len(self.examples):
            raise ExportError(f"{len(names)} input names for {len(self.examples)} inputs")
        self.arguments = [*(Argument(name, array) for name, array in self.params.items()), *map(Argument, names)]
        self.output_names = output_names

    def lower(self, inputs: Sequence[np.ndarray], progress: Progress | None = None) -> Lowered:
        count = len(main_block(self.module).operations[-1].operands)
        outputs = self.output_names if self.output_names is not None else default_names("output", count)
        builder = lower_module(Produced(self.module, self.arguments, outputs), inputs, progress)
        return Lowered(builder, self.run(inputs))

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        device = jax.devices("cpu")[0]
        kinds = argument_types(self.module)
        arrays = [*self.params.values(), *inputs]
        with jax.enable_x64(True):  # else JAX narrows what a module with 64-bit arguments is given
            pairs = zip(arrays, kinds, strict=True)
            buffers = [jax.device_put(array.astype(kind.dtype), device) for array, kind in pairs]
        devices = xla_client.DeviceList((device,))
        try:
            program = device.client.compile_and_load(str(self.module), devices, xla_client.CompileOptions())
            results = program.execute_sharded(buffers).disassemble_into_single_device_arrays()
        except Exception as error:  # XLA raises whatever its parts raise
            raise ExportError(f"XLA cannot run the module: {type(error).__name__}: {error}") from error
        return [canonical(np.asarray(item[0]), f"output {i}") for i, item in enumerate(results)]


def argument_types(module: Any) -> list[TensorType]:
    return [tensor_type(item.type) for item in main_block(module).arguments]


def drawn(kinds: Sequence[TensorType]) -> list[np.ndarray]:
    """Numbers around 0 for floats, 0 for everything else: ids stay in range, whatever they are ids of."""
    generator = np.random.default_rng(0)
    return [
        np.zeros(kind.shape, kind.dtype) if kind.dtype.kind in "iub" else normal.astype(np.float32)
        for kind, normal in ((kind, generator.standard_normal(kind.shape)) for kind in kinds)
    ]


def read(module: str | bytes | Path) -> str | bytes:
    """The module itself: a path, or a text of one line that names a file, is read."""
    if isinstance(module, bytes) or (isinstance(module, str) and "\n" in module):
        return module
    try:
        return Path(module).read_bytes()
    except OSError as error:
        raise ExportError(f"cannot read {module}: {error.strerror}") from error


def default_names(kind: str, count: int) -> list[str]:
    """input, or input_0, input_1 ..."""
    return [kind] if count == 1 else [f"{kind}_{i}" for i in range(count)]
