"""Arithmetic, comparisons, logic, casts."""

import numpy as np

from rml_export import array_ops
from rml_export.array_ops import identity, same, small_power
from rml_export.from_onnx.call import Call, LoweringFn, Operand, Table
from rml_export.graph import Value

# Arithmetic of these would wrap, or round, at another width than i32.
_OTHER_WIDTHS = frozenset({"int8", "uint8", "int16", "uint16", "uint32", "uint64"})


def floats(op: str) -> LoweringFn:
    """An op that exists for f32 only."""

    def lower(c: Call, *inputs: Operand) -> Value:
        return c(op, *(c.floats(item, op) for item in inputs))

    return lower


def arithmetic(op: str) -> LoweringFn:
    def lower(c: Call, *inputs: Operand) -> Value:
        check_width(c)
        return c(op, *inputs)

    return lower


def check_width(c: Call) -> None:
    name = np.dtype(c.record[1]).name
    if name in _OTHER_WIDTHS:
        raise c.refuse(f"arithmetic of {name}, which wraps elsewhere than that of int32")


def many(op: str) -> LoweringFn:
    """One result of any number of inputs."""

    def lower(c: Call, *inputs: Operand) -> Value:
        check_width(c)
        total = c.value(inputs[0])
        for item in inputs[1:]:
            total = c(op, total, item)
        return total

    return lower


def mean(c: Call, *inputs: Operand) -> Value:
    return c("div", many("add")(c, *inputs), c.number(len(inputs)))


def logical(op: str) -> LoweringFn:
    def lower(c: Call, a: Operand, b: Operand) -> Value:
        return c(op, c.value(a, "f32"), c.value(b, "f32"))

    return lower


def logical_not(c: Call, x: Operand) -> Value:
    return c("eq", c.value(x, "f32"), c.constant(np.float32(0)))


def power(c: Call, a: Operand, b: Operand) -> Value:
    """Small whole exponents as products; the exponent may have another dtype than the base, which the result has."""
    check_width(c)
    if not isinstance(b, Value):
        product = small_power(c, a, b)
        if product is not None:
            return product
    if c.dtype == "i32":
        return integer_power(c, c.value(a), b)
    return c("pow", a, c.value(b, "f32"))


def integer_power(c: Call, base: Value, exponents: Operand) -> Value:
    """By squaring: as many products as the largest exponent has bits."""
    wanted = c.known(exponents, "an exponent of integers")
    if wanted.size and (wanted.min() < 0 or (wanted != np.trunc(wanted)).any()):
        raise c.refuse("a power of integers that is no whole number from 0")
    whole = wanted.astype(np.int64)
    result = c.constant(np.ones(np.broadcast_shapes(base.shape, whole.shape), np.int32))
    for bit in range(int(whole.max(initial=0)).bit_length()):
        base = c("mul", base, base) if bit else base
        result = c("mul", result, c("where", c.constant((whole >> bit) & 1 == 1), base, c.number(1)))
    return result


def modulus(c: Call, a: Operand, b: Operand) -> Value:
    """With fmod the sign of the dividend, without that of the divisor."""
    check_width(c)
    rest = c("remainder", a, b)
    if c.attr("fmod", 0):
        return rest
    zero = c.number(0)
    differ = c("mul", c("ne", rest, zero), c("ne", c("lt", rest, zero), c("lt", b, zero)))
    return c("where", differ, c("add", rest, b), rest)


def select(c: Call, condition: Operand, a: Operand, b: Operand) -> Value:
    return c("where", c.value(condition, "f32"), a, b)


def cast(c: Call, x: Operand, like: Operand | None = None) -> Value:
    """To bool means unequal 0."""
    for name in ("to", "saturate", "round_mode"):  # the dtype is the record's; the others are for floats of 8 bits
        c.attr(name)
    target = np.dtype(c.record[1])
    if target.name in _OTHER_WIDTHS and target != c.dtypes[0]:
        raise c.refuse(f"a cast to {target.name}")
    return array_ops.convert(c, x, c.dtypes[0] == np.bool_)


def clip(c: Call, x: Operand, low: Operand | None = None, high: Operand | None = None) -> Value:
    limits = {"min": c.attr("min") if low is None else low, "max": c.attr("max") if high is None else high}
    given = {name: limit for name, limit in limits.items() if limit is not None}
    value = c.value(x)
    if any(isinstance(limit, Value) or not np.isfinite(limit) for limit in given.values()):
        return clip_by(c, value, limits)
    clamps = {name: float(np.asarray(limit).reshape(())) for name, limit in given.items()}
    return c("clamp", value, **clamps) if clamps else value


def clip_by(c: Call, value: Value, limits: dict[str, Operand | None]) -> Value:
    for name, op in (("min", "maximum"), ("max", "minimum")):
        limit = limits[name]
        if limit is not None:
            bound = limit if isinstance(limit, Value) else c.value(np.asarray(limit), c.dtype)
            value = c(op, value, c.reshape(bound, ()))
    return value


def is_nan(c: Call, x: Operand) -> Value:
    return c("ne", x, x)


def is_inf(c: Call, x: Operand) -> Value:
    ups, downs = c.attr("detect_positive", 1), c.attr("detect_negative", 1)
    value, infinity = c.value(x, "f32"), c.constant(np.float32(np.inf))
    if ups and downs:
        return c("eq", c("abs", value), infinity)
    if ups or downs:
        return c("eq", value if ups else c("neg", value), infinity)
    return c("ne", c("mul", value, c.constant(np.float32(0))), c("mul", value, c.constant(np.float32(0))))


def dropout(c: Call, x: Operand, ratio: Operand | None = None, training: Operand | None = None) -> tuple[Value, ...]:
    """In inference nothing is dropped."""
    c.attr("ratio")
    c.attr("seed")
    rate = c.known(ratio, "a ratio") if ratio is not None else np.float32(0.5)
    if training is not None and c.known(training, "a mode").any() and rate.any():
        raise c.refuse("in training mode: its result is random")
    value = c.value(x)
    mask = c.constant(np.ones(value.shape, np.float32))
    return (value, mask)[: len(c.node.output)]


def tangent(c: Call, x: Operand) -> Value:
    return c("div", c("sin", x), c("cos", x))


_UNARY = {"Exp": "exp", "Log": "log", "Sqrt": "sqrt", "Reciprocal": "reciprocal", "Sin": "sin", "Cos": "cos"}
_UNARY |= {"Floor": "floor", "Ceil": "ceil", "Round": "round_even", "Tanh": "tanh", "Sigmoid": "sigmoid", "Erf": "erf"}
_BINARY = {
    "Add": "add",
    "Sub": "sub",
    "Mul": "mul",
    "Div": "div",
    "Neg": "neg",
    "Abs": "abs",
    "Relu": "relu",
    "Sign": "sign",
}
_COMPARE = {"Equal": "eq", "Less": "lt", "LessOrEqual": "le", "Greater": "gt", "GreaterOrEqual": "ge"}

TABLE: Table = {
    **{name: floats(op) for name, op in _UNARY.items()},
    **{name: arithmetic(op) for name, op in _BINARY.items()},
    **{name: same(op) for name, op in _COMPARE.items()},
    **{name: many(op) for name, op in {"Max": "maximum", "Min": "minimum", "Sum": "add"}.items()},
    "Identity": identity,
    "Mean": mean,
    "And": logical("mul"),
    "Or": logical("maximum"),
    "Xor": logical("ne"),
    "Not": logical_not,
    "Pow": power,
    "Mod": modulus,
    "Where": select,
    "Cast": cast,
    "CastLike": cast,
    "Clip": clip,
    "IsNaN": is_nan,
    "IsInf": is_inf,
    "Dropout": dropout,
    "Tan": tangent,
}
