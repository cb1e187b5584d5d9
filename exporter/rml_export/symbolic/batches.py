"""Which inputs carry the batch, at which sizes a model is looked at, and inputs of these sizes."""

from collections.abc import Sequence

import numpy as np

from rml_export.errors import ExportError
from rml_export.graph import Graph

# Small, so that exports are quick; primes, so that a size is no multiple of another one.
_CANDIDATES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103)


def batched_inputs(examples: Sequence[np.ndarray]) -> list[bool]:
    """For each input whether axis 0 is the batch: where its size is that of the first input that has axes."""
    size = next((array.shape[0] for array in examples if array.ndim), None)
    return [array.ndim > 0 and array.shape[0] == size for array in examples]


def probe_batches(graph: Graph, count: int) -> list[int]:
    """`count` batch sizes that are no dimension and no attribute of the graph: what has such a size, has it from the
    batch, and nothing in the lowering can take one for the other.

    A model that takes every position of a long axis on its own has all small numbers among its attributes: then sizes
    that are no dimension have to do. An attribute that is one of them by chance is not so at the other sizes, and what
    comes of that is refused. ExportError if dimensions leave no sizes either.
    """
    dims = {int(dim) for value in [*graph.inputs, *graph.constants(), *graph.node_outputs()] for dim in value.shape}
    for numbers in (dims | _attributes(graph), dims):
        sizes = [size for size in _CANDIDATES if not any(number and number % size == 0 for number in numbers)]
        if len(sizes) >= count:
            return sizes[:count]
    raise ExportError(f"each batch from {_CANDIDATES[0]} to {_CANDIDATES[-1]} divides a dimension of the model")


def with_batch(examples: Sequence[np.ndarray], batched: Sequence[bool], size: int, seed: int = 0) -> list[np.ndarray]:
    """The examples with `size` rows that differ from each other.

    Each element is taken from its own column of the examples, so that ids stay ids and masks stay masks; floats are
    then scaled by up to an eighth, which keeps signs and zeros. ExportError if there are no rows to draw from.
    """
    generator = np.random.default_rng(seed)
    result = []
    for array, has_batch in zip(examples, batched, strict=True):
        if not has_batch:
            result.append(array)
            continue
        if array.shape[0] == 0:
            raise ExportError("the example inputs have no rows, from which others are drawn; expected one row or more")
        rows = generator.integers(0, array.shape[0], (size, *array.shape[1:]))
        drawn = np.take_along_axis(array, rows, axis=0)
        if array.dtype == np.float32:
            drawn = drawn * generator.uniform(0.875, 1.0, drawn.shape).astype(np.float32)
        result.append(drawn.astype(array.dtype))
    return result


def _attributes(graph: Graph) -> set[int]:
    """Every integer in an attribute."""
    found: set[int] = set()
    for node in graph.nodes:
        for attr in node.attrs.values():
            if isinstance(attr, tuple):
                found.update(int(item) for item in attr)
            elif isinstance(attr, int):
                found.add(attr)
    return found
