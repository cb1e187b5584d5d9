"""export_jax: a JAX function and its parameters to a graph file, weights and golden outputs."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from rml_export.builder import Builder
from rml_export.canonical import canonical
from rml_export.errors import ExportError
from rml_export.export import Export, ExportOptions, ExportResult, export_model, lower_model, take_way
from rml_export.from_jax.lowering import Lowering
from rml_export.from_jax.mismatch import MismatchFinder
from rml_export.front_end import Lowered, Progress
from rml_export.golden import Tolerance
from rml_export.graph import Value


def export_jax(
    fn: Callable[..., Any],
    params: Any,
    inputs: Sequence[Any],
    path: str | Path,
    *,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    via: str = "direct",
    **options: Any,
) -> ExportResult:
    """Writes PATH.json, PATH.safetensors and the golden file for fn(params, *inputs).

    params       any pytree of arrays; each becomes a constant named by its path in the tree.
    inputs       example inputs; they fix all shapes but the batch.
    via          "direct", or "stablehlo": what the framework's compiler path makes of it, lowered by from_stablehlo.
    Options: those of ExportOptions. ExportError if the function cannot be exported; nothing is written then.
    """
    model = take_way(JaxModel(fn, params, inputs, input_names, output_names), via)
    return export_model(model, path, ExportOptions(**options))


def lower_jax(
    fn: Callable[..., Any],
    params: Any,
    inputs: Sequence[Any],
    *,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    via: str = "direct",
    **options: Any,
) -> Export:
    """Everything but writing."""
    return lower_model(take_way(JaxModel(fn, params, inputs, input_names, output_names), via), ExportOptions(**options))


class JaxModel:
    """The JAX front end (rml_export.front_end.FrontEnd) of one function."""

    def __init__(
        self,
        fn: Callable[..., Any],
        params: Any,
        inputs: Sequence[Any],
        input_names: Sequence[str] | None = None,
        output_names: Sequence[str] | None = None,
    ) -> None:
        self.fn = fn
        self.params = jax.tree.map(np.asarray, params)
        self.framework = f"jax {jax.__version__}"
        leaves, self.structure = jax.tree.flatten(tuple(inputs))
        arrays = [array_of(leaf, f"input {i}") for i, leaf in enumerate(leaves)]
        self.dtypes = [array.dtype for array in arrays]
        self.examples = [canonical(array, f"input {i}") for i, array in enumerate(arrays)]
        self.input_names = list(input_names) if input_names is not None else input_paths(inputs)
        self.output_names = output_names
        if len(self.input_names) != len(leaves):
            raise ExportError(f"{len(self.input_names)} input names for {len(leaves)} inputs")

    def lower(self, inputs: Sequence[np.ndarray], progress: Progress | None = None) -> Lowered:
        lowering = Lowering(Builder(), progress)
        self.lower_with(lowering, inputs)

        def blame(tolerance: Tolerance) -> str:
            finder = MismatchFinder(tolerance)
            self.lower_with(finder, inputs)
            return finder.found or "no single primitive differs by more than the tolerance"

        return Lowered(lowering.builder, self.run(inputs), blame)

    def lower_with(self, lowering: Lowering, inputs: Sequence[np.ndarray]) -> None:
        """Traces the function and walks its jaxpr, inputs and outputs included."""
        arguments, builder = self.arguments(inputs), lowering.builder
        try:
            closed, shape = jax.make_jaxpr(self.fn, return_shape=True)(self.params, *arguments)
        except Exception as error:  # a function raises whatever it likes while it is traced
            raise ExportError(f"JAX cannot trace the function: {type(error).__name__}: {error}") from error
        values = [builder.input(name, array) for name, array in zip(self.input_names, inputs, strict=True)]
        leaves = []
        for tree_path, leaf in jax.tree_util.tree_flatten_with_path(self.params)[0]:
            lowering.pool.name(leaf, jax.tree_util.keystr(tree_path, simple=True, separator="."))
            leaves.append(leaf)
        results = lowering.run(closed.jaxpr, closed.consts, [*leaves, *values])
        for name, item in zip(self.names_of_outputs(shape), results, strict=True):
            builder.output(name, item if isinstance(item, Value) else lowering.pool.value(item))

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        try:
            results = jax.jit(self.fn)(self.params, *self.arguments(inputs))
        except Exception as error:
            raise ExportError(f"the function cannot run: {type(error).__name__}: {error}") from error
        return [canonical(np.asarray(item), f"output {i}") for i, item in enumerate(jax.tree.leaves(results))]

    def arguments(self, inputs: Sequence[np.ndarray]) -> Any:
        """The function's inputs with these arrays, in the examples' own dtypes."""
        arrays = [array.astype(dtype) for array, dtype in zip(inputs, self.dtypes, strict=True)]
        return jax.tree.unflatten(self.structure, arrays)

    def names_of_outputs(self, shape: Any) -> list[str]:
        """As asked; else the paths in a returned dict; else output, or output_0, output_1 ..."""
        paths = [item for item, _ in jax.tree_util.tree_flatten_with_path(shape)[0]]
        if self.output_names is not None:
            if len(self.output_names) != len(paths):
                raise ExportError(f"{len(self.output_names)} output names for {len(paths)} outputs")
            return list(self.output_names)
        if isinstance(shape, dict):
            return [jax.tree_util.keystr(item, simple=True, separator=".") for item in paths]
        return ["output"] if len(paths) == 1 else [f"output_{i}" for i in range(len(paths))]


def array_of(leaf: Any, what: str) -> np.ndarray:
    """ExportError for what is no array of numbers: keys of random numbers."""
    try:
        return np.asarray(leaf)
    except TypeError as error:
        raise ExportError(f"{what} is no array: {error}") from error


def input_paths(inputs: Sequence[Any]) -> list[str]:
    """input, or input_0, input_1 ...; the keys of a dict that is the only input."""
    if len(inputs) == 1 and isinstance(inputs[0], dict):
        flat = jax.tree_util.tree_flatten_with_path(inputs[0])[0]
        return [jax.tree_util.keystr(item, simple=True, separator=".") for item, _ in flat]
    count = len(jax.tree.leaves(tuple(inputs)))
    return ["input"] if count == 1 else [f"input_{i}" for i in range(count)]
