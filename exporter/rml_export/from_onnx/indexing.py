"""Gathers and scatters, one-hot, triangles, the largest elements."""

import numpy as np

from rml_export.from_onnx.call import Call, Operand, Table
from rml_export.graph import Value
from rml_export.xla_ops import slice_axes


def gather(c: Call, data: Operand, indices: Operand) -> Value:
    """Negative indices count from the end; a constant run of neighbours is a slice."""
    value = c.value(data)
    axis = c.axis(value.rank, 0)
    if not isinstance(indices, Value):
        size = value.shape[axis]
        picks = np.where(indices < 0, indices + size, indices)
        if picks.size and (picks.min() < 0 or picks.max() >= size):
            raise c.refuse(f"an index that is outside an axis of {size}")
        if picks.ndim <= 1 and is_run(picks.reshape(-1)):
            return run_of(c, value, axis, picks)
        return c("gather", value, c.constant(picks.astype(np.int32)), axis=axis, mode="error")
    return c("gather", value, c.value(indices, "i32"), axis=axis, mode="error", wrap=True)


def is_run(picks: np.ndarray) -> bool:
    return picks.size > 0 and bool((np.diff(picks) == 1).all())


def run_of(c: Call, value: Value, axis: int, picks: np.ndarray) -> Value:
    first, count = int(picks.reshape(-1)[0]), picks.size
    starts = [first if i == axis else 0 for i in range(value.rank)]
    ends = [first + count if i == axis else size for i, size in enumerate(value.shape)]
    part = slice_axes(c, value, starts, ends)
    return part if picks.ndim else c.reshape(part, (*value.shape[:axis], *value.shape[axis + 1 :]))


TABLE: Table = {"Gather": gather}
