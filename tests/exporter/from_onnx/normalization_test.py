"""Normalisations against ONNX Runtime, and what they become."""

import numpy as np
import pytest
from rml_export.graph import count_by_op

from tests.exporter.comparing import numbers
from tests.exporter.from_onnx.lower import check

X = numbers(2, 6, 3, 4)
BATCH = {
    name: numbers(6, seed=seed, low=low)
    for seed, (name, low) in enumerate({"s": 0.5, "b": -1, "m": -1, "v": 0.1}.items())
}
CASES = {
    "batch": ("BatchNormalization<epsilon = 0.01> (x, s, b, m, v)", BATCH, {"mul": 1, "add": 1}),
    "instance": (
        "InstanceNormalization<epsilon = 0.01> (x, s, b)",
        {"s": numbers(6), "b": numbers(6, seed=1)},
        {"reshape": 2, "layer_norm": 1, "mul": 1, "add": 1},
    ),
    "group": (
        "GroupNormalization<num_groups = 3, epsilon = 0.01> (x, s, b)",
        {"s": numbers(6), "b": numbers(6, seed=1)},
        {"reshape": 2, "layer_norm": 1, "mul": 1, "add": 1},
    ),
    "layer": (
        "LayerNormalization<axis = -2> (x, s, b)",
        {"s": numbers(3, 4), "b": numbers(3, 4, seed=1)},
        {"layer_norm": 1},
    ),
    "layer_of_one_row": (
        "LayerNormalization<axis = 2> (x, s, b)",
        {"s": numbers(4), "b": numbers(4, seed=1)},
        {"layer_norm": 1, "mul": 1, "add": 1},
    ),
    "local_response": (
        "LRN<size = 3, alpha = 0.5, beta = 0.6, bias = 2.0> (x)",
        {},
        {"mul": 3, "reshape": 2, "avg_pool2d": 1, "add": 1, "pow": 1},
    ),
    "norm": (
        "LpNormalization<axis = 1, p = 1> (x)",
        {},
        {"abs": 1, "reduce_sum": 1, "eq": 1, "div": 1, "where": 1},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_normalisations(case: str) -> None:
    op, constants, ops = CASES[case]
    assert count_by_op(check(f"y = {op}", {"x": X}, constants).graph) == ops


def test_statistics_of_a_layer() -> None:
    given = {"x": X, "s": numbers(4)}
    check("y, mean, inverse = LayerNormalization (x, s)", given, outputs=("y", "mean", "inverse"))


def test_batch_statistics_that_depend_on_the_inputs() -> None:
    check("y = BatchNormalization (x, s, b, m, v)", {"x": X, **BATCH})


@pytest.mark.parametrize("upper", [0, 1])
def test_triangles_of_integers(upper: int) -> None:
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    check(f"y = Trilu<upper = {upper}> (x, k)", {"x": x}, {"k": np.int64(-1)})
