"""Convolutions, transposed ones among them, and nearest-neighbour upsampling."""

from collections.abc import Sequence

import torch

from rml_export.from_torch.call import Call, Operand, Table, shape_of
from rml_export.from_torch.constants import Constant
from rml_export.from_torch.trace import aten
from rml_export.graph import Value


def convolution(
    c: Call,
    x: Operand,
    weight: Operand,
    bias: Operand | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    is_transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Value:
    """1-D convolutions run as 2-D ones of height 1. torch's transposed weights are those of conv_transpose2d."""
    dims = len(shape_of(weight)) - 2
    if dims not in (1, 2):
        raise c.refuse(f"{dims}-D convolutions")
    inputs = [c.f32(x), c.f32(weight)]
    strides, pads, dilations, more = (
        list(item) * (dims if len(item) == 1 else 1) for item in (stride, padding, dilation, output_padding)
    )
    if dims == 1:
        inputs = [c.op("unsqueeze", item, axes=(2,)) for item in inputs]
        strides, pads, dilations, more = [1, *strides], [0, *pads], [1, *dilations], [0, *more]
    if bias is not None:
        inputs.append(c.f32(bias))
    result = c.op(
        "conv_transpose2d" if is_transposed else "conv2d",
        *inputs,
        strides=tuple(strides),
        pads=(*pads, *pads),
        dilations=tuple(dilations),
        groups=groups,
        **({"output_pads": tuple(more)} if is_transposed else {}),
    )
    return c.op("squeeze", result, axes=(2,)) if dims == 1 else result


def upsample_nearest(c: Call, x: Operand, *args: object) -> Value:
    """Whole factors repeat by broadcasting; others gather the rows and columns that torch picks."""
    shape, (OH, OW) = shape_of(x), tuple(c.meta.shape[2:])
    N, C, H, W = shape
    if OH % H == 0 and OW % W == 0 and _is_plain(args, OH / H, OW / W):
        split = c.reshape(c.f32(x), (N, C, H, 1, W, 1))
        spread = c.op("broadcast_to", split, shape=(N, C, H, OH // H, W, OW // W))
        return c.reshape(spread, (N, C, OH, OW))
    result = c.f32(x)
    grids = torch.meshgrid(torch.arange(H, dtype=torch.float64), torch.arange(W, dtype=torch.float64), indexing="ij")
    for axis, grid in enumerate(grids):
        picked = c.node.target(grid[None, None], *args)[0, 0]
        indices = (picked[:, 0] if axis == 0 else picked[0]).to(torch.int64)
        result = c.op("gather", result, Constant(indices), axis=2 + axis, mode="error")
    return result


def _is_plain(args: Sequence[object], factor_h: float, factor_w: float) -> bool:
    """Whether the scales given, if any, are the ratio of the sizes."""
    scales: list[object] = []
    for item in args[1:]:
        scales.extend(item if isinstance(item, list | tuple) else [item])
    return all(scale in (None, factor) for scale, factor in zip(scales, (factor_h, factor_w), strict=False))


TABLE: Table = {
    aten.convolution.default: convolution,
    aten.upsample_nearest2d.vec: upsample_nearest,
    aten.upsample_nearest2d.default: upsample_nearest,
}
