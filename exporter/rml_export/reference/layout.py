"""Ops that move elements and compute nothing."""

from collections.abc import Sequence

import numpy as np

from rml_export.graph import Attrs


def _reshape(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    return (inputs[0].reshape(attrs["shape"]),)


def _transpose(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    return (inputs[0].transpose(attrs["perm"]),)


def _squeeze(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    return (np.squeeze(inputs[0], axis=tuple(attrs["axes"])),)


def _unsqueeze(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    return (np.expand_dims(inputs[0], axis=tuple(attrs["axes"])),)


def _broadcast_to(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    return (np.broadcast_to(inputs[0], attrs["shape"]),)


def _concat(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    return (np.concatenate(inputs, axis=attrs["axis"]),)


def _slice(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    """NumPy's clamping; with a negative step an end below -n runs through element 0."""
    where = [slice(None)] * inputs[0].ndim
    for axis, start, end, step in zip(attrs["axes"], attrs["starts"], attrs["ends"], attrs["steps"], strict=True):
        where[axis] = slice(start, end, step)
    return (inputs[0][tuple(where)],)


def _pad(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    (x,) = inputs
    widths = list(zip(attrs["before"], attrs["after"], strict=True))
    if len(widths) != x.ndim:
        raise ValueError(f"pad: {len(widths)} widths for rank {x.ndim}")
    return (np.pad(x, widths, constant_values=x.dtype.type(attrs["value"])) if x.ndim else x,)


REFERENCE = {
    "reshape": _reshape,
    "transpose": _transpose,
    "squeeze": _squeeze,
    "unsqueeze": _unsqueeze,
    "broadcast_to": _broadcast_to,
    "concat": _concat,
    "slice": _slice,
    "pad": _pad,
}
