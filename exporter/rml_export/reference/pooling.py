"""Pools over NCHW.

With ceil_mode the last window of an axis is dropped if it would start in the bottom or right padding. max: padding
is -inf and NaN wins. avg: the divisor is the window clipped to input plus padding (count_include_pad) or to the input.
"""

import math
from collections.abc import Sequence

import numpy as np

from rml_export.graph import Attrs
from rml_export.reference.convolution import windows


def output_size(size: int, kernel: int, stride: int, pads: tuple[int, int], dilation: int, ceil_mode: bool) -> int:
    """Number of windows along one axis."""
    span = dilation * (kernel - 1) + 1
    free = size + pads[0] + pads[1] - span
    if free < 0:
        raise ValueError(f"a window of {span} does not fit into {size} with pads {pads}")
    if not ceil_mode:
        return free // stride + 1
    count = math.ceil(free / stride) + 1
    if (count - 1) * stride >= size + pads[0]:
        count -= 1
    return count


def _pool_windows(x: np.ndarray, attrs: Attrs, fill: float) -> np.ndarray:
    """Windows [N, C, OH, OW, KH, KW]; what lies outside the input holds `fill`."""
    kernel, strides, pads = attrs["kernel"], attrs["strides"], attrs["pads"]
    dilations = attrs.get("dilations", (1, 1))
    widths = [(0, 0), (0, 0)]
    counts = []
    for axis in range(2):
        before, after = pads[axis], pads[axis + 2]
        size = x.shape[2 + axis]
        count = output_size(size, kernel[axis], strides[axis], (before, after), dilations[axis], attrs["ceil_mode"])
        reach = (count - 1) * strides[axis] + dilations[axis] * (kernel[axis] - 1) + 1
        widths.append((before, max(after, reach - size - before)))
        counts.append(count)
    padded = np.pad(x, widths, constant_values=fill)
    return windows(padded, kernel, strides, dilations)[:, :, : counts[0], : counts[1]]


def _max_pool2d(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    return (_pool_windows(inputs[0], attrs, -np.inf).max(axis=(4, 5)),)


def _avg_pool2d(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    (x,) = inputs
    sums = _pool_windows(x.astype(np.float64), attrs, 0.0).sum(axis=(4, 5))
    ones = np.ones((1, 1, *x.shape[2:]))
    count_attrs = dict(attrs)
    if attrs["count_include_pad"]:
        top, left, bottom, right = attrs["pads"]
        ones = np.ones((1, 1, x.shape[2] + top + bottom, x.shape[3] + left + right))
        count_attrs["pads"] = (0, 0, 0, 0)
    counts = _pool_windows(ones, count_attrs, 0.0).sum(axis=(4, 5))[:, :, : sums.shape[2], : sums.shape[3]]
    return ((sums / counts).astype(np.float32),)


REFERENCE = {"max_pool2d": _max_pool2d, "avg_pool2d": _avg_pool2d}
