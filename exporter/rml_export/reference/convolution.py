"""conv2d: NCHW input, OIHW weight, explicit pads (top, left, bottom, right), groups."""

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


REFERENCE = {"conv2d": _conv2d}
