"""Reductions, softmax."""

from collections.abc import Callable
from math import prod

import numpy as np

from rml_export.from_onnx.call import Call, LoweringFn, Operand, Table
from rml_export.from_onnx.elementwise import check_width
from rml_export.graph import Value

Reduce = Callable[[Call, Value, tuple[int, ...], bool], Value]


def reduction(reduce: Reduce) -> LoweringFn:
    """Axes: an input, or an attribute in older opsets; none means all, or nothing at all with noop_with_empty_axes."""

    def lower(c: Call, x: Operand, axes: Operand | None = None) -> Value:
        check_width(c)
        value, given = c.value(x), c.integers(axes, "axes", "axes")
        keep, nothing = bool(c.attr("keepdims", 1)), bool(c.attr("noop_with_empty_axes", 0))
        if not given and nothing:
            return reduce(c, value, (), keep)
        return reduce(c, value, c.many_axes(given, value.rank) if given else tuple(range(value.rank)), keep)

    return lower


def plain(op: str, integers: bool = True) -> Reduce:
    def reduce(c: Call, x: Value, axes: tuple[int, ...], keep: bool) -> Value:
        result = c(op, x if integers else c.floats(x, op), axes=axes, keep_dims=keep)
        return c("clamp", result, min=0.0, max=1.0) if c.is_bool and 0 in x.shape else result  # of nothing

    return reduce


def total(c: Call, x: Value, axes: tuple[int, ...], keep: bool) -> Value:
    return c("reduce_sum", x, axes=axes, keep_dims=keep)


def of_magnitudes(c: Call, x: Value, axes: tuple[int, ...], keep: bool) -> Value:
    return total(c, c("abs", x), axes, keep)


def of_squares(c: Call, x: Value, axes: tuple[int, ...], keep: bool) -> Value:
    return total(c, c("mul", x, x), axes, keep)


def root_of_squares(c: Call, x: Value, axes: tuple[int, ...], keep: bool) -> Value:
    return c("sqrt", of_squares(c, c.floats(x, "a norm"), axes, keep))


def log_of_sum(c: Call, x: Value, axes: tuple[int, ...], keep: bool) -> Value:
    return c("log", total(c, c.floats(x, "a logarithm"), axes, keep))


def log_of_exps(c: Call, x: Value, axes: tuple[int, ...], keep: bool) -> Value:
    """The largest element is taken out, so that nothing overflows; an infinite one stays, or it would become NaN."""
    value = c.floats(x, "a logarithm")
    if not axes or not prod(value.shape[axis] for axis in axes):
        return c("log", total(c, c("exp", value), axes, keep))
    largest = c("reduce_max", value, axes=axes, keep_dims=True)
    is_finite = c("lt", c("abs", largest), c.constant(np.float32(np.inf)))
    shift = c("where", is_finite, largest, c.number(0))
    exps = total(c, c("exp", c("sub", value, shift)), axes, True)
    result = c("add", c("log", exps), shift)
    return result if keep else c.reshape(result, [n for axis, n in enumerate(value.shape) if axis not in axes])


def softmax(op: str) -> LoweringFn:
    """Before opset 13 over all axes from `axis` on together."""

    def lower(c: Call, x: Operand) -> Value:
        value = c.floats(x, op)
        if c.version >= 13:
            return c(op, value, axis=c.axis(value.rank, -1))
        axis = c.axis(value.rank, 1)
        flat = c.reshape(value, (prod(value.shape[:axis]), prod(value.shape[axis:])))
        return c.reshape(c(op, flat, axis=1), value.shape)

    return lower


TABLE: Table = {
    "ReduceSum": reduction(plain("reduce_sum")),
    "ReduceMean": reduction(plain("reduce_mean", integers=False)),
    "ReduceMax": reduction(plain("reduce_max")),
    "ReduceMin": reduction(plain("reduce_min")),
    "ReduceProd": reduction(plain("reduce_prod", integers=False)),
    "ReduceL1": reduction(of_magnitudes),
    "ReduceL2": reduction(root_of_squares),
    "ReduceSumSquare": reduction(of_squares),
    "ReduceLogSum": reduction(log_of_sum),
    "ReduceLogSumExp": reduction(log_of_exps),
    "Softmax": softmax("softmax"),
    "LogSoftmax": softmax("log_softmax"),
}
