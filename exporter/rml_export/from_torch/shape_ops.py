"""Views, slices, joins, pads and fills."""

from collections.abc import Sequence
from typing import Any

import torch

from rml_export.canonical import INT32_MAX, INT32_MIN
from rml_export.from_torch.call import Call, Operand, Table, axis_of, shape_of
from rml_export.from_torch.constants import Constant
from rml_export.from_torch.trace import aten
from rml_export.graph import Value


def result_shape(c: Call) -> tuple[int, ...]:
    """The shape that torch recorded."""
    return tuple(int(dim) for dim in c.meta.shape)


def view(c: Call, x: Operand, *_: Any, **__: Any) -> Value:
    """Any op that only changes the shape."""
    return c.reshape(x, result_shape(c))


def unchanged(c: Call, x: Operand, *_: Any, **__: Any) -> Value:
    """clone, alias, detach, contiguous ..."""
    return c.value(x)


def permute(c: Call, x: Operand, dims: Sequence[int]) -> Value:
    rank = len(shape_of(x))
    return c.op("transpose", x, perm=tuple(axis_of(dim, rank) for dim in dims))


def swap(c: Call, x: Operand, first: int, second: int) -> Value:
    perm = list(range(len(shape_of(x))))
    if not perm:
        return c.value(x)
    perm[first], perm[second] = perm[second], perm[first]
    return c.op("transpose", x, perm=tuple(perm))


def t(c: Call, x: Operand) -> Value:
    return swap(c, x, 0, 1) if len(shape_of(x)) == 2 else c.value(x)


def unsqueeze(c: Call, x: Operand, dim: int) -> Value:
    return c.op("unsqueeze", x, axes=(axis_of(dim, len(shape_of(x)) + 1),))


def expand(c: Call, x: Operand, *_: Any, **__: Any) -> Value:
    """A parameter stays one slice and a broadcast."""
    shape = result_shape(c)
    if shape_of(x) == shape:
        return c.value(x)
    return c.op("broadcast_to", x, shape=shape, fold=not (isinstance(x, Constant) and x.name))


def repeat(c: Call, x: Operand, repeats: Sequence[int]) -> Value:
    """Each axis of size n, r times: [n] -> [1, n] -> [r, n] -> [r * n]."""
    shape = shape_of(x)
    shape = (1,) * (len(repeats) - len(shape)) + shape
    split = [size for n in shape for size in (1, n)]
    wide = [size for r, n in zip(repeats, shape, strict=True) for size in (r, n)]
    spread = c.op("broadcast_to", c.reshape(x, split), shape=tuple(wide))
    return c.reshape(spread, result_shape(c))


def slice_axis(c: Call, x: Operand, axis: int, start: int, end: int, step: int = 1) -> Value:
    """One axis' slice, the limits within 0..n."""
    return c.op("slice", x, axes=(axis,), starts=(start,), ends=(end,), steps=(step,))


def slice_tensor(
    c: Call, x: Operand, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Value:
    """Limits are clamped first: torch writes "to the end" as 2**63 - 1."""
    axis = axis_of(dim, len(shape_of(x)))
    size = shape_of(x)[axis]
    first, last, _ = slice(start, end, step).indices(size)
    if (first, last, step) == (0, size, 1):
        return c.value(x)
    return slice_axis(c, x, axis, first, max(first, last), step)


def select(c: Call, x: Operand, dim: int, index: int) -> Value:
    shape = shape_of(x)
    axis = axis_of(dim, len(shape))
    index = axis_of(index, shape[axis])
    return c.op("squeeze", slice_axis(c, x, axis, index, index + 1), axes=(axis,))


def split_sizes(c: Call, x: Operand, sizes: Sequence[int], dim: int = 0) -> tuple[Value, ...]:
    axis = axis_of(dim, len(shape_of(x)))
    parts = []
    start = 0
    for size in sizes:
        whole = size == shape_of(x)[axis]
        parts.append(c.value(x) if whole else slice_axis(c, x, axis, start, start + size))
        start += size
    return tuple(parts)


def split(c: Call, x: Operand, size: int, dim: int = 0) -> tuple[Value, ...]:
    total = shape_of(x)[dim]
    sizes = [min(size, total - start) for start in range(0, total, size)] if total else [0]
    return split_sizes(c, x, sizes, dim)


def unbind(c: Call, x: Operand, dim: int = 0) -> tuple[Value, ...]:
    return tuple(select(c, x, dim, index) for index in range(shape_of(x)[dim]))


def cat(c: Call, tensors: Sequence[Operand], dim: int = 0) -> Value:
    """torch skips empty 1-D tensors whatever the others' rank."""
    rank = len(result_shape(c))
    parts = [c.like(item) for item in tensors if len(shape_of(item)) == rank]
    return parts[0] if len(parts) == 1 else c.op("concat", *parts, axis=axis_of(dim, rank))


def stack(c: Call, tensors: Sequence[Operand], dim: int = 0) -> Value:
    axis = axis_of(dim, len(result_shape(c)))
    return c.op("concat", *(c.op("unsqueeze", c.like(item), axes=(axis,)) for item in tensors), axis=axis)


def flip(c: Call, x: Operand, dims: Sequence[int]) -> Value:
    """Steps of -1 from the last element through element 0."""
    axes = tuple(axis_of(dim, len(shape_of(x))) for dim in dims)
    if not axes:
        return c.value(x)
    ends = tuple(-shape_of(x)[axis] - 1 for axis in axes)
    return c.op("slice", x, axes=axes, starts=(-1,) * len(axes), ends=ends, steps=(-1,) * len(axes))


def constant_pad(c: Call, x: Operand, pad: Sequence[int], value: float = 0) -> Value:
    """torch lists pads from the last axis back; negative ones cut."""
    rank = len(shape_of(x))
    before, after = [0] * rank, [0] * rank
    result = c.value(x)
    for number in range(len(pad) // 2):
        axis = rank - 1 - number
        low, high = pad[2 * number], pad[2 * number + 1]
        if low < 0 or high < 0:
            result = slice_axis(c, result, axis, max(-low, 0), result.shape[axis] + min(high, 0))
        before[axis], after[axis] = max(low, 0), max(high, 0)
    if not any(before + after):
        return result
    if not torch.isfinite(torch.tensor(float(value))):
        raise c.refuse(f"padding with {value}; rml-graph pads with finite numbers")
    return c.op("pad", result, before=tuple(before), after=tuple(after), value=float(value))


def fill(c: Call, number: float) -> Value:
    """A constant of the recorded shape: full_like, zeros_like, new_full ... of a value known only at run time."""
    if c.dtype == "i32" and not INT32_MIN <= number <= INT32_MAX:
        raise c.refuse(f"the integer {number} does not fit into int32")
    dtype = torch.float32 if c.dtype == "f32" else torch.int64
    return c.value(Constant(torch.full(result_shape(c), number, dtype=dtype)))


TABLE: Table = {
    **dict.fromkeys(
        (
            aten.view.default,
            aten._unsafe_view.default,
            aten.reshape.default,
            aten.view_copy.default,
            aten.squeeze.default,
            aten.squeeze.dim,
            aten.squeeze.dims,
        ),
        view,
    ),
    **dict.fromkeys(
        (
            aten.clone.default,
            aten.alias.default,
            aten.detach.default,
            aten.contiguous.default,
            aten.lift_fresh_copy.default,
            aten.dropout.default,
        ),
        unchanged,
    ),
    **dict.fromkeys((aten.permute.default, aten.permute_copy.default), permute),
    aten.transpose.int: swap,
    aten.t.default: t,
    **dict.fromkeys((aten.unsqueeze.default, aten.unsqueeze_copy.default), unsqueeze),
    **dict.fromkeys((aten.expand.default, aten.expand_copy.default), expand),
    aten.repeat.default: repeat,
    **dict.fromkeys((aten.slice.Tensor, aten.slice_copy.Tensor), slice_tensor),
    **dict.fromkeys((aten.select.int, aten.select_copy.int), select),
    **dict.fromkeys((aten.split_with_sizes.default, aten.split_with_sizes_copy.default), split_sizes),
    aten.split.Tensor: split,
    aten.unbind.int: unbind,
    aten.cat.default: cat,
    aten.stack.default: stack,
    aten.flip.default: flip,
    aten.constant_pad_nd.default: constant_pad,
    aten.full_like.default: lambda c, x, value, **_: fill(c, value),
    aten.zeros_like.default: lambda c, x, **_: fill(c, 0),
    aten.ones_like.default: lambda c, x, **_: fill(c, 1),
    aten.new_zeros.default: lambda c, x, size, **_: fill(c, 0),
    aten.new_ones.default: lambda c, x, size, **_: fill(c, 1),
    aten.new_full.default: lambda c, x, size, value, **_: fill(c, value),
    aten.fill.Scalar: lambda c, x, value: fill(c, value),
}
