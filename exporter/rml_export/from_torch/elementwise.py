"""Arithmetic, comparisons, logic and casts."""

import math
from typing import Any

import torch

from rml_export.from_torch.call import Call, LoweringFn, Operand, Table
from rml_export.from_torch.constants import numpy_dtype
from rml_export.from_torch.trace import aten
from rml_export.graph import Value
from rml_export.narrow import check_conversion


def unary(op: str) -> LoweringFn:
    """An op that exists as such; integer arguments become f32 where torch's result is one."""

    def lower(c: Call, x: Operand) -> Value:
        return c.op(op, c.like(x))

    return lower


def binary(op: str) -> LoweringFn:
    def lower(c: Call, a: Operand, b: Operand) -> Value:
        return c.op(op, c.like(a), c.like(b))

    return lower


def compare(op: str) -> LoweringFn:
    """Both sides as f32 if either is a float in torch, else as i32."""

    def lower(c: Call, a: Operand, b: Operand) -> Value:
        dtypes = [c.arg_dtype(0), c.arg_dtype(1)]
        integers = all(not dtype.is_floating_point for dtype in dtypes) and any(d != torch.bool for d in dtypes)
        dtype = "i32" if integers else "f32"
        return c.op(op, c.value(a, dtype), c.value(b, dtype))

    return lower


def add(c: Call, a: Operand, b: Operand, alpha: float = 1) -> Value:
    if c.is_bool:
        return c.op("maximum", c.f32(a), c.f32(b))
    return c.op("add", c.like(a), _scaled(c, b, alpha))


def sub(c: Call, a: Operand, b: Operand, alpha: float = 1) -> Value:
    return c.op("sub", c.like(a), _scaled(c, b, alpha))


def rsub(c: Call, a: Operand, b: Operand, alpha: float = 1) -> Value:
    return c.op("sub", c.like(b), _scaled(c, a, alpha))


def _scaled(c: Call, value: Operand, alpha: float) -> Value:
    return c.like(value) if alpha == 1 else c.op("mul", c.like(value), c.like(alpha))


def div_mode(c: Call, a: Operand, b: Operand, rounding_mode: str | None = None) -> Value:
    if rounding_mode is None:
        return c.op("div", c.f32(a), c.f32(b))
    a, b = c.like(a), c.like(b)
    if rounding_mode == "floor":
        floored = c.op("floor_div", a, b)
        if c.dtype == "i32" or (b.is_constant and b.data.all()):
            return floored
        return c.op("where", c.op("eq", b, c.f32(0.0)), c.op("div", a, b), floored)  # inf // 0 is inf, not NaN
    quotient = c.op("div", a, b)
    return truncated(c, quotient) if c.dtype == "f32" else quotient


def floor_divide(c: Call, a: Operand, b: Operand) -> Value:
    return div_mode(c, a, b, "floor")


def remainder(c: Call, a: Operand, b: Operand) -> Value:
    """The sign of the divisor, as in Python."""
    divisor, zero = c.like(b), c.like(0)
    rest = c.op("remainder", c.like(a), divisor)
    differ = c.op("ne", c.op("lt", rest, zero), c.op("lt", divisor, zero))
    wrong = c.op("mul", c.op("ne", rest, zero), differ)
    return c.op("where", wrong, c.op("add", rest, divisor), rest)


def power(c: Call, a: Operand, b: Operand) -> Value:
    """torch computes these exponents as products and roots too."""
    if isinstance(b, int | float):
        x = c.like(a)
        if b == 1:
            return x
        if b == 2:
            return c.op("mul", x, x)
        if b == 3:
            return c.op("mul", c.op("mul", x, x), x)
        if c.dtype == "f32":
            simple = {0.5: "sqrt", -0.5: "rsqrt", -1.0: "reciprocal"}
            if float(b) in simple:
                return c.op(simple[float(b)], x)
    if c.dtype == "i32":
        raise c.refuse("pow of integers is only there for the exponents 1, 2 and 3")
    return c.op("pow", c.f32(a), c.f32(b))


def where(c: Call, condition: Operand, a: Operand, b: Operand) -> Value:
    return c.op("where", c.f32(condition), c.like(a), c.like(b))


def masked_fill(c: Call, x: Operand, mask: Operand, value: Operand) -> Value:
    return c.op("where", c.f32(mask), c.like(value), c.like(x))


def clamp(c: Call, x: Operand, low: Any = None, high: Any = None, **names: Any) -> Value:
    """Bounds as numbers. An infinite one that bounds nothing goes, another becomes maximum or minimum."""
    low, high = names.get("min", low), names.get("max", high)
    value = c.like(x)
    bounds: dict[str, float] = {}
    for name, bound, nothing, op in (("min", low, -math.inf, "maximum"), ("max", high, math.inf, "minimum")):
        if bound is None or bound == nothing:
            continue
        if math.isfinite(bound):
            bounds[name] = float(bound)
        else:
            value = c.op(op, value, c.like(float(bound)))
    return c.op("clamp", value, **bounds) if bounds else value


def clamp_tensor(c: Call, x: Operand, low: Operand | None = None, high: Operand | None = None, **names: Any) -> Value:
    low, high = names.get("min", low), names.get("max", high)
    value = c.like(x)
    value = value if low is None else c.op("maximum", value, c.like(low))
    return value if high is None else c.op("minimum", value, c.like(high))


def sign(c: Call, x: Operand) -> Value:
    """torch gives 0 for NaN, which the op sign keeps."""
    if c.dtype == "i32":
        return c.op("sign", c.i32(x))
    zero = c.like(0)
    return c.like(c.op("sub", c.op("gt", c.like(x), zero), c.op("lt", c.like(x), zero)))


def truth(c: Call, x: Operand) -> Value:
    """The argument as 0 or 1."""
    dtype = x.tensor.dtype if not isinstance(x, Value | int | float) else None
    if isinstance(x, Value) and x.producer is not None and x.producer.op in ("eq", "ne", "lt", "le", "gt", "ge"):
        return x
    value = c.f32(x)
    return value if dtype == torch.bool else c.op("ne", value, c.f32(0.0))


def logical_not(c: Call, x: Operand) -> Value:
    return c.op("eq", c.f32(x), c.f32(0.0))


def logical_and(c: Call, a: Operand, b: Operand) -> Value:
    return c.op("mul", truth(c, a), truth(c, b))


def logical_or(c: Call, a: Operand, b: Operand) -> Value:
    return c.op("maximum", truth(c, a), truth(c, b))


def logical_xor(c: Call, a: Operand, b: Operand) -> Value:
    return c.op("ne", truth(c, a), truth(c, b))


def of_bools(lower: LoweringFn) -> LoweringFn:
    """A bitwise op, which rml-graph has for booleans only."""

    def checked(c: Call, *args: Operand) -> Value:
        if not c.is_bool:
            raise c.refuse("bitwise ops exist for booleans only")
        return lower(c, *args)

    return checked


def isnan(c: Call, x: Operand) -> Value:
    return c.op("ne", c.value(x), c.value(x))


def isinf(c: Call, x: Operand) -> Value:
    return c.op("eq", c.op("abs", c.f32(x)), c.f32(math.inf))


def rounded(op: str) -> LoweringFn:
    """floor, ceil, round (to even): nothing to do for integers."""

    def lower(c: Call, x: Operand) -> Value:
        return c.op(op, c.f32(x)) if c.dtype == "f32" else c.i32(x)

    return lower


def truncated(c: Call, x: Operand) -> Value:
    """Towards 0."""
    if c.dtype == "i32":
        return c.i32(x)
    value = c.f32(x)
    return c.op("where", c.op("lt", value, c.f32(0.0)), c.op("ceil", value), c.op("floor", value))


def to_copy(c: Call, x: Operand, dtype: torch.dtype | None = None, **_: Any) -> Value:
    """A cast, or a copy (which is nothing). To bool: 0 or 1."""
    check_conversion(numpy_dtype(c.arg_dtype(0)), numpy_dtype(c.meta.dtype))
    if c.is_bool and c.arg_dtype(0) != torch.bool:
        return c.op("ne", c.value(x), c.value(0, c.value(x).dtype))
    return c.like(x)


TABLE: Table = {
    **{
        overload: unary(op)
        for op, overload in {
            "neg": aten.neg.default,
            "abs": aten.abs.default,
            "exp": aten.exp.default,
            "log": aten.log.default,
            "sqrt": aten.sqrt.default,
            "rsqrt": aten.rsqrt.default,
            "reciprocal": aten.reciprocal.default,
            "sin": aten.sin.default,
            "cos": aten.cos.default,
            "erf": aten.erf.default,
            "tanh": aten.tanh.default,
            "sigmoid": aten.sigmoid.default,
            "relu": aten.relu.default,
            "erfc": aten.erfc.default,
            "expm1": aten.expm1.default,
            "log1p": aten.log1p.default,
        }.items()
    },
    **{
        overload: compare(op)
        for op in ("eq", "ne", "lt", "le", "gt", "ge")
        for overload in (getattr(aten, op).Tensor, getattr(aten, op).Scalar)
    },
    **dict.fromkeys((aten.add.Tensor, aten.add.Scalar), add),
    **dict.fromkeys((aten.sub.Tensor, aten.sub.Scalar), sub),
    **dict.fromkeys((aten.rsub.Tensor, aten.rsub.Scalar), rsub),
    **dict.fromkeys((aten.mul.Tensor, aten.mul.Scalar), binary("mul")),
    **dict.fromkeys((aten.div.Tensor, aten.div.Scalar), div_mode),
    **dict.fromkeys((aten.div.Tensor_mode, aten.div.Scalar_mode), div_mode),
    **dict.fromkeys((aten.remainder.Tensor, aten.remainder.Scalar), remainder),
    **dict.fromkeys((aten.fmod.Tensor, aten.fmod.Scalar), binary("remainder")),
    **dict.fromkeys((aten.pow.Tensor_Tensor, aten.pow.Tensor_Scalar, aten.pow.Scalar), power),
    aten.floor.default: rounded("floor"),
    aten.ceil.default: rounded("ceil"),
    aten.round.default: rounded("round_even"),
    aten.trunc.default: truncated,
    **dict.fromkeys((aten.masked_fill.Scalar, aten.masked_fill.Tensor), masked_fill),
    aten.floor_divide.default: floor_divide,
    aten.maximum.default: binary("maximum"),
    aten.minimum.default: binary("minimum"),
    aten.where.self: where,
    aten.clamp.default: clamp,
    aten.clamp_min.default: lambda c, x, low: clamp(c, x, low, None),
    aten.clamp_max.default: lambda c, x, high: clamp(c, x, None, high),
    aten.clamp.Tensor: clamp_tensor,
    aten.sign.default: sign,
    aten.square.default: lambda c, x: c.op("mul", c.like(x), c.like(x)),
    aten.logical_not.default: logical_not,
    aten.logical_and.default: logical_and,
    aten.logical_or.default: logical_or,
    aten.logical_xor.default: logical_xor,
    aten.bitwise_not.default: of_bools(logical_not),
    **dict.fromkeys((aten.bitwise_and.Tensor, aten.bitwise_and.Scalar), of_bools(logical_and)),
    **dict.fromkeys((aten.bitwise_or.Tensor, aten.bitwise_or.Scalar), of_bools(logical_or)),
    **dict.fromkeys((aten.bitwise_xor.Tensor, aten.bitwise_xor.Scalar), of_bools(logical_xor)),
    aten.isnan.default: isnan,
    aten.isinf.default: isinf,
    aten._to_copy.default: to_copy,
}
