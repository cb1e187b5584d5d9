"""Elementwise ops. NaN in gives NaN out, comparisons give 0 or 1, i32 wraps and never traps."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from rml_export.canonical import INT32_MAX, INT32_MIN
from rml_export.graph import Attrs

_ERF = np.frompyfunc(math.erf, 1, 1)
_ERFC = np.frompyfunc(math.erfc, 1, 1)


def erf64(x: np.ndarray) -> np.ndarray:
    """erf in float64."""
    return np.asarray(_ERF(x.astype(np.float64)), dtype=np.float64)


def erfc64(x: np.ndarray) -> np.ndarray:
    """erfc in float64."""
    return np.asarray(_ERFC(x.astype(np.float64)), dtype=np.float64)


def _unary(fn: Callable[[np.ndarray], np.ndarray]):
    """An f32 op computed in float64 and rounded once."""

    def run(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
        return (np.asarray(fn(inputs[0].astype(np.float64))).astype(np.float32),)

    return run


def _same(fn: Callable[..., np.ndarray]):
    """An op computed in the inputs' own dtype; NumPy wraps i32."""

    def run(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
        return (np.asarray(fn(*inputs)).astype(inputs[0].dtype),)

    return run


def _compare(fn: Callable[..., np.ndarray]):
    def run(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
        return (np.asarray(fn(*inputs)).astype(np.float32),)

    return run


def _div(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    a, b = inputs
    if a.dtype == np.float32:
        return (np.asarray(a / b, dtype=np.float32),)
    wide_a, wide_b = np.broadcast_arrays(a.astype(np.int64), b.astype(np.int64))
    safe = np.where(wide_b == 0, 1, wide_b)
    quotient = np.abs(wide_a) // np.abs(safe) * np.sign(wide_a) * np.sign(safe)
    return (np.where(wide_b == 0, -1, quotient).astype(np.int32),)  # INT_MIN / -1 wraps to INT_MIN


def _remainder(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    a, b = inputs
    if a.dtype == np.float32:
        return (np.asarray(np.fmod(a, b), dtype=np.float32),)
    wide_a, wide_b = a.astype(np.int64), b.astype(np.int64)
    rest = np.fmod(wide_a, np.where(wide_b == 0, 1, wide_b))
    return (np.where(wide_b == 0, wide_a, rest).astype(np.int32),)


def _floor_div(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    a, b = inputs
    if a.dtype != np.float32:
        wide_a, wide_b = a.astype(np.int64), b.astype(np.int64)
        quotient = wide_a // np.where(wide_b == 0, 1, wide_b)
        return (np.where(wide_b == 0, -1, quotient).astype(np.int32),)  # INT_MIN // -1 wraps to INT_MIN
    plain = np.asarray(a / b, dtype=np.float32)
    with np.errstate(all="ignore"):
        x, y = a.astype(np.float64), b.astype(np.float64)
        rest = np.fmod(x, y)
        down = (rest != 0) & ((x < 0) != (y < 0))
        whole = np.rint((x - rest) / y)  # exact below 2^48
    floor = np.copysign(np.where(np.isinf(y), 0.0, whole) - down, plain)
    result = np.where(np.abs(plain) < 2.0**48, floor, plain)
    return (np.asarray(np.where(np.isinf(x), np.nan, result)).astype(np.float32),)


def _pow(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    a, b = (value.astype(np.float64) for value in inputs)
    return (np.asarray(np.power(a, b)).astype(np.float32),)


def _where(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    condition, a, b = inputs
    return (np.where(condition != 0, a, b),)


def _clamp(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    (x,) = inputs
    result = x
    if "min" in attrs:
        result = np.maximum(result, x.dtype.type(attrs["min"]))
    if "max" in attrs:
        result = np.minimum(result, x.dtype.type(attrs["max"]))
    return (np.asarray(result, dtype=x.dtype),)


def _cast(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    (x,) = inputs
    if attrs["to"] == "f32":
        return (x.astype(np.float32),)
    if x.dtype == np.int32:
        return (x.copy(),)
    whole = np.trunc(x.astype(np.float64))
    return (np.where(np.isnan(whole), 0, np.clip(whole, INT32_MIN, INT32_MAX)).astype(np.int32),)


def _gelu(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    x = inputs[0].astype(np.float64)
    if attrs["approximate"] == "tanh":
        # 0.5 x (1 + tanh(u)), which loses the tail, is x / (1 + e^(-2 u)).
        result = x / (1.0 + np.exp(-2.0 * math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))
    else:
        result = 0.5 * x * erfc64(-x / math.sqrt(2.0))  # keeps the tail, where 1 + erf cancels
    return (result.astype(np.float32),)


REFERENCE = {
    "neg": _same(np.negative),
    "abs": _same(np.abs),
    "relu": _same(lambda x: np.where(x < 0, x.dtype.type(0), x)),  # NaN and -0 stay
    "sign": _same(lambda x: np.where(x == 0, x, np.sign(x))),  # NumPy's makes 0 of -0
    "floor": _same(np.floor),
    "ceil": _same(np.ceil),
    "round_even": _same(np.rint),
    "exp": _unary(np.exp),
    "log": _unary(np.log),
    "expm1": _unary(np.expm1),
    "log1p": _unary(np.log1p),
    "sqrt": _unary(np.sqrt),
    "rsqrt": _unary(lambda x: 1.0 / np.sqrt(x)),
    "reciprocal": _unary(lambda x: 1.0 / x),
    "sin": _unary(np.sin),
    "cos": _unary(np.cos),
    "tanh": _unary(np.tanh),
    "sigmoid": _unary(lambda x: 1.0 / (1.0 + np.exp(-x))),
    "erf": _unary(erf64),
    "erfc": _unary(erfc64),
    "add": _same(np.add),
    "sub": _same(np.subtract),
    "mul": _same(np.multiply),
    "div": _div,
    "maximum": _same(np.maximum),
    "minimum": _same(np.minimum),
    "pow": _pow,
    "remainder": _remainder,
    "floor_div": _floor_div,
    "eq": _compare(np.equal),
    "ne": _compare(np.not_equal),
    "lt": _compare(np.less),
    "le": _compare(np.less_equal),
    "gt": _compare(np.greater),
    "ge": _compare(np.greater_equal),
    "where": _where,
    "clamp": _clamp,
    "cast": _cast,
    "gelu": _gelu,
}
