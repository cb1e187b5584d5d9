"""Sums, means, extremes, variances, norms."""

import math
from collections.abc import Sequence
from typing import Any

from rml_export.from_torch.call import Call, Operand, Table, axis_of, shape_of
from rml_export.from_torch.trace import aten
from rml_export.graph import Value


def axes_of(x: Operand, dim: int | Sequence[int] | None) -> tuple[int, ...]:
    """Ascending axes; torch's None and [] mean all."""
    rank = len(shape_of(x))
    dims = [dim] if isinstance(dim, int) else list(dim or range(rank))
    return tuple(sorted({axis_of(item, rank) for item in dims})) if rank else ()


def reduction(op: str) -> Any:
    """op(x, dim=None, keepdim=False, dtype=None) in the result's dtype."""

    def lower(c: Call, x: Operand, dim: Any = None, keepdim: bool = False, **_: Any) -> Value:
        return c.op(op, c.like(x), axes=axes_of(x, dim), keep_dims=bool(keepdim))

    return lower


def running_sum(c: Call, x: Operand, dim: int, **_: Any) -> Value:
    value = c.like(x)
    return c.op("cumsum", value, axis=axis_of(dim, value.rank)) if value.rank else value


def truth_reduction(op: str) -> Any:
    """any and all."""

    def lower(c: Call, x: Operand, dim: Any = None, keepdim: bool = False) -> Value:
        value = c.value(x)
        truth = c.op("ne", value, c.value(0, value.dtype))
        return c.op(op, truth, axes=axes_of(x, dim), keep_dims=bool(keepdim))

    return lower


def var_correction(
    c: Call, x: Operand, dim: Any = None, *, correction: float | None = None, keepdim: bool = False
) -> Value:
    return variance(c, x, dim, correction, keepdim)[0]


def var_mean(
    c: Call, x: Operand, dim: Any = None, *, correction: float | None = None, keepdim: bool = False
) -> tuple[Value, Value]:
    return variance(c, x, dim, correction, keepdim)


def std_correction(
    c: Call, x: Operand, dim: Any = None, *, correction: float | None = None, keepdim: bool = False
) -> Value:
    return c.op("sqrt", variance(c, x, dim, correction, keepdim)[0])


def variance(c: Call, x: Operand, dim: Any, correction: float | None, keepdim: bool) -> tuple[Value, Value]:
    """Two passes: the mean of squares of what is left of the mean, scaled by n / (n - correction)."""
    x = c.f32(x)
    axes = axes_of(x, dim)
    n = math.prod(x.shape[axis] for axis in axes)
    free = max(n - (1 if correction is None else correction), 0)
    mean = c.op("reduce_mean", x, axes=axes, keep_dims=True)
    centred = c.op("sub", x, mean)
    total = c.op("reduce_sum", c.op("mul", centred, centred), axes=axes, keep_dims=keepdim)
    result = c.op("div", total, c.f32(float(free)))
    if not keepdim and axes:
        mean = c.op("squeeze", mean, axes=axes)
    return result, mean


def vector_norm(c: Call, x: Operand, order: float = 2, dim: Any = None, keepdim: bool = False, **_: Any) -> Value:
    x = c.f32(x)
    attrs = {"axes": axes_of(x, dim), "keep_dims": bool(keepdim)}
    if order == 2:
        return c.op("sqrt", c.op("reduce_sum", c.op("mul", x, x), **attrs))
    if order == 1:
        return c.op("reduce_sum", c.op("abs", x), **attrs)
    if math.isinf(order):
        return c.op("reduce_max" if order > 0 else "reduce_min", c.op("abs", x), **attrs)
    if order == 0:
        return c.op("reduce_sum", c.op("ne", x, c.f32(0.0)), **attrs)
    powers = c.op("reduce_sum", c.op("pow", c.op("abs", x), c.f32(float(order))), **attrs)
    return c.op("pow", powers, c.f32(1.0 / float(order)))


TABLE: Table = {
    aten.cumsum.default: running_sum,
    **dict.fromkeys((aten.sum.default, aten.sum.dim_IntList), reduction("reduce_sum")),
    **dict.fromkeys((aten.mean.default, aten.mean.dim), reduction("reduce_mean")),
    **dict.fromkeys((aten.amax.default, aten.max.default), reduction("reduce_max")),
    **dict.fromkeys((aten.amin.default, aten.min.default), reduction("reduce_min")),
    **dict.fromkeys((aten.prod.default, aten.prod.dim_int), reduction("reduce_prod")),
    **dict.fromkeys((aten.any.default, aten.any.dim, aten.any.dims), truth_reduction("reduce_max")),
    **dict.fromkeys((aten.all.default, aten.all.dim, aten.all.dims), truth_reduction("reduce_min")),
    aten.var.correction: var_correction,
    aten.var_mean.correction: var_mean,
    aten.std.correction: std_correction,
    aten.linalg_vector_norm.default: vector_norm,
}
