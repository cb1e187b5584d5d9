"""x[2, 12, 3] -> LSTM (hidden 2) -> last h -> dense -> y[2, 3].

Every gate's pre-activation is exactly 0 or saturated: f32's sigmoid is 1 from 20 on, its tanh 1 from 10 on. So a cell
counts its steps up or down, and after eleven of them tanh(cell) is 1 or -1. On the last step of row 0 three gates are
solved to be exactly 0: input and output of one unit, and the tanh of the other.
"""

import numpy as np

from examples.exact_check.exact_check import dummy, exact

STEPS, HIDDEN = 12, 2
ENTER_0, NEW_0, NEW_1, LEAVE_0 = 0, 4, 5, 6  # rows of PyTorch's gates i, f, g, o, two units each
SOLVED = (ENTER_0, NEW_1, LEAVE_0)


def inputs() -> np.ndarray:
    """Channel 0 drives the solved gates, on all steps but the last of row 0; channel 1 has the row's sign."""
    x = dummy(2, STEPS, 3, seed=0)
    x[:, :, 0] += 4
    x[0, -1, 0] = 1 / 8
    x[0, :, 1] += 2
    x[1, :, 1] -= 2
    return x


def weights() -> dict[str, np.ndarray]:
    enter, again = dummy(4 * HIDDEN, 3, seed=1), dummy(4 * HIDDEN, HIDDEN, seed=2)
    bias, other_bias = dummy(4 * HIDDEN, seed=3), dummy(4 * HIDDEN, seed=4)
    bias[[row for row in range(4 * HIDDEN) if row not in (NEW_0, *SOLVED)]] += 40
    enter[NEW_0, 1] = 32
    enter[list(SOLVED), 0] = 16
    last = enter @ X[0, -1] + again @ np.ones(HIDDEN, np.float32) + other_bias  # row 0 has h = 1 before its last step
    bias[list(SOLVED)] = -last[list(SOLVED)]
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    result = dict(zip((f"lstm.{name}" for name in names), (enter, again, bias, other_bias), strict=True))
    return result | {"head.weight": dummy(3, HIDDEN, seed=5), "head.bias": dummy(3, seed=6)}


def sigmoid(x: np.ndarray) -> np.ndarray:
    assert ((x >= 20) | (x == 0)).all()
    return np.where(x == 0, 0.5, 1.0)


def new_value(x: np.ndarray) -> np.ndarray:
    assert ((abs(x) >= 10) | (x == 0)).all()
    return np.sign(x)


def reference() -> np.ndarray:
    w = {name: array.astype(np.float64) for name, array in WEIGHTS.items()}
    h = cell = np.zeros((2, HIDDEN))
    zeros = 0
    for t in range(STEPS):
        gates = X[:, t] @ w["lstm.weight_ih_l0"].T + h @ w["lstm.weight_hh_l0"].T
        gates += w["lstm.bias_ih_l0"] + w["lstm.bias_hh_l0"]
        zeros += np.count_nonzero(gates == 0)
        enter, forget, new, leave = np.split(gates, 4, axis=1)
        cell = sigmoid(forget) * cell + sigmoid(enter) * new_value(new)
        h = sigmoid(leave) * np.tanh(cell.astype(np.float32))
    assert zeros == len(SOLVED)
    return exact(h @ w["head.weight"].T + w["head.bias"])


X = inputs()
WEIGHTS = weights()
