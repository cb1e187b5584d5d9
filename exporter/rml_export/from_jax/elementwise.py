"""Arithmetic, comparisons, logic and casts."""

import math

import numpy as np

from rml_export.from_jax.call import Call, LoweringFn, Operand, Table
from rml_export.graph import Value


def same(op: str) -> LoweringFn:
    """An op that exists as such."""

    def lower(c: Call, *inputs: Operand) -> Value:
        return c(op, *inputs)

    return lower


def compare(op: str) -> LoweringFn:
    def lower(c: Call, a: Operand, b: Operand) -> Value:
        return c(op, a, b)

    return lower


def integer_pow(c: Call, x: Operand) -> Value:
    """Small exponents as products, as XLA computes them."""
    y, value = c.params["y"], c.value(x)
    if y == -1 and c.dtype == "f32":
        return c("reciprocal", value)
    if 1 <= y <= 4:
        result = value
        for _ in range(y - 1):
            result = c("mul", result, value)
        return result if y < 4 else c("mul", c("mul", value, value), c("mul", value, value))
    if c.dtype == "i32":
        raise c.refuse(f"integers to the power of {y}")
    return c("pow", value, c.number(y))


def power(c: Call, a: Operand, b: Operand) -> Value:
    if c.dtype == "i32":
        raise c.refuse("pow of integers")
    return c("pow", c.value(a, "f32"), c.value(b, "f32"))


def square(c: Call, x: Operand) -> Value:
    return c("mul", x, x)


def sign(c: Call, x: Operand) -> Value:
    """1, 0 or -1; NaN stays NaN, -0 stays -0."""
    value, zero = c.value(x), c.number(0)
    if c.dtype == "i32":
        return c("sub", c("cast", c("gt", value, zero), to="i32"), c("cast", c("lt", value, zero), to="i32"))
    return c("where", c("gt", value, zero), c.number(1), c("where", c("lt", value, zero), c.number(-1), value))


def select_n(c: Call, which: Operand, *cases: Operand) -> Value:
    """cases[which]; a boolean takes the second case where it is true."""
    if len(cases) != 2:
        raise c.refuse(f"select_n of {len(cases)} cases")
    condition = c.value(which, "f32")
    return c("where", condition, cases[1], cases[0])


def clamp(c: Call, low: Operand, x: Operand, high: Operand) -> Value:
    """Numbers become attributes where they are finite; NaN stays."""
    bounds = [c.value(item) for item in (low, high)]
    plain = [b.is_constant and b.data.size == 1 and bool(np.isfinite(b.data).all()) for b in bounds]
    if all(plain):
        return c("clamp", x, min=float(bounds[0].data.reshape(())), max=float(bounds[1].data.reshape(())))
    return c("minimum", c("maximum", x, bounds[0]), bounds[1])


def convert(c: Call, x: Operand) -> Value:
    """Casts; to bool means unequal 0."""
    value = c.value(x)
    if c.is_bool and c.arg_dtype(0) != np.bool_:
        return c("ne", value, c.constant(np.zeros((), np.float32 if value.dtype == "f32" else np.int32)))
    return c.value(value, c.dtype)


def logical(op: str) -> LoweringFn:
    """A bitwise op, which rml-graph has for booleans only."""

    def lower(c: Call, *inputs: Operand) -> Value:
        if not c.is_bool:
            raise c.refuse("bitwise ops exist for booleans only")
        values = [c.value(item, "f32") for item in inputs]
        return c("eq", values[0], c.constant(np.float32(0))) if op == "not" else c(op, *values)

    return lower


def remainder(c: Call, a: Operand, b: Operand) -> Value:
    """The sign of the dividend."""
    if c.dtype == "f32":
        raise c.refuse("the remainder of floats needs trunc, which rml-graph does not have yet")
    return c("sub", a, c("mul", c("div", a, b), b))


def erfc(c: Call, x: Operand) -> Value:
    """2 gelu(y) / y for y = -sqrt(2) x, since gelu(y) = y erfc(-y / sqrt(2)) / 2: 1 - erf(x) would lose the tail.

    Beyond 11 the result is 0 or 2 in f32. Inside a gelu the two take each other out (passes/fuse_pointwise_chains.py).
    """
    bounded = c("clamp", x, min=-11.0, max=11.0)
    y = c("mul", bounded, c.number(-math.sqrt(2)))
    quotient = c("div", c("mul", c("gelu", y), c.number(2)), y)
    return c("where", c("eq", bounded, c.number(0)), c.number(1), quotient)


def is_finite(c: Call, x: Operand) -> Value:
    value = c.value(x)
    return c("lt", c("abs", value), c.constant(np.float32(np.inf)))


def expm1(c: Call, x: Operand) -> Value:
    """tanh(x/2) (e^x + 1) keeps the digits near 0; where e^x is infinite or 0 the plain form is right."""
    value = c.value(x)
    one, half = c.number(1), c.number(0.5)
    near = c("mul", c("tanh", c("mul", value, half)), c("add", c("exp", value), one))
    plain = c("sub", c("exp", value), one)
    return c("where", c("lt", c("abs", value), c.number(0.5)), near, plain)


def log1p(c: Call, x: Operand) -> Value:
    """log(u) x / (u - 1), u = 1 + x, gives back what the sum rounds away."""
    value, one = c.value(x), c.number(1)
    u = c("add", value, one)
    rest = c("sub", u, one)
    exact = c("mul", c("log", u), c("div", value, rest))
    plain = c("where", c("eq", rest, c.number(0)), value, exact)
    return c("where", c("lt", c("abs", value), c.number(1)), plain, c("log", u))


def refuse_rounding(c: Call, x: Operand) -> Value:
    if c.dtype == "f32":
        raise c.refuse("rml-graph does not have rounding of floats yet")
    return c.value(x)


def identity(c: Call, x: Operand) -> Value:
    return c.value(x)


TABLE: Table = {
    **{name: same(name) for name in ("neg", "abs", "exp", "log", "sqrt", "rsqrt", "sin", "cos", "tanh", "erf")},
    **{name: same(name) for name in ("add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge")},
    "add_any": same("add"),
    "logistic": same("sigmoid"),
    "max": same("maximum"),
    "min": same("minimum"),
    "pow": power,
    "integer_pow": integer_pow,
    "square": square,
    "erfc": erfc,
    "sign": sign,
    "select_n": select_n,
    "clamp": clamp,
    "convert_element_type": convert,
    "and": logical("mul"),
    "or": logical("maximum"),
    "xor": logical("ne"),
    "not": logical("not"),
    "rem": remainder,
    "is_finite": is_finite,
    "expm1": expm1,
    "log1p": log1p,
    "floor": refuse_rounding,
    "ceil": refuse_rounding,
    "round": refuse_rounding,
    "stop_gradient": identity,
    "copy": identity,
    "copy_p": identity,
    "optimization_barrier": lambda c, *inputs: tuple(c.value(item) for item in inputs),
    "reduce_precision": identity,
}
