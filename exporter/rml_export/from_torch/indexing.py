"""Embeddings, index_select, advanced indexing, top-k and sorting."""

import math
from collections.abc import Sequence
from typing import Any

import torch

from rml_export.from_torch.call import Call, Operand, Table, axis_of, shape_of
from rml_export.from_torch.trace import aten
from rml_export.graph import Value


def embedding(c: Call, weight: Operand, indices: Operand, *_: Any) -> Value:
    """padding_idx only matters in training."""
    return c.op("gather", c.f32(weight), c.i32(indices), axis=0, mode="error")


def index_select(c: Call, x: Operand, dim: int, indices: Operand) -> Value:
    if not shape_of(indices):
        indices = c.reshape(c.i32(indices), (1,))
    return c.op("gather", x, c.i32(indices), axis=axis_of(dim, len(shape_of(x))), mode="error")


def gather(c: Call, x: Operand, dim: int, index: Operand, sparse_grad: bool = False) -> Value:
    if not shape_of(x):  # a number, read at 0
        return c.reshape(gather_at(c, c.reshape(c.value(x), (1,)), 0, c.reshape(c.i32(index), (-1,))), shape_of(index))
    return gather_at(c, c.value(x), axis_of(dim, len(shape_of(x))), c.i32(index))


def gather_at(c: Call, x: Value, axis: int, index: Value) -> Value:
    return c.op("gather_elements", x, index, axis=axis, mode="error")


def index_tensor(c: Call, x: Operand, indices: Sequence[Operand | None]) -> Value:
    """x[:, i, j, :]: neighbouring indexed axes become one, read by a flat index. Negative indices wrap, as in torch."""
    first, last = indexed_axes(c, indices)
    value = c.value(x)
    if first == last:
        return c.op("gather", value, c.i32(indices[first]), axis=first, mode="error", wrap=True)
    sizes = value.shape[first : last + 1]
    flat = c.reshape(value, (*value.shape[:first], math.prod(sizes), *value.shape[last + 1 :]))
    return c.op("gather", flat, flat_index(c, indices[first : last + 1], sizes), axis=first, mode="error")


def indexed_axes(c: Call, indices: Sequence[Operand | None]) -> tuple[int, int]:
    """The first and the last axis that has an index; those between have one too."""
    used = [axis for axis, index in enumerate(indices) if index is not None]
    for position in used:
        node = c.node.args[1][position]
        if node.meta["val"].dtype in (torch.bool, torch.uint8):
            raise c.refuse("a boolean index: its result's shape depends on the data")
    if used != list(range(used[0], used[-1] + 1)):
        raise c.refuse(f"index axes {used} that are not neighbours")
    return used[0], used[-1]


def flat_index(c: Call, indices: Sequence[Operand], sizes: Sequence[int]) -> Value:
    """The position along these axes as one; outside of it where one of the indices is outside of its axis."""
    flat: Value | None = None
    for size, index in zip(sizes, indices, strict=True):
        inside = _wrapped(c, c.i32(index), size)
        flat = inside if flat is None else c.op("add", c.op("mul", flat, c.i32(size)), inside)
    assert flat is not None
    return flat


def _wrapped(c: Call, index: Value, size: int) -> Value:
    """Non-negative indices; what is outside -n..n-1 goes far outside, so that the gather reports it."""
    negative = c.op("lt", index, c.i32(0))
    wrapped = c.op("where", negative, c.op("add", index, c.i32(size)), index)
    outside = c.op("maximum", c.op("lt", wrapped, c.i32(0)), c.op("ge", wrapped, c.i32(size)))
    return c.op("where", outside, c.i32(-(2**30)), wrapped)


def top_k(c: Call, x: Operand, k: int, dim: int = -1, largest: bool = True, in_order: bool = True) -> tuple[Value, ...]:
    return order(c, x, k, dim, largest)


def sort(c: Call, x: Operand, dim: int = -1, descending: bool = False) -> tuple[Value, ...]:
    return order(c, x, shape_of(x)[dim], dim, descending)


def sort_stable(c: Call, x: Operand, *, stable: bool = False, dim: int = -1, descending: bool = False) -> Any:
    return sort(c, x, dim, descending)


def order(c: Call, x: Operand, k: int, dim: int, largest: bool) -> tuple[Value, ...]:
    """The first k in order; rml-graph sorts floats only."""
    if c.dtype == "i32":
        raise c.refuse("sorting integers")
    return c.op_multi("top_k", 2, c.f32(x), k=k, axis=axis_of(dim, len(shape_of(x))), largest=bool(largest))


def extreme(op: str) -> Any:
    """max.dim and min.dim: the value and the first index at which it stands; NaN wins in both."""

    def lower(c: Call, x: Operand, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
        value = c.value(x)
        if not value.rank:
            return value, c.value(0)
        axis, kept = axis_of(dim, value.rank), bool(keepdim)
        values = c.op(f"reduce_{op}", value, axes=(axis,), keep_dims=kept)
        return values, c.op(f"arg{op}", value, axis=axis, keep_dims=kept)

    return lower


def extreme_position(op: str) -> Any:
    """argmax and argmin: the first index; NaN wins in both."""

    def lower(c: Call, x: Operand, dim: int | None = None, keepdim: bool = False) -> Value:
        value = c.value(x)
        if dim is None or value.rank == 0:
            value, axis = c.reshape(value, (-1,)), 0
        else:
            axis = axis_of(dim, value.rank)
        return c.reshape(c.op(op, value, axis=axis), tuple(c.meta.shape))

    return lower


TABLE: Table = {
    aten.embedding.default: embedding,
    aten.index_select.default: index_select,
    aten.index.Tensor: index_tensor,
    aten.gather.default: gather,
    aten.topk.default: top_k,
    aten.sort.default: sort,
    aten.sort.stable: sort_stable,
    aten.max.dim: extreme("max"),
    aten.min.dim: extreme("min"),
    aten.argmax.default: extreme_position("argmax"),
    aten.argmin.default: extreme_position("argmin"),
}
