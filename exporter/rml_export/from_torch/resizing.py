"""Interpolation in one and two dimensions as resize2d.

A scale that is given counts, but torch's CPU kernels take 1 for it where an axis keeps its size (linear and nearest),
and 2 where it doubles (nearest).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from rml_export.from_torch.call import Call, Operand, Table
from rml_export.from_torch.constants import Constant
from rml_export.from_torch.pooling import as_images, images_back
from rml_export.from_torch.trace import aten
from rml_export.graph import Attrs, Value
from rml_export.reference.resizing import taps

Scales = tuple[float | None, ...]


def interpolation(dims: int, mode: str, fixed: Sequence[int] = ()) -> Any:
    """Linear and cubic. fixed: the whole ratios of sizes for which torch overrides a scale."""

    def lower(c: Call, x: Operand, size: Any, align_corners: bool, *scales: Any) -> Value:
        images, wanted = as_images(c, x, dims), target_size(c, dims)
        attrs = {"mode": mode, "coordinates": "align_corners" if align_corners else "half_pixel"}
        if mode == "cubic":
            attrs["cubic_a"] = -0.75
        if not align_corners:
            attrs |= scale_attrs(images.shape[2:], wanted, two(scales, dims), fixed)
        return images_back(c, c.op("resize2d", images, size=wanted, **attrs))

    return lower


def nearest(dims: int, coordinates: str, rounding: str, fixed: Sequence[int] = ()) -> Any:
    """Whole factors repeat by broadcasting, which other ops see through. The places that resize2d picks are compared
    with torch's, since they hang on the last bit of a scale; where one differs, rows and columns are gathered."""

    def lower(c: Call, x: Operand, size: Any, *scales: Any) -> Value:
        images, wanted = as_images(c, x, dims), target_size(c, dims)
        old, given = images.shape[2:], two(scales, dims)
        attrs: Attrs = {"mode": "nearest", "coordinates": coordinates, "rounding": rounding, "size": wanted}
        attrs |= scale_attrs(old, wanted, given, fixed)
        picked = [torch_places(c, axis, old[2 - dims :][axis], (size, *scales)) for axis in range(dims)]
        picked = [np.arange(1)] * (2 - dims) + picked
        if all(is_repeated(places, n) for places, n in zip(picked, old, strict=True)):
            result = repeated(c, images, wanted)
        elif all(np.array_equal(taps(attrs, axis, old[axis])[0][:, 0], picked[axis]) for axis in range(2)):
            result = c.op("resize2d", images, **attrs)
        else:
            result = images
            for axis, places in enumerate(picked):
                if np.array_equal(places, np.arange(old[axis])):
                    continue
                result = c.op("gather", result, Constant(torch.from_numpy(places)), axis=2 + axis, mode="error")
        return images_back(c, result)

    return lower


def target_size(c: Call, dims: int) -> tuple[int, int]:
    size = tuple(c.meta.shape)[-dims:]
    return (1, *size) if dims == 1 else size


def two(scales: Sequence[Any], dims: int) -> Scales:
    """One per axis, of ATen's two forms: a list or None, or one argument each."""
    given = scales[0] if scales and isinstance(scales[0], list | tuple) else scales
    given = tuple(given) if any(scale is not None for scale in given) else (None,) * dims
    return (None, *given) if dims == 1 else given


def scale_attrs(old: Sequence[int], new: Sequence[int], scales: Scales, fixed: Sequence[int]) -> Attrs:
    """float32 as in the file; nothing where the sizes say it all."""
    ratios = [b / a for a, b in zip(old, new, strict=True)]
    kept = [ratio if scale is None or ratio in fixed else scale for ratio, scale in zip(ratios, scales, strict=True)]
    return {} if kept == ratios else {"scale_h": float(np.float32(kept[0])), "scale_w": float(np.float32(kept[1]))}


def torch_places(c: Call, axis: int, size: int, args: Sequence[Any]) -> np.ndarray:
    """What torch itself picks along one axis, of numbers that count it."""
    shape = list(c.node.args[0].meta["val"].shape)[2:]
    place = torch.arange(size, dtype=torch.float32).reshape([-1 if k == axis else 1 for k in range(len(shape))])
    picked = c.node.target(place.expand(shape)[None, None], *args)[0, 0]
    return picked.select(1 - axis, 0).to(torch.int64).numpy() if len(shape) == 2 else picked.to(torch.int64).numpy()


def is_repeated(places: np.ndarray, size: int) -> bool:
    return len(places) % size == 0 and np.array_equal(places, np.repeat(np.arange(size), len(places) // size))


def repeated(c: Call, images: Value, size: Sequence[int]) -> Value:
    (N, C, H, W), (OH, OW) = images.shape, size
    if (H, W) == (OH, OW):
        return images
    split = c.reshape(images, (N, C, H, 1, W, 1))
    spread = c.op("broadcast_to", split, shape=(N, C, H, OH // H, W, OW // W))
    return c.reshape(spread, (N, C, OH, OW))


def without_aliasing(kernel: Any) -> Any:
    """antialias=True: products with a matrix along each axis, which torch itself makes of the unit matrix."""

    def lower(c: Call, x: Operand, size: Any, align_corners: bool, *scales: Any) -> Value:
        image, given = c.f32(x), two(scales, 2)
        rows, columns = (
            resized_unit(kernel, axis, n, new, align_corners, given[axis])
            for axis, (n, new) in enumerate(zip(image.shape[2:], target_size(c, 2), strict=True))
        )
        return c.op("matmul", c.op("matmul", Constant(rows), image), Constant(columns))

    return lower


def resized_unit(kernel: Any, axis: int, size: int, new: int, align_corners: bool, scale: float | None) -> torch.Tensor:
    """The unit matrix resized along one axis; the other keeps its size, as torch errs where it is 1."""
    sizes, scales = [size, size], [None, None]
    sizes[axis], scales[axis] = new, scale
    return kernel(torch.eye(size)[None, None], sizes, align_corners, *scales)[0, 0]


_NEAREST = ("asymmetric", "floor", (1, 2))
_EXACT = ("half_pixel", "round_prefer_ceil")
_LOWERINGS = {
    aten.upsample_linear1d: interpolation(1, "linear", (1,)),
    aten.upsample_bilinear2d: interpolation(2, "linear", (1,)),
    aten.upsample_bicubic2d: interpolation(2, "cubic"),
    aten.upsample_nearest1d: nearest(1, *_NEAREST),
    aten.upsample_nearest2d: nearest(2, *_NEAREST),
    aten._upsample_nearest_exact1d: nearest(1, *_EXACT),
    aten._upsample_nearest_exact2d: nearest(2, *_EXACT),
    aten._upsample_bilinear2d_aa: without_aliasing(aten._upsample_bilinear2d_aa.default),
    aten._upsample_bicubic2d_aa: without_aliasing(aten._upsample_bicubic2d_aa.default),
}
TABLE: Table = {
    overload: lowering for packet, lowering in _LOWERINGS.items() for overload in (packet.default, packet.vec)
}
