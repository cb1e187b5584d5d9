"""conv2d and conv_transpose2d: NCHW input, explicit pads (top, left, bottom, right), groups.

conv2d takes OIHW weights, conv_transpose2d I(O/groups)HW. Padding, and what lies around the image of a transposed
convolution, is multiplied as zeros; between the elements of a strided one lies nothing.
"""

from collections.abc import Sequence

import numpy as np

from rml_export.graph import Attrs


def windows(x: np.ndarray, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]) -> np.ndarray:
    """The kernel windows of padded NCHW `x` as a view [N, C, OH, OW, KH, KW]."""
    spans = [dilation * (size - 1) + 1 for size, dilation in zip(kernel, dilations, strict=True)]
    view = np.lib.stride_tricks.sliding_window_view(x, spans, axis=(2, 3))
    return view[:, :, :: strides[0], :: strides[1], :: dilations[0], :: dilations[1]]


def _conv2d(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    x, weight = inputs[:2]
    groups = attrs["groups"]
    if x.ndim != 4 or weight.ndim != 4 or x.shape[1] != weight.shape[1] * groups or weight.shape[0] % groups:
        raise ValueError(f"conv2d: x {x.shape}, weight {weight.shape}, groups {groups} do not fit together")
    top, left, bottom, right = attrs["pads"]
    padded = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    view = windows(padded, weight.shape[2:], attrs["strides"], attrs["dilations"])
    N, _, OH, OW = view.shape[:4]
    O, I = weight.shape[:2]  # noqa: E741
    per_group = O // groups
    terms = I * weight.shape[2] * weight.shape[3]
    parts = []
    for group in range(groups):
        part = view[:, group * I : (group + 1) * I].transpose(0, 2, 3, 1, 4, 5).reshape(N * OH * OW, terms)
        filters = weight[group * per_group : (group + 1) * per_group].reshape(per_group, terms)
        parts.append((part @ filters.T).reshape(N, OH, OW, per_group))
    result = np.concatenate(parts, axis=3).transpose(0, 3, 1, 2)
    if len(inputs) > 2:
        result = result + inputs[2].reshape(1, O, 1, 1)
    return (result.astype(np.float32),)


def _conv_transpose2d(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    x, weight = inputs[:2]
    groups, pads = attrs["groups"], attrs["pads"]
    if x.ndim != 4 or weight.ndim != 4 or x.shape[1] != weight.shape[0] or groups < 1 or x.shape[1] % groups:
        raise ValueError(f"conv_transpose2d: x {x.shape}, weight {weight.shape}, groups {groups} do not fit together")
    meetings = []  # per axis and tap: the first input, the first output, how many of each
    sizes = []
    for axis in range(2):
        geometry = (attrs["strides"][axis], attrs["dilations"][axis], weight.shape[2 + axis], pads[axis])
        stride, dilation, kernel, before = geometry
        span = (x.shape[2 + axis] - 1) * stride + dilation * (kernel - 1) + 1
        sizes.append(span - before - pads[axis + 2] + attrs["output_pads"][axis])
        meetings.append([_meeting(sizes[-1], stride, tap * dilation - before) for tap in range(kernel)])
    if min(*sizes, *x.shape[2:], *weight.shape[2:]) < 1:
        raise ValueError(f"conv_transpose2d: x {x.shape}, weight {weight.shape} give an output of {sizes}")
    rows, columns = meetings
    around = [
        (max(0, -min(first for first, _, _ in taps)), max(0, max(first + count for first, _, count in taps) - size))
        for taps, size in zip(meetings, x.shape[2:], strict=True)
    ]
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), *around))
    N, _, H, W = padded.shape
    per_group = padded.reshape(N, groups, x.shape[1] // groups, H, W)
    filters = weight.reshape(groups, x.shape[1] // groups, *weight.shape[1:]).astype(np.float64)
    result = np.zeros((N, groups, weight.shape[1], *sizes))
    for kh, (top, y_top, height) in enumerate(rows):
        for kw, (left, y_left, width) in enumerate(columns):
            top_in, left_in = top + around[0][0], left + around[1][0]
            part = per_group[..., top_in : top_in + height, left_in : left_in + width]
            target = result[..., y_top :: attrs["strides"][0], y_left :: attrs["strides"][1]]
            target += np.einsum("ngchw,gco->ngohw", part, filters[..., kh, kw])
    result = result.reshape(N, groups * weight.shape[1], *sizes)
    if len(inputs) > 2:
        result = result + inputs[2].reshape(1, -1, 1, 1)
    return (result.astype(np.float32),)


def _meeting(outputs: int, stride: int, shift: int) -> tuple[int, int, int]:
    """Input i meets output i * stride + shift: the first input that meets one (maybe before the image), its output,
    and how many there are."""
    first = -(shift // stride)
    output = first * stride + shift
    return first, output, max(0, -((output - outputs) // stride))


REFERENCE = {"conv2d": _conv2d, "conv_transpose2d": _conv_transpose2d}
