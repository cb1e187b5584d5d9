"""Reductions and running sums. No axes: the identity. Of nothing: sum 0, prod 1, mean NaN, max and min the extremes."""

from collections.abc import Callable, Sequence

import numpy as np

from rml_export.canonical import INT32_MAX, INT32_MIN
from rml_export.graph import Attrs


def _reduction(fn: Callable[..., np.ndarray], **empty: dict[str, float]):
    def run(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
        (x,) = inputs
        axes = tuple(attrs["axes"])
        if len(set(axes)) != len(axes) or any(not 0 <= axis < x.ndim for axis in axes):
            raise ValueError(f"axes {axes} do not name distinct axes of rank {x.ndim}")
        if not axes:
            return (x.copy(),)
        wide = x.astype(np.float64 if x.dtype == np.float32 else np.int64)
        extra = {}
        if empty:
            extra["initial"] = empty["initial"][str(x.dtype)]
        return (np.asarray(fn(wide, axis=axes, keepdims=attrs["keep_dims"], **extra)).astype(x.dtype),)

    return run


def _arg_extreme(fn: Callable[..., np.ndarray]):
    """The first of equals, the first NaN before all: as NumPy has it."""

    def run(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
        (x,) = inputs
        return (np.asarray(fn(x, axis=attrs["axis"], keepdims=attrs["keep_dims"])).astype(np.int32),)

    return run


def _cumsum(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    """In order, in float64; i32 wraps."""
    (x,) = inputs
    axis = attrs["axis"]
    terms = x.astype(np.float64 if x.dtype == np.float32 else np.int64)
    if attrs["reverse"]:
        terms = np.flip(terms, axis)
    if attrs["exclusive"]:
        zero = np.zeros((*terms.shape[:axis], 1, *terms.shape[axis + 1 :]), terms.dtype)
        terms = np.concatenate((zero, terms), axis=axis).take(np.arange(x.shape[axis]), axis=axis)
    sums = np.cumsum(terms, axis=axis) + 0  # from 0 on: -0 comes out as 0
    return ((np.flip(sums, axis) if attrs["reverse"] else sums).astype(x.dtype),)


REFERENCE = {
    "argmax": _arg_extreme(np.argmax),
    "argmin": _arg_extreme(np.argmin),
    "cumsum": _cumsum,
    "reduce_sum": _reduction(np.sum),
    "reduce_mean": _reduction(lambda x, axis, keepdims: np.sum(x, axis=axis, keepdims=keepdims) / _count(x, axis)),
    "reduce_prod": _reduction(np.prod),
    "reduce_max": _reduction(np.max, initial={"float32": -np.inf, "int32": INT32_MIN}),
    "reduce_min": _reduction(np.min, initial={"float32": np.inf, "int32": INT32_MAX}),
}


def _count(x: np.ndarray, axes: tuple[int, ...]) -> np.float64:
    return np.float64(np.prod([x.shape[axis] for axis in axes]))
