"""gather and top_k."""

from collections.abc import Sequence

import numpy as np

from rml_export.canonical import INT32_MIN
from rml_export.graph import Attrs


def _gather(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    """Slices of data at indices. `wrap` first maps -n..-1 to 0..n-1; `mode` says what becomes of the rest outside."""
    data, indices = inputs
    axis, mode = attrs["axis"], attrs["mode"]
    size = data.shape[axis]
    where = indices.astype(np.int64)
    if attrs["wrap"]:
        where = np.where((where < 0) & (where >= -size), where + size, where)
    outside = (where < 0) | (where >= size)
    if mode == "error" and outside.any():
        raise IndexError(f"gather: index {int(where[outside][0])} is outside 0..{size - 1}")
    if size == 0 and where.size:
        if mode != "fill":
            raise IndexError("gather: indices into an axis of size 0")
        data = np.zeros((*data.shape[:axis], 1, *data.shape[axis + 1 :]), dtype=data.dtype)
    result = np.take(data, np.clip(where, 0, max(size - 1, 0)), axis=axis)
    if mode == "fill" and outside.any():
        mask = outside.reshape((1,) * axis + outside.shape + (1,) * (data.ndim - axis - 1))
        result = np.where(mask, np.float32(np.nan) if data.dtype == np.float32 else np.int32(INT32_MIN), result)
    return (result.astype(data.dtype),)


def _top_k(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    """Sorted; equal elements by lowest index; NaN counts as the largest."""
    (x,) = inputs
    axis, k = attrs["axis"], attrs["k"]
    if not 0 <= k <= x.shape[axis]:
        raise ValueError(f"top_k: k = {k} of {x.shape[axis]}")
    if attrs["largest"]:
        backwards = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
        order = x.shape[axis] - 1 - np.flip(backwards, axis)
    else:
        order = np.argsort(x, axis=axis, kind="stable")
    order = np.take(order, np.arange(k), axis=axis)
    return np.take_along_axis(x, order, axis=axis), order.astype(np.int32)


REFERENCE = {"gather": _gather, "top_k": _top_k}
