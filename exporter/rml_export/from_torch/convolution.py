"""Convolutions, transposed ones among them, and nearest-neighbour upsampling."""

from collections.abc import Sequence

from rml_export.from_torch.call import Call, Operand, Table, shape_of
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


TABLE: Table = {aten.convolution.default: convolution}
