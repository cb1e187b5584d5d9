"""export_tf: a tf.function, Keras model or tf.Module's method to a graph file, weights and golden outputs."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from rml_export.builder import Builder
from rml_export.canonical import canonical
from rml_export.errors import ExportError
from rml_export.export import Export, ExportOptions, ExportResult, export_model, lower_model, take_way
from rml_export.from_tf.frozen import freeze
from rml_export.from_tf.lowering import Lowering
from rml_export.from_tf.mismatch import first_mismatch
from rml_export.front_end import Lowered, Progress
from rml_export.graph import Value


def export_tf(
    fn: Callable[..., Any],
    inputs: Sequence[Any] | Mapping[str, Any],
    path: str | Path,
    *,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    via: str = "direct",
    **options: Any,
) -> ExportResult:
    """Writes PATH.json, PATH.safetensors and the golden file for fn(*inputs), or fn(**inputs) if that is a dict.

    fn           a Python function, tf.function, Keras model or SavedModel signature; its variables become constants.
    inputs       example inputs; they fix all shapes but the batch.
    via          "direct", or "stablehlo": what XLA gets from tf.function(jit_compile=True), lowered by from_stablehlo.
    Options: those of ExportOptions. ExportError if the function cannot be exported; nothing is written then.
    """
    model = take_way(TfModel(fn, inputs, input_names, output_names), via)
    return export_model(model, path, ExportOptions(**options))


def lower_tf(
    fn: Callable[..., Any],
    inputs: Sequence[Any] | Mapping[str, Any],
    *,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    via: str = "direct",
    **options: Any,
) -> Export:
    """Everything but writing."""
    return lower_model(take_way(TfModel(fn, inputs, input_names, output_names), via), ExportOptions(**options))


class TfModel:
    """The TensorFlow front end (rml_export.front_end.FrontEnd) of one function."""

    def __init__(
        self,
        fn: Callable[..., Any],
        inputs: Sequence[Any] | Mapping[str, Any],
        input_names: Sequence[str] | None = None,
        output_names: Sequence[str] | None = None,
    ) -> None:
        self.fn = fn
        self.framework = f"tensorflow {tf.__version__}"
        self.structure = dict(inputs) if isinstance(inputs, Mapping) else tuple(inputs)
        leaves = [np.asarray(leaf) for leaf in tf.nest.flatten(self.structure)]
        self.dtypes = [leaf.dtype for leaf in leaves]
        self.examples = [canonical(leaf, f"input {i}") for i, leaf in enumerate(leaves)]
        self.output_names = output_names
        self.input_names = list(input_names) if input_names is not None else names_of_inputs(self.structure)
        if len(self.input_names) != len(leaves):
            raise ExportError(f"{len(self.input_names)} input names for {len(leaves)} inputs")
        self.function = tf.function(self.flat, autograph=False)

    def flat(self, *arrays: Any) -> Any:
        """The function of the leaves of its inputs."""
        arguments = tf.nest.pack_sequence_as(self.structure, arrays)
        return self.fn(**arguments) if isinstance(arguments, dict) else self.fn(*arguments)

    def lower(self, inputs: Sequence[np.ndarray], progress: Progress | None = None) -> Lowered:
        traced = self.trace(inputs)
        frozen = freeze(traced, self.flat)
        builder = Builder()
        lowering = Lowering(builder, frozen.names, frozen.lines, progress)
        values = [builder.input(name, array) for name, array in zip(self.input_names, inputs, strict=True)]
        results = lowering.run(frozen.function.graph, values)
        for name, item in zip(self.names_of_outputs(traced.structured_outputs, len(results)), results, strict=True):
            builder.output(name, item if isinstance(item, Value) else lowering.pool.value(item))
        arguments = self.arguments(inputs)
        blame = partial(first_mismatch, frozen, lowering.known, arguments)
        return Lowered(builder, self.run(inputs), blame)

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        try:
            results = self.function(*self.arguments(inputs))
        except Exception as error:  # a function raises whatever it likes
            raise ExportError(f"the function cannot run: {type(error).__name__}: {error}") from error
        leaves = [item for item in tf.nest.flatten(results) if item is not None]
        return [canonical(np.asarray(item), f"output {i}") for i, item in enumerate(leaves)]

    def trace(self, inputs: Sequence[np.ndarray]) -> Any:
        specs = [tf.TensorSpec(array.shape, dtype) for array, dtype in zip(inputs, self.dtypes, strict=True)]
        try:
            return self.function.get_concrete_function(*specs)
        except Exception as error:
            raise ExportError(f"TensorFlow cannot trace the function: {type(error).__name__}: {error}") from error

    def arguments(self, inputs: Sequence[np.ndarray]) -> list[Any]:
        return [tf.constant(array.astype(dtype)) for array, dtype in zip(inputs, self.dtypes, strict=True)]

    def names_of_outputs(self, structure: Any, count: int) -> list[str]:
        """As asked; else the keys of a returned dict; else output, or output_0, output_1 ..."""
        if self.output_names is not None:
            if len(self.output_names) != count:
                raise ExportError(f"{len(self.output_names)} output names for {count} outputs")
            return list(self.output_names)
        if isinstance(structure, dict) and len(structure) == count:
            return [str(key) for key in sorted(structure)]
        return default_names("output", count)


def names_of_inputs(structure: Any) -> list[str]:
    """The keys where the inputs are a dict, or one input is; else input, or input_0, input_1 ..."""
    if isinstance(structure, tuple) and len(structure) == 1:
        (structure,) = structure
    flat = tf.nest.flatten(structure)
    if isinstance(structure, dict) and len(structure) == len(flat):
        return [str(key) for key in sorted(structure)]
    return default_names("input", len(flat))


def default_names(kind: str, count: int) -> list[str]:
    """input, or input_0, input_1 ..."""
    return [kind] if count == 1 else [f"{kind}_{i}" for i in range(count)]
