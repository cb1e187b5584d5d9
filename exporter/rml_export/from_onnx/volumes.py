"""Windows over three axes by those over two: the depth's taps become channels, its places become images."""

from collections.abc import Sequence

from rml_export.array_ops import padded, spread
from rml_export.from_onnx.call import Call
from rml_export.from_onnx.windows import Window, flat_window
from rml_export.graph import Value
from rml_export.xla_ops import transpose


def split_depth(
    kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int], pads: Sequence[int]
) -> tuple[tuple[int, int, int, tuple[int, int]], Window]:
    """The depth's taps, stride, dilation and pads, and the window over height and width."""
    flat = flat_window(kernel[1:], strides[1:], dilations[1:], [*pads[1:3], *pads[4:6]])
    return (kernel[0], strides[0], dilations[0], (pads[0], pads[3])), flat


def depth_as_channels(c: Call, x: Value, taps: int, stride: int, dilation: int, pads: tuple[int, int]) -> Value:
    """[N, C, D, H, W] as [N * places, C * taps, H, W]."""
    before, after = (0, 0, pads[0], 0, 0), (0, 0, pads[1], 0, 0)
    value = padded(c, x, before, after, 0.0) if any(pads) else x
    places = (value.shape[2] - dilation * (taps - 1) - 1) // stride + 1
    parts = []
    for tap in range(taps):
        start = tap * dilation
        end = start + (places - 1) * stride + 1
        part = c("slice", value, axes=(2,), starts=(start,), ends=(end,), steps=(stride,))
        parts.append(c("unsqueeze", part, axes=(2,)))
    apart = transpose(c, c("concat", *parts, axis=2), (0, 3, 1, 2, 4, 5))
    return c.reshape(apart, (x.shape[0] * places, x.shape[1] * taps, *x.shape[3:]))


def depth_back(c: Call, y: Value, images: int) -> Value:
    """[N * places, C, H, W] as [N, C, places, H, W]."""
    apart = c.reshape(y, (images, y.shape[0] // images, *y.shape[1:]))
    return transpose(c, apart, (0, 2, 1, 3, 4))


def convolution(c: Call, x: Value, w: Value, bias: Sequence[Value], geometry: Sequence[Sequence[int]]) -> Value:
    """geometry: strides, dilations, pads of the three axes."""
    depth, flat = split_depth(w.shape[2:], *geometry)
    taken = depth_as_channels(c, x, *depth)
    weight = c.reshape(w, (w.shape[0], w.shape[1] * w.shape[2], *w.shape[3:]))
    attrs = {"strides": flat.strides, "pads": flat.pads, "dilations": flat.dilations, "groups": c.attr("group", 1)}
    return depth_back(c, c("conv2d", taken, weight, *bias, **attrs), x.shape[0])


def transposed(
    c: Call, x: Value, w: Value, bias: Sequence[Value], geometry: Sequence[Sequence[int]], output_pads: Sequence[int]
) -> Value:
    """Zeros between the places of the depth, and its taps in reverse."""
    (taps, stride, dilation, pads), flat = split_depth(w.shape[2:], *geometry)
    reach = dilation * (taps - 1)
    around = (reach - pads[0], reach - pads[1] + output_pads[0])
    if min(around) < 0:
        raise c.refuse(f"pads {list(pads)} of the depth beyond the kernel's reach of {reach}")
    taken = depth_as_channels(c, spread(c, x, (0, 0, stride - 1, 0, 0), 0.0), taps, 1, dilation, around)
    last = -taps - 1
    back = c("slice", w, axes=(2,), starts=(taps - 1,), ends=(last,), steps=(-1,))
    moved = transpose(c, back, (0, 2, 1, 3, 4))
    weight = c.reshape(moved, (w.shape[0] * taps, w.shape[1], *w.shape[3:]))
    attrs = {"strides": flat.strides, "pads": flat.pads, "dilations": flat.dilations, "groups": c.attr("group", 1)}
    y = c("conv_transpose2d", taken, weight, *bias, **attrs, output_pads=tuple(output_pads[1:]))
    return depth_back(c, y, x.shape[0])
