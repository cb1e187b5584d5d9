"""Arithmetic, comparisons, logic, casts and activations."""

import numpy as np

from rml_export import array_ops
from rml_export.array_ops import (
    erfc,
    expm1,
    identities,
    identity,
    is_finite,
    log1p,
    rounded,
    same,
    sign,
    small_power,
    square,
)
from rml_export.from_tf.call import Call, LoweringFn, Operand, Table
from rml_export.graph import Value
from rml_export.narrow import check_conversion


def floats(op: str) -> LoweringFn:
    """An op that exists for f32 only."""

    def lower(c: Call, *inputs: Operand) -> Value:
        return c(op, *(c.floats(item, op) for item in inputs))

    return lower


def logical(op: str) -> LoweringFn:
    def lower(c: Call, a: Operand, b: Operand) -> Value:
        return c(op, c.value(a, "f32"), c.value(b, "f32"))

    return lower


def logical_not(c: Call, x: Operand) -> Value:
    return c("eq", c.value(x, "f32"), c.constant(np.float32(0)))


def squared_difference(c: Call, a: Operand, b: Operand) -> Value:
    rest = c("sub", a, b)
    return c("mul", rest, rest)


def power(c: Call, a: Operand, b: Operand) -> Value:
    """Small whole exponents as products."""
    product = small_power(c, a, b) if not isinstance(b, Value) else None
    if product is not None:
        return product
    if c.dtype == "i32":
        raise c.refuse("pow of integers")
    return c("pow", a, b)


def div_no_nan(c: Call, a: Operand, b: Operand) -> Value:
    zero = c.constant(np.float32(0))
    return c("where", c("eq", b, zero), zero, c("div", a, b))


def floor_div(c: Call, a: Operand, b: Operand) -> Value:
    """TensorFlow rounds the rounded quotient of floats down: 1 // 0.1 is 10."""
    return c("floor", c("div", a, b)) if c.dtype == "f32" else c("floor_div", a, b)


def select(c: Call, condition: Operand, a: Operand, b: Operand) -> Value:
    return c("where", c.value(condition, "f32"), a, b)


def cast(c: Call, x: Operand) -> Value:
    check_conversion(c.arg_dtype(0), c.record[1])
    return array_ops.convert(c, x, c.arg_dtype(0) == np.bool_)


def relu6(c: Call, x: Operand) -> Value:
    return c("clamp", x, min=0.0, max=6.0)


def leaky_relu(c: Call, x: Operand) -> Value:
    value, slope = c.value(x), float(c.attr("alpha"))
    return c("where", c("gt", value, c.number(0)), value, c("mul", value, c.number(slope)))


def elu(c: Call, x: Operand) -> Value:
    value = c.value(x)
    return c("where", c("gt", value, c.number(0)), value, expm1(c, value))


def selu(c: Call, x: Operand) -> Value:
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    value = c.value(x)
    below = c("mul", expm1(c, value), c.number(scale * alpha))
    return c("where", c("gt", value, c.number(0)), c("mul", value, c.number(scale)), below)


def softplus(c: Call, x: Operand) -> Value:
    """max(x, 0) + log(1 + e^-|x|)."""
    value = c.value(x)
    return c("add", c("maximum", value, c.number(0)), log1p(c, c("exp", c("neg", c("abs", value)))))


def softsign(c: Call, x: Operand) -> Value:
    return c("div", x, c("add", c("abs", x), c.number(1)))


def is_nan(c: Call, x: Operand) -> Value:
    return c("ne", x, x)


def is_inf(c: Call, x: Operand) -> Value:
    return c("eq", c("abs", x), c.constant(np.float32(np.inf)))


def clip(c: Call, x: Operand, low: Operand, high: Operand) -> Value:
    return c("minimum", c("maximum", x, low), high)


def bias_add(c: Call, x: Operand, bias: Operand) -> Value:
    if c.attr("data_format") == "NCHW":
        bias = c.reshape(bias, (-1, *[1] * (c.value(x).rank - 2)))
    return c("add", x, bias)


def add_many(c: Call, *inputs: Operand) -> Value:
    total = c.value(inputs[0])
    for item in inputs[1:]:
        total = c("add", total, item)
    return total


_UNARY = {"Exp": "exp", "Log": "log", "Sqrt": "sqrt", "Rsqrt": "rsqrt", "Reciprocal": "reciprocal", "Inv": "reciprocal"}
_UNARY |= {"Sin": "sin", "Cos": "cos", "Tanh": "tanh", "Sigmoid": "sigmoid", "Erf": "erf"}
_BINARY = {"Add": "add", "AddV2": "add", "Sub": "sub", "Mul": "mul", "RealDiv": "div", "Maximum": "maximum"}
_BINARY |= {"Minimum": "minimum", "Div": "div", "TruncateDiv": "div"}
_COMPARE = {"Equal": "eq", "NotEqual": "ne", "Less": "lt", "LessEqual": "le", "Greater": "gt", "GreaterEqual": "ge"}
_SAME = ("Identity", "StopGradient", "PreventGradient", "Snapshot", "CheckNumerics", "EnsureShape")

TABLE: Table = {
    **{name: floats(op) for name, op in _UNARY.items()},
    **{name: same(op) for name, op in (_BINARY | _COMPARE).items()},
    **{name: same(op) for name, op in {"Neg": "neg", "Abs": "abs", "Relu": "relu"}.items()},
    **dict.fromkeys(_SAME, identity),
    "IdentityN": identities,
    "LogicalAnd": logical("mul"),
    "LogicalOr": logical("maximum"),
    "LogicalNot": logical_not,
    "Square": square,
    "SquaredDifference": squared_difference,
    "Pow": power,
    "DivNoNan": div_no_nan,
    "FloorDiv": floor_div,
    "FloorMod": array_ops.floor_mod,
    "Mod": same("remainder"),
    "TruncateMod": same("remainder"),
    "Select": select,
    "SelectV2": select,
    "Cast": cast,
    "Relu6": relu6,
    "LeakyRelu": leaky_relu,
    "Elu": elu,
    "Selu": selu,
    "Softplus": softplus,
    "Softsign": softsign,
    "Erfc": erfc,
    "Expm1": expm1,
    "Log1p": log1p,
    "Sign": sign,
    "Floor": rounded("floor"),
    "Ceil": rounded("ceil"),
    "Round": rounded("round_even"),
    "Rint": rounded("round_even"),
    "IsNan": is_nan,
    "IsFinite": is_finite,
    "IsInf": is_inf,
    "ClipByValue": clip,
    "BiasAdd": bias_add,
    "AddN": add_many,
}
