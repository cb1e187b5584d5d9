"""Activations and hyperbolic functions: against ONNX Runtime on ordinary numbers, in float64 on the rest."""

import math

import numpy as np
import pytest
from rml_export.evaluate import evaluate
from rml_export.from_onnx import lower_onnx

from tests.exporter.comparing import numbers
from tests.exporter.from_onnx.lower import check, model

X = {"x": np.concatenate([numbers(20), np.array([0.0, -0.0, 6.0, -6.0, 20.0, -20.0], np.float32)])}
ACTIVATIONS = {
    "gelu": "y = Gelu (x)",
    "gelu_tanh": 'y = Gelu <approximate = "tanh"> (x)',
    "elu": "y = Elu (x)",
    "elu_alpha": "y = Elu <alpha = 0.3> (x)",
    "celu": "y = Celu <alpha = 2.0> (x)",
    "selu": "y = Selu (x)",
    "selu_by": "y = Selu <alpha = 1.0, gamma = 2.0> (x)",
    "leaky_relu": "a = LeakyRelu (x)\ny = LeakyRelu <alpha = 0.3> (a)",
    "prelu": "s = Constant <value_floats = [0.3]> ()\ny = PRelu (x, s)",
    "softplus": "y = Softplus (x)",
    "softsign": "y = Softsign (x)",
    "mish": "y = Mish (x)",
    "hard_sigmoid": "a = HardSigmoid (x)\ny = HardSigmoid <alpha = 0.6, beta = 0.1> (a)",
    "hard_swish": "y = HardSwish (x)",
    "thresholded_relu": "a = ThresholdedRelu (x)\ny = ThresholdedRelu <alpha = 2.0> (a)",
    "shrink": "y = Shrink <bias = 0.25, lambd = 1.5> (x)",
    "swish_by_hand": "a = Sigmoid (x)\ny = Mul (x, a)",
    "sinh": "y = Sinh (x)",
    "cosh": "y = Cosh (x)",
    "asinh": "y = Asinh (x)",
    "acosh": "a = Cosh (x)\ny = Acosh (a)",
    "atanh": "a = Tanh (x)\nb = Constant <value_float = 0.99> ()\nc = Mul (a, b)\ny = Atanh (c)",
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name):
    check(ACTIVATIONS[name], X)


def test_swish():
    check("y = Swish <alpha = 1.5> (x)", X, opset=24, runtime="reference")


def test_slopes_of_channels():
    check("y = PRelu (x, s)", {"x": numbers(2, 3, 4, 4)}, {"s": numbers(3, 1, 1)})
    check("y = PRelu (x, s)", {"x": numbers(2, 3, 4, 4)}, {"s": numbers(3)}, opset=6, runtime="reference")


TINY = np.array([1e-7, -1e-7, 3e-5, 1e-3], np.float32)
HUGE = np.array([1e-10, 90.0, -90.0, 1e12, -1e20, 1e30, np.inf, -np.inf, np.nan], np.float32)
LIMITS = {
    "Elu": (TINY, np.expm1),
    "Softplus": (HUGE, lambda x: np.logaddexp(0, x)),
    "Mish": (
        np.array([90, 1e30, -80, -np.inf], np.float32),
        lambda x: x * np.tanh(np.logaddexp(0, np.maximum(x, -99))),
    ),
    "Sinh": (np.concatenate([TINY, np.array([89, -89, 0.5, 200], np.float32)]), np.sinh),
    "Cosh": (np.array([89, -89, 1e-7, np.inf], np.float32), np.cosh),
    "Asinh": (np.concatenate([TINY, HUGE]), np.arcsinh),
    "Acosh": (np.array([1, 1.0000001, 1.5, 1e12, 1e30, np.inf, 0.5], np.float32), np.arccosh),
    "Atanh": (np.concatenate([TINY, np.array([1, -1, 0.999999, 2], np.float32)]), np.arctanh),
}


@pytest.mark.parametrize("op", LIMITS)
def test_no_digit_is_lost_near_0_and_nothing_overflows(op):
    x, exact = LIMITS[op]
    graph = lower_onnx(model(f"y = {op} (x)", {"x": numbers(x.size, low=0.2, high=0.9)}), static=True).graph
    with np.errstate(all="ignore"):
        want = exact(x.astype(np.float64))
        finite = np.where(np.abs(want) > np.finfo(np.float32).max, np.sign(want) * math.inf, want)
    if op == "Elu":
        finite = np.where(x > 0, x, finite)
    if op == "Mish":
        finite[-1] = np.nan  # -inf * 0
    np.testing.assert_allclose(evaluate(graph, [x])[0], finite, rtol=2e-6)
