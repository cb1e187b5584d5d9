"""Additions to places that an index names: scatter_add."""

from collections.abc import Sequence
from math import prod

from rml_export.from_torch.call import Call, Operand, Table, axis_of, shape_of
from rml_export.from_torch.indexing import flat_index, indexed_axes
from rml_export.from_torch.shape_ops import slice_axis
from rml_export.from_torch.trace import aten
from rml_export.graph import Value


def scatter_add(c: Call, x: Operand, dim: int, index: Operand, source: Operand) -> Value:
    """The index may be smaller than the source, which then counts as far as the index goes."""
    data, places, updates = c.like(x), c.i32(index), c.like(source)
    if c.is_bool:
        raise c.refuse("sums of booleans")
    if not data.rank:
        data, places, updates = (c.reshape(item, (prod(item.shape),)) for item in (data, places, updates))
    for axis, size in enumerate(places.shape):
        updates = slice_axis(c, updates, axis, 0, size)
    result = c.op("scatter_add", data, places, updates, axis=axis_of(dim, data.rank), mode="error")
    return c.reshape(result, shape_of(x))


def scatter_number(c: Call, x: Operand, dim: int, index: Operand, value: float, *, reduce: str) -> Value:
    only_sums(c, reduce)
    updates = c.op("broadcast_to", c.like(value), shape=shape_of(index))
    return scatter_add(c, x, dim, index, updates)


def scatter_reduced(c: Call, x: Operand, dim: int, index: Operand, source: Operand, *, reduce: str) -> Value:
    only_sums(c, reduce)
    return scatter_add(c, x, dim, index, source)


def scatter_reduce(
    c: Call, x: Operand, dim: int, index: Operand, source: Operand, reduce: str, *, include_self: bool = True
) -> Value:
    only_sums(c, reduce)
    if not include_self:
        raise c.refuse("a sum with include_self=False")
    return scatter_add(c, x, dim, index, source)


def only_sums(c: Call, reduce: str) -> None:
    if reduce not in ("add", "sum"):
        raise c.refuse(f"a scatter with reduce='{reduce}'")


def index_put(
    c: Call, x: Operand, indices: Sequence[Operand | None], values: Operand, accumulate: bool = False
) -> Value:
    """x[:, i, j] += values; index_add too. The indexed axes become one, and the index lies beside the values."""
    if not accumulate or c.is_bool:
        raise c.refuse("assignment by an index (accumulate=False)" if not accumulate else "sums of booleans")
    first, last = indexed_axes(c, indices)
    data = c.like(x)
    sizes = data.shape[first : last + 1]
    index = c.i32(indices[first]) if first == last else flat_index(c, indices[first : last + 1], sizes)
    before, after, count = data.shape[:first], data.shape[last + 1 :], prod(index.shape)
    updates = c.like(values)
    if updates.shape != (*before, *index.shape, *after):
        updates = c.op("broadcast_to", updates, shape=(*before, *index.shape, *after))
    beside = c.reshape(index, (*(1 for _ in before), count, *(1 for _ in after)))
    if beside.shape != (*before, count, *after):
        beside = c.op("broadcast_to", beside, shape=(*before, count, *after))
    flat = c.reshape(data, (*before, prod(sizes), *after))
    updates = c.reshape(updates, beside.shape)
    result = c.op("scatter_add", flat, beside, updates, axis=first, mode="error", wrap=first == last)
    return c.reshape(result, data.shape)


TABLE: Table = {
    aten.scatter_add.default: scatter_add,
    aten.scatter.reduce: scatter_reduced,
    aten.scatter.value_reduce: scatter_number,
    aten.scatter_reduce.two: scatter_reduce,
    aten.index_put.default: index_put,
}
