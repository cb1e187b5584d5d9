"""softmax, log_softmax (an all -inf row gives NaN) and layer_norm (two passes, float64 sums)."""

import math
from collections.abc import Sequence

import numpy as np

from rml_export.graph import Attrs


def softmax64(x: np.ndarray, axis: int) -> np.ndarray:
    """softmax in float64."""
    if x.shape[axis] == 0:
        return x.astype(np.float64)
    exps = np.exp(x.astype(np.float64) - x.max(axis=axis, keepdims=True))
    return exps / exps.sum(axis=axis, keepdims=True)


def _softmax(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    return (softmax64(inputs[0], attrs["axis"]).astype(np.float32),)


def _log_softmax(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    x, axis = inputs[0].astype(np.float64), attrs["axis"]
    if x.shape[axis] == 0:
        return (x.astype(np.float32),)
    shifted = x - x.max(axis=axis, keepdims=True)
    return ((shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))).astype(np.float32),)


def _layer_norm(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    x, axes = inputs[0].astype(np.float64), tuple(attrs["axes"])
    if tuple(axes) != tuple(range(x.ndim - len(axes), x.ndim)) or not axes:
        raise ValueError(f"layer_norm: axes {axes} are not the last axes of rank {x.ndim}")
    for parameter in inputs[1:]:
        if parameter.shape != x.shape[axes[0] :]:
            raise ValueError(f"layer_norm: parameter of shape {parameter.shape}, expected {x.shape[axes[0] :]}")
    count = np.float64(math.prod(x.shape[axis] for axis in axes))
    centred = x - x.sum(axis=axes, keepdims=True) / count
    variance = (centred * centred).sum(axis=axes, keepdims=True) / count
    result = centred / np.sqrt(variance + np.float64(attrs["eps"]))
    if len(inputs) > 1:
        result = result * inputs[1]
    if len(inputs) > 2:
        result = result + inputs[2]
    return (result.astype(np.float32),)


REFERENCE = {"softmax": _softmax, "log_softmax": _log_softmax, "layer_norm": _layer_norm}
