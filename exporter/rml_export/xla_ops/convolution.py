"""General convolutions as conv2d or conv_transpose2d: any layout, one or two spatial axes, dilations, groups."""

from collections.abc import Sequence
from dataclasses import dataclass

from rml_export.graph import Value
from rml_export.xla_ops.emit import Emit, UnsupportedError
from rml_export.xla_ops.shapes import reshape, slice_axes, transpose


@dataclass(frozen=True)
class Convolution:
    """Layouts as positions: x = (batch, feature, spatial...), w = (out, in, spatial...), y as x.

    x_dilation   more than 1 makes it a transposed convolution, whose stride that is.
    """

    x_axes: Sequence[int]
    w_axes: Sequence[int]
    y_axes: Sequence[int]
    strides: Sequence[int]
    pads: Sequence[tuple[int, int]]
    x_dilation: Sequence[int]
    w_dilation: Sequence[int]
    groups: int = 1
    batch_groups: int = 1
    reversed_window: Sequence[bool] = ()


def convolve(emit: Emit, x: Value, w: Value, conv: Convolution) -> Value:
    dims = len(conv.strides)
    if dims not in (1, 2):
        raise UnsupportedError(f"a {dims}-D convolution; rml-graph has 1-D and 2-D ones")
    if conv.batch_groups != 1:
        raise UnsupportedError("a convolution with batch groups")
    x = transpose(emit, x, conv.x_axes)
    w = transpose(emit, w, conv.w_axes)
    w = reversed_along(emit, w, [2 + axis for axis, flag in enumerate(conv.reversed_window) if flag])
    is_transposed = any(dilation != 1 for dilation in conv.x_dilation)
    strides = list(conv.x_dilation if is_transposed else conv.strides)
    dilations, pads = list(conv.w_dilation), list(conv.pads)
    if not is_transposed and any(pad < 0 for pair in pads for pad in pair):
        raise UnsupportedError(f"a convolution with negative padding {pads}")
    if dims == 1:
        x, w = emit("unsqueeze", x, axes=(2,)), emit("unsqueeze", w, axes=(2,))
        strides, dilations, pads = [1, *strides], [1, *dilations], [(0, 0), *pads]
    attrs = {"strides": tuple(strides), "dilations": tuple(dilations), "groups": conv.groups}
    if is_transposed:
        y = transposed(emit, x, w, pads, attrs)
        y = slice_axes(emit, y, [0] * y.rank, y.shape, [1] * (y.rank - dims) + list(conv.strides))
    else:
        y = emit("conv2d", x, w, pads=tuple(pad[end] for end in (0, 1) for pad in pads), **attrs)
    if dims == 1:
        y = emit("squeeze", y, axes=(2,))
    return transpose(emit, y, [list(conv.y_axes).index(axis) for axis in range(y.rank)])


def reversed_along(emit: Emit, x: Value, axes: Sequence[int]) -> Value:
    """x backwards along the axes that have more than one element."""
    long = tuple(axis for axis in axes if x.shape[axis] > 1)
    if not long:
        return x
    starts, ends = tuple(x.shape[axis] - 1 for axis in long), tuple(-x.shape[axis] - 1 for axis in long)
    return emit("slice", x, axes=long, starts=starts, ends=ends, steps=(-1,) * len(long))


def transposed(emit: Emit, x: Value, w: Value, pads: Sequence[tuple[int, int]], attrs: dict) -> Value:
    """A convolution over x with its elements set apart: conv_transpose2d with the kernel backwards, in and out swapped.

    That one's result without padding is the whole, where every element meets every tap; XLA's padding says how much of
    it is there: dilation * (kernel - 1) for all, less cuts off, more adds zeros.
    """
    O, I = w.shape[:2]  # noqa: E741
    groups, kernel = attrs["groups"], w.shape[2:]
    w = reversed_along(emit, w, (2, 3))
    w = transpose(emit, reshape(emit, w, (groups, O // groups, I, *kernel)), (0, 2, 1, 3, 4))
    w = reshape(emit, w, (groups * I, O // groups, *kernel))
    cuts = [
        tuple(dilation * (size - 1) - pad for pad in pair)
        for size, dilation, pair in zip(kernel, attrs["dilations"], pads, strict=True)
    ]
    kept = tuple(max(cut[end], 0) for end in (0, 1) for cut in cuts)
    more = tuple(max(-cut[1], 0) for cut in cuts)
    y = emit("conv_transpose2d", x, w, pads=kept, output_pads=more, **attrs)
    before = tuple(max(-cut[0], 0) for cut in cuts)
    return emit("pad", y, before=(0, 0, *before), after=(0, 0, 0, 0)) if any(before) else y
