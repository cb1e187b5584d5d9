"""The slice that a constant repeats."""

from collections.abc import Sequence

import numpy as np


def repeated_along(data: np.ndarray, axes: Sequence[int]) -> np.ndarray | None:
    """The data with these axes cut to 1 if all slices along them have equal bits; None if they have not."""
    bits = data.view(np.int32)
    for axis in axes:
        if bits.shape[axis] == 0:
            return None
        first = np.take(bits, [0], axis=axis)
        if not (bits == first).all():
            return None
        bits = first
    return np.ascontiguousarray(bits).view(data.dtype)
