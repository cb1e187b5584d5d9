"""What each place of a resized axis is made of: weights over the places of the axis as it was."""

from dataclasses import dataclass
from math import ceil, floor

import numpy as np


@dataclass(frozen=True)
class Axis:
    """size, new_size: places before and after. scale: new by old, as the model says it, perhaps not their quotient.
    roi: the part of the axis that tf_crop_and_resize takes, from 0 to 1."""

    size: int
    new_size: int
    scale: float
    roi: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True)
class Sampling:
    """A resize's attributes, by ONNX's names."""

    mode: str
    coordinates: str
    nearest_mode: str
    cubic_a: float
    exclude_outside: bool
    antialias: bool


def coordinates(axis: Axis, kind: str) -> np.ndarray:
    """Where each new place lies on the axis as it was, in float32 as runtimes have it: what is a tie there is one here.
    KeyError for an unknown kind."""
    x, n, scale = np.arange(axis.new_size, dtype=np.float32), np.float32(axis.size), np.float32(axis.scale)
    length = scale * n  # the new size before it was made whole
    first, last = map(np.float32, axis.roi)
    half = (x + np.float32(0.5)) / scale - np.float32(0.5)
    formulas = {
        "half_pixel": lambda: half,
        "half_pixel_symmetric": lambda: half + n / 2 * (1 - axis.new_size / length),
        "pytorch_half_pixel": lambda: half if length != 1 else np.zeros_like(x),
        "align_corners": lambda: x * (n - 1) / (length - 1) if length != 1 else np.zeros_like(x),
        "asymmetric": lambda: x / scale,
        "tf_half_pixel_for_nn": lambda: (x + np.float32(0.5)) / scale,
        "tf_crop_and_resize": lambda: (
            first * (n - 1) + x * (last - first) * (n - 1) / (axis.new_size - 1)
            if axis.new_size > 1
            else np.full_like(x, (first + last) * (n - 1) / 2)
        ),
    }
    return formulas[kind]()


def nearest(axis: Axis, sampling: Sampling) -> np.ndarray:
    """The place that each new one copies."""
    at = coordinates(axis, sampling.coordinates)
    rounded = {
        "round_prefer_floor": np.ceil(at - 0.5),
        "round_prefer_ceil": np.floor(at + 0.5),
        "floor": np.floor(at),
        "ceil": np.ceil(at),
    }[sampling.nearest_mode]
    return np.clip(rounded, 0, axis.size - 1).astype(np.int64)


def weights(axis: Axis, sampling: Sampling) -> np.ndarray:
    """[new_size, size] of a linear or cubic resize: a kernel around each place, whose part outside counts for the edge
    or for nothing. A kernel against aliasing is as much wider as the axis becomes shorter."""
    stretch = min(axis.scale, 1.0) if sampling.antialias else 1.0
    reach = 1 if sampling.mode == "linear" else 2
    matrix = np.zeros((axis.new_size, axis.size))
    for row, at in enumerate(coordinates(axis, sampling.coordinates)):
        places = np.arange(floor(at - reach / stretch), ceil(at + reach / stretch) + 1)
        numbers = kernel((places - at) * stretch, sampling)
        if sampling.exclude_outside:
            numbers = np.where((places >= 0) & (places < axis.size), numbers, 0)
        np.add.at(matrix[row], np.clip(places, 0, axis.size - 1), numbers / numbers.sum())
    return matrix


def kernel(distance: np.ndarray, sampling: Sampling) -> np.ndarray:
    x, a = np.abs(distance), sampling.cubic_a
    if sampling.mode == "linear":
        return np.clip(1 - x, 0, None)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0))


def is_outside(axis: Axis, kind: str) -> np.ndarray:
    """New places that lie beyond the ends, which tf_crop_and_resize fills with a number."""
    at = coordinates(axis, kind)
    return (at < 0) | (at > axis.size - 1)
