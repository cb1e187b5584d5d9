"""resize2d: NCHW images in another size, nearest, linear or cubic, each axis apart.

Positions in the input are computed in float32 in the frameworks' order of operations: a nearest neighbour hangs on the
last bit. What an axis reads is a table of indices and weights, [output, taps].
"""

from collections.abc import Sequence

import numpy as np

from rml_export.graph import Attrs

F = np.float32
COORDINATES = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric")
_ROUNDING = {
    "floor": np.floor,
    "ceil": np.ceil,
    "round_prefer_floor": lambda position: np.ceil(position - F(0.5)),
    "round_prefer_ceil": lambda position: np.floor(position + F(0.5)),
}
_OWN = {"rounding": "nearest", "cubic_a": "cubic"}  # attributes that belong to one mode


def _positions(attrs: Attrs, axis: int, size: int) -> np.ndarray:
    """Where each output lies in the input, float32."""
    kind, out = attrs["coordinates"], attrs["size"][axis]
    outputs = np.arange(out).astype(F)
    scale = attrs.get(("scale_h", "scale_w")[axis])
    if kind == "align_corners":
        length = F(out) if scale is None else F(size) * F(scale)
        return outputs * (F(size - 1) / (length - F(1)) if length != 1 else F(0))
    step = F(1.0 / scale) if scale is not None else F(size) / F(out)
    if kind == "asymmetric":
        return outputs * step
    if kind == "pytorch_half_pixel" and out == 1:
        return np.zeros(1, F)
    shift = F(size) * F(0.5) * (F(1) - F(out) * step / F(size)) if kind == "half_pixel_symmetric" else F(0)
    return (outputs + F(0.5)) * step - F(0.5) + shift


def _cubic_weights(fraction: np.ndarray, a: float) -> np.ndarray:
    def near(t: np.ndarray) -> np.ndarray:
        return ((a + 2) * t - (a + 3)) * t * t + 1

    def far(t: np.ndarray) -> np.ndarray:
        return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a

    return np.stack([far(fraction + 1), near(fraction), near(1 - fraction), far(2 - fraction)], axis=1)


def taps(attrs: Attrs, axis: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """What each output of an axis of `size` elements reads: indices and weights, [output, taps]."""
    position = _positions(attrs, axis, size)
    if attrs["mode"] == "nearest":
        index = np.clip(_ROUNDING[attrs["rounding"]](position), 0, size - 1).astype(np.int64)[:, None]
        return index, np.ones(index.shape, F)
    if attrs["mode"] == "linear":
        inside = np.clip(position, F(0), F(size - 1))
        first = inside.astype(np.int64)
        fraction = inside - first.astype(F)
        return np.stack([first, np.minimum(first + 1, size - 1)], axis=1), np.stack([F(1) - fraction, fraction], axis=1)
    base = np.floor(np.clip(position, F(-2), F(size + 1)))
    weights = _cubic_weights((np.clip(position, F(-2), F(size + 1)) - base).astype(np.float64), attrs["cubic_a"])
    index = base.astype(np.int64)[:, None] + np.arange(-1, 3)
    if attrs["exclude_outside"]:
        inside = np.where((index >= 0) & (index < size), weights, 0.0)
        sums = inside.sum(axis=1, keepdims=True)
        weights = np.where(sums != 0, inside / np.where(sums != 0, sums, 1), weights)
    return np.clip(index, 0, size - 1), weights.astype(F)


def _check(x: np.ndarray, attrs: Attrs) -> None:
    mode, coordinates, size = attrs["mode"], attrs["coordinates"], attrs["size"]
    if x.ndim != 4 or min(x.shape[2:]) < 1 or len(size) != 2 or min(size) < 1:
        raise ValueError(f"resize2d: x {x.shape} to size {size}, expected NCHW and two sizes of at least 1")
    if mode not in ("nearest", "linear", "cubic") or coordinates not in COORDINATES:
        raise ValueError(f"resize2d: unknown mode '{mode}' or coordinates '{coordinates}'")
    for name, owner in _OWN.items():
        if (name in attrs) != (mode == owner):
            raise ValueError(f"resize2d: attribute '{name}' belongs to mode '{owner}' and to no other, not '{mode}'")
    if attrs.get("rounding", "floor") not in _ROUNDING:
        raise ValueError(f"resize2d: unknown rounding '{attrs['rounding']}'")
    if attrs["exclude_outside"] and mode != "cubic":
        raise ValueError(f"resize2d: exclude_outside with mode '{mode}', expected it with cubic only")
    if ("scale_h" in attrs) != ("scale_w" in attrs):
        raise ValueError("resize2d: expected both scales or none")


def _resize2d(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    (x,) = inputs
    _check(x, attrs)
    (rows, row_weights), (columns, column_weights) = (taps(attrs, axis, x.shape[2 + axis]) for axis in range(2))
    if attrs["mode"] == "nearest":
        return (x[:, :, rows, columns[:, 0]].reshape(*x.shape[:2], *attrs["size"]),)
    result = np.zeros((*x.shape[:2], *attrs["size"]))
    for i in range(rows.shape[1]):
        for j in range(columns.shape[1]):
            weight = row_weights[:, i, None].astype(np.float64) * column_weights[:, j]
            result += weight * x[:, :, rows[:, i, None], columns[:, j]]
    return (result.astype(np.float32),)


REFERENCE = {"resize2d": _resize2d}
