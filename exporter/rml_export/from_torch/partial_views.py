"""Diagonals, sliding windows, and values written into a slice of another."""

import torch

from rml_export.from_torch.call import Call, Operand, Table, axis_of, shape_of
from rml_export.from_torch.constants import Constant
from rml_export.from_torch.shape_ops import result_shape, slice_axis
from rml_export.from_torch.trace import aten
from rml_export.graph import Value


def diagonal(c: Call, x: Operand, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    """Both axes go last and become one, from which the diagonal's elements are gathered."""
    shape = shape_of(x)
    first, second = axis_of(dim1, len(shape)), axis_of(dim2, len(shape))
    rest = [axis for axis in range(len(shape)) if axis not in (first, second)]
    moved = c.op("transpose", x, perm=(*rest, first, second))
    rows, columns = shape[first], shape[second]
    flat = c.reshape(moved, (*(shape[axis] for axis in rest), rows * columns))
    positions = torch.arange(rows * columns).reshape(rows, columns).diagonal(offset)
    return c.op("gather", flat, Constant(positions), axis=len(rest), mode="error")


def unfold(c: Call, x: Operand, dimension: int, size: int, step: int) -> Value:
    """Windows of an axis, gathered by a constant table of positions; the place within the window goes last."""
    rank = len(shape_of(x))
    axis = axis_of(dimension, rank)
    positions = torch.arange(shape_of(x)[axis]).unfold(0, size, step)
    windows = c.op("gather", x, Constant(positions), axis=axis, mode="error")
    order = [other for other in range(rank + 1) if other != axis + 1]
    return c.op("transpose", windows, perm=(*order, axis + 1))


def copy(c: Call, x: Operand, source: Operand, *_: object) -> Value:
    """The source in the shape and dtype of what it overwrites."""
    value = c.like(source)
    shape = result_shape(c)
    return value if value.shape == shape else c.op("broadcast_to", value, shape=shape)


def slice_scatter(
    c: Call,
    x: Operand,
    source: Operand,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Value:
    """x with x[start:end:step] replaced: what stands before, the source and what stands after, then in order."""
    axis = axis_of(dim, len(shape_of(x)))
    size = shape_of(x)[axis]
    first, last, _ = slice(start, end, step).indices(size)
    written = range(first, last, step)
    if step == 1:
        last = max(first, last)
        parts = [slice_axis(c, x, axis, 0, first), c.like(source), slice_axis(c, x, axis, last, size)]
        parts = [part for part in parts if part.shape[axis]]
        return parts[0] if len(parts) == 1 else c.op("concat", *parts, axis=axis)
    both = c.op("concat", c.like(x), c.like(source), axis=axis)
    places = torch.arange(size)
    places[list(written)] = torch.arange(size, size + len(written))
    return c.op("gather", both, Constant(places), axis=axis, mode="error")


def select_scatter(c: Call, x: Operand, source: Operand, dim: int, index: int) -> Value:
    axis = axis_of(dim, len(shape_of(x)))
    index = axis_of(index, shape_of(x)[axis])
    return slice_scatter(c, x, c.op("unsqueeze", c.like(source), axes=(axis,)), axis, index, index + 1)


TABLE: Table = {
    **dict.fromkeys((aten.diagonal.default, aten.diagonal_copy.default), diagonal),
    **dict.fromkeys((aten.unfold.default, aten.unfold_copy.default), unfold),
    aten.copy.default: copy,
    aten.slice_scatter.default: slice_scatter,
    aten.select_scatter.default: select_scatter,
}
