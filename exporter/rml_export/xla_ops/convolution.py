"""General convolutions as conv2d: any layout, one or two spatial axes, dilated kernels, groups."""

from collections.abc import Sequence
from dataclasses import dataclass

from rml_export.graph import Value
from rml_export.xla_ops.emit import Emit, UnsupportedError
from rml_export.xla_ops.shapes import transpose


@dataclass(frozen=True)
class Convolution:
    """Layouts as positions: x = (batch, feature, spatial...), w = (out, in, spatial...), y as x."""

    x_axes: Sequence[int]
    w_axes: Sequence[int]
    y_axes: Sequence[int]
    strides: Sequence[int]
    pads: Sequence[tuple[int, int]]
    x_dilation: Sequence[int]
    w_dilation: Sequence[int]
    groups: int = 1
    batch_groups: int = 1
    reversed_window: bool = False


def convolve(emit: Emit, x: Value, w: Value, conv: Convolution) -> Value:
    dims = len(conv.strides)
    if dims not in (1, 2):
        raise UnsupportedError(f"a {dims}-D convolution; rml-graph has 1-D and 2-D ones")
    if any(dilation != 1 for dilation in conv.x_dilation):
        raise UnsupportedError("a transposed convolution (conv_transpose2d), which rml-graph does not have yet")
    if conv.batch_groups != 1 or conv.reversed_window:
        raise UnsupportedError("a convolution with batch groups or a reversed window")
    if any(pad < 0 for pair in conv.pads for pad in pair):
        raise UnsupportedError(f"a convolution with negative padding {list(conv.pads)}")
    x = transpose(emit, x, conv.x_axes)
    w = transpose(emit, w, conv.w_axes)
    strides, dilations, pads = list(conv.strides), list(conv.w_dilation), list(conv.pads)
    if dims == 1:
        x, w = emit("unsqueeze", x, axes=(2,)), emit("unsqueeze", w, axes=(2,))
        strides, dilations, pads = [1, *strides], [1, *dilations], [(0, 0), *pads]
    (top, bottom), (left, right) = pads
    y = emit(
        "conv2d",
        x,
        w,
        strides=tuple(strides),
        pads=(top, left, bottom, right),
        dilations=tuple(dilations),
        groups=conv.groups,
    )
    if dims == 1:
        y = emit("squeeze", y, axes=(2,))
    return transpose(emit, y, [list(conv.y_axes).index(axis) for axis in range(y.rank)])
