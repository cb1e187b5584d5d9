"""x[2, 1, 6, 6] -> convolution 3x3 -> ReLU -> max pool 2 -> dense -> y[2, 3], on multiples of 1/8."""

import numpy as np

from examples.exact_check.exact_check import dummy, exact

X = dummy(2, 1, 6, 6, seed=0)
WEIGHTS = {
    "conv.weight": dummy(2, 1, 3, 3, seed=1),
    "conv.bias": dummy(2, seed=2),
    "fc.weight": dummy(3, 8, seed=3),
    "fc.bias": dummy(3, seed=4),
}


def reference() -> np.ndarray:
    w = {name: array.astype(np.float64) for name, array in WEIGHTS.items()}
    windows = np.lib.stride_tricks.sliding_window_view(X, (3, 3), axis=(2, 3))
    maps = np.einsum("bcyxij,ocij->boyx", windows, w["conv.weight"]) + w["conv.bias"][:, None, None]
    pooled = np.maximum(maps, 0).reshape(2, 2, 2, 2, 2, 2).max(axis=(3, 5))
    return exact(pooled.reshape(2, -1) @ w["fc.weight"].T + w["fc.bias"])
