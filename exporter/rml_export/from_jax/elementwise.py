"""Arithmetic, comparisons, logic and casts."""

import jax
import numpy as np

from rml_export import array_ops
from rml_export.array_ops import identities, identity, is_finite, round_away, rounded, same, sign, square
from rml_export.from_jax.call import Call, LoweringFn, Operand, Table
from rml_export.graph import Value
from rml_export.narrow import check_conversion


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
    check_conversion(c.arg_dtype(0), c.record[1])
    return array_ops.convert(c, x, c.arg_dtype(0) == np.bool_)


def logical(op: str) -> LoweringFn:
    """A bitwise op, which rml-graph has for booleans only."""

    def lower(c: Call, *inputs: Operand) -> Value:
        if not c.is_bool:
            raise c.refuse("bitwise ops exist for booleans only")
        values = [c.value(item, "f32") for item in inputs]
        return c("eq", values[0], c.constant(np.float32(0))) if op == "not" else c(op, *values)

    return lower


def round_number(c: Call, x: Operand) -> Value:
    to_even = c.params["rounding_method"] == jax.lax.RoundingMethod.TO_NEAREST_EVEN
    return (rounded("round_even") if to_even else round_away)(c, x)


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
    "erfc": array_ops.erfc,
    "sign": sign,
    "select_n": select_n,
    "clamp": clamp,
    "convert_element_type": convert,
    "and": logical("mul"),
    "or": logical("maximum"),
    "xor": logical("ne"),
    "not": logical("not"),
    "rem": same("remainder"),
    "is_finite": is_finite,
    "expm1": array_ops.expm1,
    "log1p": array_ops.log1p,
    "floor": rounded("floor"),
    "ceil": rounded("ceil"),
    "round": round_number,
    "stop_gradient": identity,
    "copy": identity,
    "copy_p": identity,
    "optimization_barrier": identities,
    "reduce_precision": identity,
}
