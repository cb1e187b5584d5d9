"""What convolutions and pools share: one or two spatial axes, strides, dilations, paddings, automatic ones too."""

from collections.abc import Sequence
from dataclasses import dataclass

from rml_export.from_onnx.call import Call
from rml_export.graph import Value


@dataclass(frozen=True)
class Window:
    """Height and width; a window over one axis has a height of 1. pads: top, left, bottom, right."""

    kernel: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    pads: tuple[int, int, int, int]


def spatial(c: Call, size: Sequence[int], kernel: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """Strides and dilations by axis, and the pads: all those before, then all those behind."""
    dims = len(size)
    strides, dilations = list(c.attr("strides", [1] * dims)), list(c.attr("dilations", [1] * dims))
    pads = list(c.attr("pads", [0] * 2 * dims))
    auto = c.attr("auto_pad", "NOTSET")
    if auto == "VALID":
        pads = [0] * 2 * dims
    elif auto != "NOTSET":
        pads = same_pads(size, kernel, strides, dilations, auto == "SAME_UPPER")
    if any(number < 0 for number in pads):
        raise c.refuse(f"with negative padding {pads}")
    return strides, dilations, pads


def flat_window(kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int], pads: Sequence[int]) -> Window:
    """Of one or two axes."""
    if len(kernel) == 1:
        return Window((1, kernel[0]), (1, strides[0]), (1, dilations[0]), (0, pads[0], 0, pads[1]))
    top, left, bottom, right = pads
    return Window(
        (kernel[0], kernel[1]), (strides[0], strides[1]), (dilations[0], dilations[1]), (top, left, bottom, right)
    )


def same_pads(
    size: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int], upper: bool
) -> list[int]:
    """As many windows as strides fit in; the odd cell at the end (upper) or at the beginning."""
    before, after = [], []
    for length, width, stride, dilation in zip(size, kernel, strides, dilations, strict=True):
        total = max((-(-length // stride) - 1) * stride + (width - 1) * dilation + 1 - length, 0)
        small = total // 2
        before.append(small if upper else total - small)
        after.append(total - small if upper else small)
    return [*before, *after]


def image(c: Call, x: Value) -> Value:
    """NCW as NCHW of height 1; NCHW stays."""
    return c.reshape(x, (*x.shape[:2], 1, x.shape[2])) if x.rank == 3 else x


def image_back(c: Call, y: Value, rank: int) -> Value:
    return c.reshape(y, (*y.shape[:2], y.shape[3])) if rank == 3 else y
