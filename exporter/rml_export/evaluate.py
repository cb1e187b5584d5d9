"""Runs a graph on new inputs with the reference ops."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rml_export.canonical import canonical
from rml_export.dims import BatchMultiple, dim_at, shape_at
from rml_export.errors import ExportError
from rml_export.graph import Attrs, Graph, Value
from rml_export.reference import run_reference


def evaluate(graph: Graph, inputs: Sequence[Any]) -> list[np.ndarray]:
    """The outputs for these inputs. ExportError if count, dtype or shape differ from what the graph says."""
    if len(inputs) != len(graph.inputs):
        raise ExportError(f"{len(inputs)} inputs, expected {len(graph.inputs)}")
    arrays = [canonical(array, f"input '{value.name}'") for value, array in zip(graph.inputs, inputs, strict=True)]
    rows = _rows(graph, arrays)
    known: dict[Value, np.ndarray] = {value: value.data for value in graph.constants()}
    for value, array in zip(graph.inputs, arrays, strict=True):
        expected = np.dtype(np.float32 if value.dtype == "f32" else np.int32)
        if array.dtype != expected or array.shape != shape_at(value.shape, rows):
            raise ExportError(f"input '{value.name}' is {array.dtype}{list(array.shape)}, expected {value.describe()}")
        known[value] = array
    for node in graph.nodes:
        outputs = run_reference(node.op, [known[value] for value in node.inputs], bind_attrs(node.attrs, rows))
        known.update(zip(node.outputs, outputs, strict=True))
    return [known[output.value] for output in graph.outputs]


def bind_attrs(attrs: Attrs, rows: int) -> Attrs:
    """The attributes in integers for a batch of `rows`."""

    def bind(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(dim_at(item, rows) for item in value)
        return dim_at(value, rows) if isinstance(value, BatchMultiple) else value

    return {name: bind(value) for name, value in attrs.items()}


def _rows(graph: Graph, arrays: Sequence[np.ndarray]) -> int:
    """The batch that the inputs have; 1 for a static graph."""
    for value, array in zip(graph.inputs, arrays, strict=True):
        for axis, dim in enumerate(value.shape):
            if isinstance(dim, BatchMultiple) and axis < array.ndim:
                return array.shape[axis] // dim.factor
    return 1
