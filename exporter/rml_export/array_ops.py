"""Lowerings that front ends on arrays share: what has no op of its own is put together from those there are."""

from collections.abc import Callable, Sequence

import numpy as np

from rml_export.array_call import ArrayCall, Operand
from rml_export.graph import Value
from rml_export.xla_ops import slice_axes


def same(op: str) -> Callable[..., Value]:
    """An op that exists as such."""

    def lower(c: ArrayCall, *inputs: Operand) -> Value:
        return c(op, *inputs)

    return lower


def identity(c: ArrayCall, x: Operand) -> Value:
    return c.value(x)


def identities(c: ArrayCall, *inputs: Operand) -> tuple[Value, ...]:
    return tuple(c.value(item) for item in inputs)


def square(c: ArrayCall, x: Operand) -> Value:
    return c("mul", x, x)


def small_power(c: ArrayCall, a: Operand, b: np.ndarray) -> Value | None:
    """a ** b as products for one whole exponent from 1 to 3; None for others."""
    if b.size != 1 or float(b.reshape(())) not in (1.0, 2.0, 3.0):
        return None
    value, result = c.value(a), c.value(a)
    for _ in range(int(b.reshape(())) - 1):
        result = c("mul", result, value)
    shape = np.broadcast_shapes(value.shape, b.shape)
    return result if result.shape == shape else c("broadcast_to", result, shape=shape)


sign, erfc, expm1, log1p = same("sign"), same("erfc"), same("expm1"), same("log1p")


def rounded(op: str) -> Callable[..., Value]:
    """floor, ceil and the like: nothing to do for integers."""

    def lower(c: ArrayCall, x: Operand) -> Value:
        return c(op, x) if c.dtype == "f32" else c.value(x)

    return lower


def truncated(c: ArrayCall, x: Operand) -> Value:
    """Towards 0."""
    if c.dtype == "i32":
        return c.value(x)
    return c("where", c("lt", x, c.number(0)), c("ceil", x), c("floor", x))


def round_away(c: ArrayCall, x: Operand) -> Value:
    """Ties away from 0; what lies behind the point is exact."""
    if c.dtype == "i32":
        return c.value(x)
    whole = truncated(c, x)
    is_half = c("ge", c("abs", c("sub", x, whole)), c.number(0.5))
    return c("where", is_half, c("add", whole, c("sign", x)), whole)


def floor_mod(c: ArrayCall, a: Operand, b: Operand) -> Value:
    """The remainder with the sign of the divisor."""
    rest, zero = c("remainder", a, b), c.number(0)
    differ = c("ne", c("lt", rest, zero), c("lt", b, zero))
    wrong = c("mul", c("ne", rest, zero), differ)
    return c("where", wrong, c("add", rest, b), rest)


def convert(c: ArrayCall, x: Operand, from_bool: bool) -> Value:
    """A cast to the result's dtype; to bool means unequal 0."""
    value = c.value(x)
    if c.is_bool and not from_bool:
        return c("ne", value, c.constant(np.zeros((), np.float32 if value.dtype == "f32" else np.int32)))
    return c.value(value, c.dtype)


def is_finite(c: ArrayCall, x: Operand) -> Value:
    return c("lt", c("abs", x), c.constant(np.float32(np.inf)))


def arg_max(c: ArrayCall, x: Operand, axis: int) -> Value:
    """The first of the largest; NaN counts as largest."""
    return c("argmax", x, axis=axis)


def arg_min(c: ArrayCall, x: Operand, axis: int) -> Value:
    """The first of the smallest; NaN counts as smallest."""
    return c("argmin", x, axis=axis)


def tile(c: ArrayCall, x: Operand, times: Sequence[int]) -> Value:
    """Every axis [n] that repeats as [times, n], broadcast and flattened."""
    value = c.value(x)
    axes = list(zip(value.shape, times, strict=True))
    apart = tuple(size for dim, repeat in axes for size in ((1, dim) if repeat != 1 else (dim,)))
    spread = tuple(size for dim, repeat in axes for size in ((repeat, dim) if repeat != 1 else (dim,)))
    if apart == spread:
        return value
    flat = [dim * repeat for dim, repeat in axes]
    return c.reshape(c("broadcast_to", c.reshape(value, apart), shape=spread), flat)


def reverse(c: ArrayCall, x: Operand, axes: Sequence[int]) -> Value:
    value = c.value(x)
    if not axes:
        return value
    starts, ends = tuple(value.shape[a] - 1 for a in axes), tuple(-value.shape[a] - 1 for a in axes)
    return c("slice", value, axes=tuple(axes), starts=starts, ends=ends, steps=(-1,) * len(axes))


def padded(c: ArrayCall, x: Value, before: tuple[int, ...], after: tuple[int, ...], number: float) -> Value:
    """A pad by any number: attributes are finite, so that infinities are laid beside by concat."""
    if np.isfinite(number):
        return c("pad", x, before=before, after=after, value=number)
    for axis, sizes in enumerate(zip(before, after, strict=True)):
        parts = [np.full((*x.shape[:axis], size, *x.shape[axis + 1 :]), number, np.float32) for size in sizes]
        if any(sizes):
            x = c("concat", c.constant(parts[0]), x, c.constant(parts[1]), axis=axis)
    return x


def spread(c: ArrayCall, x: Value, gaps: Sequence[int], number: float) -> Value:
    """`gaps` times the number between neighbours along each axis: a pad of each element, and a cut after the last."""
    for axis, gap in enumerate(gaps):
        size = x.shape[axis]
        if gap == 0 or size < 2:
            continue
        apart = c.reshape(x, (*x.shape[: axis + 1], 1, *x.shape[axis + 1 :]))
        after = tuple(gap if i == axis + 1 else 0 for i in range(apart.rank))
        wide = padded(c, apart, (0,) * apart.rank, after, number)
        flat = c.reshape(wide, (*x.shape[:axis], size * (gap + 1), *x.shape[axis + 1 :]))
        ends = [size + (size - 1) * gap if i == axis else dim for i, dim in enumerate(flat.shape)]
        x = slice_axes(c, flat, [0] * flat.rank, ends)
    return x


def pad(
    c: ArrayCall, x: Operand, number: Operand, low: Sequence[int], high: Sequence[int], gaps: Sequence[int]
) -> Value:
    """XLA's pad: first between the elements, then around them; negative padding cuts."""
    if isinstance(number, Value):
        raise c.refuse("a padding value that depends on the inputs")
    filling = float(np.asarray(number))
    result = spread(c, c.value(x), gaps, filling)
    before, after = tuple(max(item, 0) for item in low), tuple(max(item, 0) for item in high)
    if any(before) or any(after):
        result = padded(c, result, before, after, filling)
    starts = [max(-item, 0) for item in low]
    ends = [size - max(-item, 0) for size, item in zip(result.shape, high, strict=True)]
    return slice_axes(c, result, starts, ends)


def pieces(c: ArrayCall, x: Value, axis: int, sizes: Sequence[int]) -> tuple[Value, ...]:
    """x cut along an axis into parts of these sizes."""
    results, start = [], 0
    for size in sizes:
        starts = [start if i == axis else 0 for i in range(x.rank)]
        ends = [start + size if i == axis else dim for i, dim in enumerate(x.shape)]
        results.append(slice_axes(c, x, starts, ends))
        start += size
    return tuple(results)


def beside(c: ArrayCall, inputs: Sequence[Operand], axis: int) -> Value:
    """The inputs side by side along a new axis."""
    parts = [c.value(item, c.dtype) for item in inputs]
    return c("concat", *(c.reshape(part, (*part.shape[:axis], 1, *part.shape[axis:])) for part in parts), axis=axis)
