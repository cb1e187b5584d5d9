"""A gather of single elements at constant places that form a grid: one list of positions for each axis.

torch-mlir spells an upsampling so. A list 0, 1, 2 ... leaves its axis alone, one that repeats each position r times is
a broadcast, any other a gather along that axis alone.
"""

from collections.abc import Sequence

import numpy as np

from rml_export.graph import Value
from rml_export.xla_ops.emit import Emit
from rml_export.xla_ops.shapes import reshape


def grid_positions(x: Value, columns: Sequence[Value]) -> list[np.ndarray] | None:
    """The list of each axis, moved inside; None if the columns are no constants, or place k depends on other axes than
    k of the result."""
    if any(not column.is_constant or column.rank != x.rank or column.data.size == 0 for column in columns):
        return None
    lists = []
    for axis, column in enumerate(columns):
        first = tuple(slice(None) if i == axis else slice(0, 1) for i in range(x.rank))
        if (column.data != column.data[first]).any():
            return None
        lists.append(np.clip(column.data[first].reshape(-1), 0, x.shape[axis] - 1))
    return lists


def gather_grid(emit: Emit, x: Value, lists: Sequence[np.ndarray]) -> Value:
    shape = x.shape
    repeats = [repeated(positions, size) for positions, size in zip(lists, shape, strict=True)]
    if any(times > 1 for times in repeats):
        apart, spread, whole = [], [], []
        for size, times in zip(shape, repeats, strict=True):
            apart += [size, 1] if times > 1 else [size]
            spread += [size, times] if times > 1 else [size]
            whole.append(size * max(times, 1))
        x = reshape(emit, emit("broadcast_to", reshape(emit, x, apart), shape=tuple(spread)), whole)
    for axis, (positions, times) in enumerate(zip(lists, repeats, strict=True)):
        if times == 0:
            x = emit("gather", x, emit.constant(positions.astype(np.int32)), axis=axis, mode="clamp")
    return x


def repeated(positions: np.ndarray, size: int) -> int:
    """r if the positions are 0 ... size - 1, each r times; else 0."""
    times = len(positions) // size
    return times if np.array_equal(positions, np.repeat(np.arange(size), times)) else 0
