"""Attention: what it becomes, and masks with a batch and lengths that depend on the inputs."""

import numpy as np
import pytest
from rml_export.graph import count_by_op

from tests.exporter.comparing import numbers
from tests.exporter.from_onnx.lower import check

Q, K, V = (numbers(2, 4, 3, 8, seed=seed) for seed in range(3))
CASES = {
    "plain": ("Attention (q, k, v)", {"sdpa": 1}),
    "causal": ("Attention<is_causal = 1, scale = 0.3> (q, k, v)", {"sdpa": 1}),
    "capped": (
        "Attention<softcap = 2.0> (q, k, v)",
        {"mul": 2, "div": 1, "transpose": 1, "matmul": 2, "tanh": 1, "softmax": 1},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_it_becomes(case: str) -> None:
    text, ops = CASES[case]
    graph = check(f"y = {text}", {"q": Q, "k": K, "v": V}, opset=23, runtime="reference").graph
    assert count_by_op(graph) == ops


def test_heads_side_by_side_with_fewer_keys() -> None:
    q, k, v = numbers(2, 3, 32), numbers(2, 5, 16, seed=1), numbers(2, 5, 16, seed=2)
    text = "y = Attention<q_num_heads = 4, kv_num_heads = 2> (q, k, v, m)"
    mask = np.random.default_rng(0).integers(0, 2, (2, 1, 3, 4)).astype(bool)
    mask[1, 0, 2] = False  # a query that sees nothing
    check(text, {"q": q, "k": k, "v": v, "m": mask}, opset=24, runtime="reference")


def test_lengths_and_causality() -> None:
    given = {
        "q": Q,
        "k": numbers(2, 4, 6, 8, seed=1),
        "v": numbers(2, 4, 6, 8, seed=2),
        "n": np.array([4, 6], np.int64),
    }
    check('y = Attention<is_causal = 1> (q, k, v, "", "", "", n)', given, opset=24, runtime="reference")
