"""Activations, and hyperbolic functions: what has no op of its own is put together so that it keeps its digits.

ONNX defines most of them by exp and log alone, which overflow, or cancel near 0.
"""

import math

from rml_export.array_ops import expm1, log1p
from rml_export.from_onnx.call import Call, Operand, Table
from rml_export.graph import Value


def gelu(c: Call, x: Operand) -> Value:
    return c("gelu", x, approximate=c.attr("approximate", "none"))


def elu(c: Call, x: Operand) -> Value:
    value = c.value(x)
    below = scaled(c, expm1(c, value), c.attr("alpha", 1.0))
    return c("where", c("gt", value, c.number(0)), value, below)


def celu(c: Call, x: Operand) -> Value:
    """max(0, x) + min(0, alpha (e^(x / alpha) - 1))."""
    value, alpha = c.value(x), c.attr("alpha", 1.0)
    below = scaled(c, expm1(c, scaled(c, value, 1 / alpha)), alpha)
    return c("add", c("maximum", value, c.number(0)), c("minimum", below, c.number(0)))


def selu(c: Call, x: Operand) -> Value:
    alpha, gamma = c.attr("alpha", 1.67326319217681884765625), c.attr("gamma", 1.05070102214813232421875)
    value = c.value(x)
    below = c("mul", expm1(c, value), c.number(alpha * gamma))
    return c("where", c("gt", value, c.number(0)), c("mul", value, c.number(gamma)), below)


def scaled(c: Call, x: Value, factor: float) -> Value:
    return x if factor == 1.0 else c("mul", x, c.number(factor))


def leaky_relu(c: Call, x: Operand) -> Value:
    value = c.value(x)
    below = c("mul", value, c.number(c.attr("alpha", 0.01)))
    return c("where", c("lt", value, c.number(0)), below, value)


def parametric_relu(c: Call, x: Operand, slope: Operand) -> Value:
    """Before opset 7 a slope of one axis is one per channel."""
    value, factor = c.value(x), c.value(slope)
    if c.version < 7 and factor.rank == 1 and factor.shape != (1,):
        factor = c.reshape(factor, (-1, *[1] * (value.rank - 2)))
    return c("where", c("lt", value, c.number(0)), c("mul", value, factor), value)


def softplus(c: Call, x: Operand) -> Value:
    """max(x, 0) + log(1 + e^-|x|)."""
    value = c.value(x)
    return c("add", c("maximum", value, c.number(0)), log1p(c, c("exp", c("neg", c("abs", value)))))


def mish(c: Call, x: Operand) -> Value:
    return c("mul", x, c("tanh", softplus(c, x)))


def softsign(c: Call, x: Operand) -> Value:
    return c("div", x, c("add", c("abs", x), c.number(1)))


def hard_sigmoid(c: Call, x: Operand) -> Value:
    alpha, beta = c.attr("alpha", 0.2), c.attr("beta", 0.5)
    return c("clamp", c("add", c("mul", x, c.number(alpha)), c.number(beta)), min=0.0, max=1.0)


def hard_swish(c: Call, x: Operand) -> Value:
    return c("mul", x, c("clamp", c("add", c("mul", x, c.number(1 / 6)), c.number(0.5)), min=0.0, max=1.0))


def swish(c: Call, x: Operand) -> Value:
    value = c.value(x)
    return c("mul", value, c("sigmoid", scaled(c, value, c.attr("alpha", 1.0))))


def thresholded_relu(c: Call, x: Operand) -> Value:
    value = c.value(x)
    return c("where", c("gt", value, c.number(c.attr("alpha", 1.0))), value, c.number(0))


def shrink(c: Call, x: Operand) -> Value:
    """Nearer to 0 by `bias` where |x| > lambd, else 0."""
    value, bias, limit = c.floats(x, "Shrink"), c.attr("bias", 0.0), c.attr("lambd", 0.5)
    below = c("where", c("lt", value, c.number(-limit)), c("add", value, c.number(bias)), c.number(0))
    return c("where", c("gt", value, c.number(limit)), c("sub", value, c.number(bias)), below)


def halves(c: Call, x: Value) -> tuple[Value, Value]:
    """e^|x| / 2 and e^-|x| / 2; the first overflows only where cosh does."""
    root = c("exp", c("mul", c("abs", x), c.number(0.5)))
    half = c.number(0.5)
    return c("mul", c("mul", half, root), root), c("div", c("div", half, root), root)


def hyperbolic_cosine(c: Call, x: Operand) -> Value:
    return c("add", *halves(c, c.value(x)))


def hyperbolic_sine(c: Call, x: Operand) -> Value:
    value = c.value(x)
    near = c("mul", c("sub", expm1(c, value), expm1(c, c("neg", value))), c.number(0.5))
    size = c("sub", *halves(c, value))
    far = c("where", c("lt", value, c.number(0)), c("neg", size), size)
    return c("where", c("lt", c("abs", value), c.number(0.5)), near, far)


def inverse_hyperbolic_sine(c: Call, x: Operand) -> Value:
    """log(|x| + sqrt(x^2 + 1)) with the sign of x; log(2 |x|) where the square would overflow."""
    value = c.value(x)
    size = c("abs", value)
    square = c("mul", size, size)
    root = c("sqrt", c("add", square, c.number(1)))
    near = log1p(c, c("add", size, c("div", square, c("add", root, c.number(1)))))
    far = c("add", c("log", size), c.number(math.log(2)))
    result = c("where", c("lt", size, c.number(1e9)), near, far)
    return c("where", c("lt", value, c.number(0)), c("neg", result), result)


def inverse_hyperbolic_cosine(c: Call, x: Operand) -> Value:
    """log(x + sqrt(x^2 - 1)), of t = x - 1."""
    value = c.value(x)
    rest = c("sub", value, c.number(1))
    root = c("sqrt", c("mul", rest, c("add", value, c.number(1))))
    far = c("add", c("log", value), c.number(math.log(2)))
    return c("where", c("gt", value, c.number(1e9)), far, log1p(c, c("add", rest, root)))


def inverse_hyperbolic_tangent(c: Call, x: Operand) -> Value:
    """log((1 + x) / (1 - x)) / 2, of |x|, where the quotient is not near -1."""
    value = c.value(x)
    size = c("abs", value)
    quotient = c("div", c("add", size, size), c("sub", c.number(1), size))
    result = c("mul", log1p(c, quotient), c.number(0.5))
    return c("where", c("lt", value, c.number(0)), c("neg", result), result)


TABLE: Table = {
    "Gelu": gelu,
    "Elu": elu,
    "Celu": celu,
    "Selu": selu,
    "LeakyRelu": leaky_relu,
    "PRelu": parametric_relu,
    "Softplus": softplus,
    "Mish": mish,
    "Softsign": softsign,
    "HardSigmoid": hard_sigmoid,
    "HardSwish": hard_swish,
    "Swish": swish,
    "ThresholdedRelu": thresholded_relu,
    "Shrink": shrink,
    "Sinh": hyperbolic_sine,
    "Cosh": hyperbolic_cosine,
    "Asinh": inverse_hyperbolic_sine,
    "Acosh": inverse_hyperbolic_cosine,
    "Atanh": inverse_hyperbolic_tangent,
}
