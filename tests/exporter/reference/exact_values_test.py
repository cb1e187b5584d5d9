"""The reference of each function is right to the last digit; tests/engine/ops/reference_accuracy_test.cc does the same
for the C++ reference."""

from pathlib import Path

import numpy as np
import pytest
from rml_export.reference import run_reference

LINES = [
    line.split(",")
    for line in (Path(__file__).resolve().parents[2] / "fixtures" / "exact_values.csv").read_text().splitlines()
]
FUNCTIONS = sorted({line[0] for line in LINES})
CALLS = {
    "gelu": ("gelu", [], {"approximate": "none"}),
    "gelu_tanh": ("gelu", [], {"approximate": "tanh"}),
    "square": ("pow", [np.float32(2)], {}),
    "cube": ("pow", [np.float32(3)], {}),
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_reference_is_correctly_rounded(function):
    op, more, attrs = CALLS.get(function, (function, [], {}))
    lines = [line for line in LINES if line[0] == function]
    assert len(lines) >= 20
    for _, *arguments, value in lines:
        inputs = [np.float32(float.fromhex(x)) for x in arguments] + more
        (got,) = run_reference(op, [np.asarray(x) for x in inputs], attrs)
        exact = float(value)
        ulps = abs(float(got) - exact) / float(np.spacing(np.abs(np.float32(exact))))
        assert ulps <= 0.5001, f"{function}({arguments}) gave {got}, exactly {value}"
