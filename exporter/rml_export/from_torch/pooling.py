"""Pools, 1-D ones as 2-D ones of height 1, and adaptive ones."""

from collections.abc import Sequence
from typing import Any

from rml_export.from_torch.call import Call, Operand, Table, pair, shape_of
from rml_export.from_torch.shape_ops import slice_axis
from rml_export.from_torch.trace import aten
from rml_export.graph import Value


def as_images(c: Call, x: Operand, dims: int) -> Value:
    """The input as NCHW: torch also takes an unbatched one, and 1-D pools."""
    shape = shape_of(x)
    if dims == 1:
        shape = (*shape[:-1], 1, shape[-1])
    return c.reshape(c.f32(x), shape if len(shape) == 4 else (1, *shape))


def images_back(c: Call, result: Value) -> Value:
    """The result in the shape that torch recorded (the first result's, of several)."""
    meta = c.meta[0] if isinstance(c.meta, list | tuple) else c.meta
    return c.reshape(result, tuple(meta.shape))


def window(dims: int, kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int]) -> dict[str, Any]:
    """The attributes that all pools share; torch's empty stride means the kernel."""
    stride = stride or kernel
    if dims == 1:
        kernel, stride, padding = (
            (1, pair(kernel)[0]),
            (1, pair(stride)[0]),
            (0, pair(padding)[0]),
        )
    return {"kernel": pair(kernel), "strides": pair(stride), "pads": (*pair(padding), *pair(padding))}


def max_pool(dims: int) -> Any:
    def lower(
        c: Call,
        x: Operand,
        kernel: Sequence[int],
        stride: Sequence[int] = (),
        padding: Sequence[int] = (0,),
        dilation: Sequence[int] = (1,),
        ceil_mode: bool = False,
    ) -> Any:
        attrs = window(dims, kernel, stride, padding)
        dilations = pair(dilation) if dims == 2 else (1, pair(dilation)[0])
        pooled = c.op("max_pool2d", as_images(c, x, dims), **attrs, dilations=dilations, ceil_mode=bool(ceil_mode))
        result = images_back(c, pooled)
        return (result, None) if isinstance(c.meta, list | tuple) else result

    return lower


def avg_pool(dims: int) -> Any:
    def lower(
        c: Call,
        x: Operand,
        kernel: Sequence[int],
        stride: Sequence[int] = (),
        padding: Sequence[int] = (0,),
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Value:
        if divisor_override is not None:
            raise c.refuse("avg_pool2d with divisor_override")
        attrs = window(dims, kernel, stride, padding)
        attrs |= {"ceil_mode": bool(ceil_mode), "count_include_pad": bool(count_include_pad)}
        return images_back(c, c.op("avg_pool2d", as_images(c, x, dims), **attrs))

    return lower


def adaptive(kind: str, dims: int) -> Any:
    """Equal windows are a plain pool; others one slice and reduction per cell, as torch cuts them."""

    def lower(c: Call, x: Operand, size: Sequence[int]) -> Any:
        images = as_images(c, x, dims)
        meta = c.meta[0] if isinstance(c.meta, list | tuple) else c.meta
        target = tuple(meta.shape)[-2:] if dims == 2 else (1, tuple(meta.shape)[-1])
        pooled = _adaptive_pool(c, images, target, kind)
        result = images_back(c, pooled)
        return (result, None) if isinstance(c.meta, list | tuple) else result

    return lower


def _adaptive_pool(c: Call, images: Value, target: tuple[int, int], kind: str) -> Value:
    H, W = images.shape[2:]
    OH, OW = target
    if H % OH == 0 and W % OW == 0:
        kernel = (H // OH, W // OW)
        return c.op(f"{kind}_pool2d", images, kernel=kernel, strides=kernel)
    reduce = "reduce_mean" if kind == "avg" else "reduce_max"
    rows = []
    for i in range(OH):
        top, bottom = i * H // OH, -(-(i + 1) * H // OH)
        band = slice_axis(c, images, 2, top, bottom)
        cells = []
        for j in range(OW):
            left, right = j * W // OW, -(-(j + 1) * W // OW)
            cells.append(c.op(reduce, slice_axis(c, band, 3, left, right), axes=(2, 3), keep_dims=True))
        rows.append(c.op("concat", *cells, axis=3))
    return c.op("concat", *rows, axis=2)


TABLE: Table = {
    aten.max_pool2d_with_indices.default: max_pool(2),
    aten.max_pool2d.default: max_pool(2),
    aten.max_pool1d.default: max_pool(1),
    aten.avg_pool2d.default: avg_pool(2),
    aten.avg_pool1d.default: avg_pool(1),
    aten._adaptive_avg_pool2d.default: adaptive("avg", 2),
    aten.adaptive_avg_pool2d.default: adaptive("avg", 2),
    aten.adaptive_avg_pool1d.default: adaptive("avg", 1),
    aten.adaptive_max_pool2d.default: adaptive("max", 2),
    aten.adaptive_max_pool1d.default: adaptive("max", 1),
}
