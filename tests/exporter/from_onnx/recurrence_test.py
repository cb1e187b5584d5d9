"""RNN, GRU and LSTM against ONNX Runtime."""

import numpy as np
import pytest

from tests.exporter.comparing import numbers
from tests.exporter.from_onnx.lower import check

STEPS, BATCH, SIZE, H = 4, 3, 2, 5
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
LENGTHS = np.array([4, 2, 3], np.int32)


def given(op: str, directions: int) -> dict[str, np.ndarray]:
    gates = GATES[op]
    return {
        "w": numbers(directions, gates * H, SIZE, low=-1, high=1),
        "r": numbers(directions, gates * H, H, seed=1, low=-1, high=1),
        "b": numbers(directions, 2 * gates * H, seed=2),
        "h": numbers(directions, BATCH, H, seed=3),
        "k": numbers(directions, BATCH, H, seed=4),
        "p": numbers(directions, 3 * H, seed=5),
    }


def line(op: str, attributes: str, lengths: str = "") -> tuple[str, tuple[str, ...]]:
    more = ", k, p" if op == "LSTM" else ""
    outputs = ("y", "last", "cell") if op == "LSTM" else ("y", "last")
    inputs = f"x, w, r, b, {lengths}, h{more}" if lengths else f'x, w, r, b, "", h{more}'
    return f"{', '.join(outputs)} = {op}<hidden_size = {H}{attributes}> ({inputs})", outputs


CASES = {
    "forward": (1, ""),
    "reverse": (1, ', direction = "reverse"'),
    "both": (2, ', direction = "bidirectional"'),
    "clipped": (1, ", clip = 0.5"),
}
OWN = {  # attributes of one operator alone
    "LSTM": {
        "activations": (1, ', activations = ["HardSigmoid", "Softsign", "Relu"], activation_alpha = [0.3]'),
        "coupled": (1, ", input_forget = 1"),
    },
    "GRU": {"reset_after": (2, ', direction = "bidirectional", linear_before_reset = 1')},
    "RNN": {"affine": (1, ', activations = ["Affine"], activation_alpha = [0.2], activation_beta = [0.1]')},
}


@pytest.mark.parametrize("op", GATES)
def test_directions_and_attributes(op: str) -> None:
    for directions, attributes in (CASES | OWN[op]).values():
        text, outputs = line(op, attributes)
        check(text, {"x": numbers(STEPS, BATCH, SIZE, seed=6)}, given(op, directions), outputs)


@pytest.mark.parametrize("op", GATES)
def test_shorter_sequences(op: str) -> None:
    x, constants = numbers(STEPS, BATCH, SIZE, seed=6), given(op, 2)
    text, outputs = line(op, ', direction = "bidirectional"', "n")
    check(text, {"x": x}, {**constants, "n": LENGTHS}, outputs)
    check(text, {"x": x, "n": LENGTHS}, constants, outputs)


def test_weights_that_depend_on_the_inputs() -> None:
    text, outputs = line("GRU", "")
    check(text, {"x": numbers(STEPS, BATCH, SIZE, seed=6), **given("GRU", 1)}, outputs=outputs)
