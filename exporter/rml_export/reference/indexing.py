"""gather, gather_elements, scatter_add and top_k."""

import math
from collections.abc import Sequence

import numpy as np

from rml_export.canonical import INT32_MIN
from rml_export.graph import Attrs


def positions(op: str, indices: np.ndarray, size: int, attrs: Attrs) -> tuple[np.ndarray, np.ndarray]:
    """Where the indices point, and which point nowhere (their position is then one that exists, if any does).

    `wrap` first maps -n..-1 to 0..n-1; `mode` says what becomes of the rest outside. IndexError: for "error".
    """
    where = indices.astype(np.int64)
    if attrs["wrap"]:
        where = np.where((where < 0) & (where >= -size), where + size, where)
    outside = (where < 0) | (where >= size)
    if attrs["mode"] == "error" and outside.any():
        raise IndexError(f"{op}: index {int(where[outside][0])} is outside 0..{size - 1}")
    if attrs["mode"] == "clamp":
        if size == 0 and where.size:
            raise IndexError(f"{op}: indices into an axis of size 0")
        outside = np.zeros_like(outside)
    return np.clip(where, 0, max(size - 1, 0)), outside


def _padded_to_one(data: np.ndarray, axis: int) -> np.ndarray:
    """The data, or one row of zeros along an empty axis, so that there is something to index."""
    if data.shape[axis]:
        return data
    return np.zeros((*data.shape[:axis], 1, *data.shape[axis + 1 :]), dtype=data.dtype)


def _fill(data: np.ndarray) -> np.generic:
    return np.float32(np.nan) if data.dtype == np.float32 else np.int32(INT32_MIN)


def _gather(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    """Slices of data at indices."""
    data, indices = inputs
    axis = attrs["axis"]
    where, outside = positions("gather", indices, data.shape[axis], attrs)
    result = np.take(_padded_to_one(data, axis) if where.size else data, where, axis=axis)
    if outside.any():
        mask = outside.reshape((1,) * axis + outside.shape + (1,) * (data.ndim - axis - 1))
        result = np.where(mask, _fill(data), result)
    return (result.astype(data.dtype),)


def check_beside(op: str, data: np.ndarray, indices: np.ndarray, axis: int) -> None:
    """Indices that lie element by element beside data have its rank and, but for the axis, at most its dims."""
    fits = data.ndim == indices.ndim and all(
        d == axis or mine <= own for d, (mine, own) in enumerate(zip(indices.shape, data.shape, strict=True))
    )
    if not fits:
        raise ValueError(f"{op}: indices {indices.shape} do not fit data {data.shape} on axis {axis}")


def _gather_elements(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    """Single elements of data: the index along the axis is replaced."""
    data, indices = inputs
    axis = attrs["axis"]
    check_beside("gather_elements", data, indices, axis)
    where, outside = positions("gather_elements", indices, data.shape[axis], attrs)
    part = data[tuple(slice(None) if d == axis else slice(n) for d, n in enumerate(indices.shape))]
    result = np.take_along_axis(_padded_to_one(part, axis), where, axis=axis)
    return (np.where(outside, _fill(data), result).astype(data.dtype),)


def _scatter_add(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    """data + updates, those of one element one after the other in row-major order, each sum in data's dtype."""
    data, indices, updates = inputs
    axis = attrs["axis"]
    check_beside("scatter_add", data, indices, axis)
    if updates.shape != indices.shape:
        raise ValueError(f"scatter_add: updates {updates.shape}, expected the shape of indices {indices.shape}")
    where, outside = positions("scatter_add", indices, data.shape[axis], attrs)
    grid = list(np.indices(indices.shape, sparse=True))
    grid[axis] = where
    flat = sum(part * stride for part, stride in zip(grid, _strides(data.shape), strict=True))
    result = data.copy().reshape(-1)
    kept = ~outside.reshape(-1)
    np.add.at(result, np.broadcast_to(flat, indices.shape).reshape(-1)[kept], updates.reshape(-1)[kept])
    return (result.reshape(data.shape),)


def _strides(shape: tuple[int, ...]) -> list[int]:
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


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


REFERENCE = {"gather": _gather, "gather_elements": _gather_elements, "scatter_add": _scatter_add, "top_k": _top_k}
