"""tf.image.resize: resize2d where it computes what TensorFlow's kernel does.

Cubic kernels with TensorFlow's table of weights, areas and kernels against aliasing are products with a matrix along
each axis, which TensorFlow itself makes of the unit matrix.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from rml_export.from_tf.call import Call, Operand, Table
from rml_export.graph import Attrs, Value
from rml_export.reference.resizing import taps
from rml_export.xla_ops import transpose

_TO_NCHW, _TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)


def linear(c: Call, x: Operand, size: Operand) -> Value:
    attrs = {"mode": "linear", "coordinates": coordinates(c), "size": target(c, size)}
    return transpose(c, c("resize2d", transpose(c, c.value(x, "f32"), _TO_NCHW), **attrs), _TO_NHWC)


def nearest(c: Call, x: Operand, size: Operand) -> Value:
    """Whole factors repeat by broadcasting; integers, and anything that resize2d would pick otherwise, is gathered."""
    value, wanted = c.value(x), target(c, size)
    old = value.shape[1:3]
    picked = [picks(c, axis, n, new) for axis, (n, new) in enumerate(zip(old, wanted, strict=True))]
    if all(
        np.array_equal(places, np.repeat(np.arange(n), len(places) // n)) for places, n in zip(picked, old, strict=True)
    ):
        return repeated(c, value, wanted)
    kind = coordinates(c)
    attrs: Attrs = {"mode": "nearest", "coordinates": kind, "size": wanted}
    attrs["rounding"] = "floor" if kind == "asymmetric" else "round_prefer_ceil"
    same = all(np.array_equal(taps(attrs, axis, n)[0][:, 0], picked[axis]) for axis, n in enumerate(old))
    if same and value.dtype == "f32":
        return transpose(c, c("resize2d", transpose(c, value, _TO_NCHW), **attrs), _TO_NHWC)
    for axis, places in enumerate(picked):
        value = c("gather", value, c.constant(places.astype(np.int32)), axis=1 + axis, mode="error")
    return value


def repeated(c: Call, x: Value, size: Sequence[int]) -> Value:
    (N, H, W, C), (OH, OW) = x.shape, size
    if (H, W) == (OH, OW):
        return x
    spread = c("broadcast_to", c.reshape(x, (N, H, 1, W, 1, C)), shape=(N, H, OH // H, W, OW // W, C))
    return c.reshape(spread, (N, OH, OW, C))


def weighted(c: Call, x: Operand, size: Operand, *more: Operand) -> Value:
    """more: a scale and a shift for each axis (ScaleAndTranslate)."""
    image, wanted = transpose(c, c.value(x, "f32"), _TO_NCHW), target(c, size)
    per_axis = [c.known(item, "a scale or a shift") for item in more]
    rows, columns = (
        run(c, np.eye(n, dtype=np.float32), axis, new, per_axis).T
        for axis, (n, new) in enumerate(zip(image.shape[2:], wanted, strict=True))
    )
    tall = c("matmul", c.constant(np.ascontiguousarray(rows)), image)
    return transpose(c, c("matmul", tall, c.constant(np.ascontiguousarray(columns.T))), _TO_NHWC)


def target(c: Call, size: Operand) -> tuple[int, int]:
    height, width = (int(n) for n in c.known(size, "a size"))
    return height, width


def coordinates(c: Call) -> str:
    if c.attr("align_corners"):
        return "align_corners"
    return "half_pixel" if c.attr("half_pixel_centers") else "asymmetric"


def picks(c: Call, axis: int, size: int, new: int) -> np.ndarray:
    return run(c, np.arange(size, dtype=np.float32)[None], axis, new, [])[0].astype(np.int64)


def run(c: Call, lines: np.ndarray, axis: int, new: int, per_axis: Sequence[np.ndarray]) -> np.ndarray:
    """What TensorFlow's own operation makes of lines that lie along one axis of images."""
    kind = c.operation.type
    names = {"ResizeArea": ("align_corners",), "ScaleAndTranslate": ("kernel_type", "antialias")}
    options: dict[str, Any] = {name: c.attr(name) for name in names.get(kind, ("align_corners", "half_pixel_centers"))}
    if per_axis:
        scale, shift = (
            np.where(np.arange(2) == axis, item, other) for item, other in zip(per_axis, (1, 0), strict=True)
        )
        options |= {"scale": scale.astype(np.float32), "translation": shift.astype(np.float32)}
    count, size = lines.shape
    shape, wanted = ((count, size, 1, 1), (new, 1)) if axis == 0 else ((count, 1, size, 1), (1, new))
    return getattr(tf.raw_ops, kind)(images=lines.reshape(shape), size=wanted, **options).numpy().reshape(count, new)


TABLE: Table = {
    "ResizeBilinear": linear,
    "ResizeNearestNeighbor": nearest,
    "ResizeBicubic": weighted,
    "ResizeArea": weighted,
    "ScaleAndTranslate": weighted,
}
