"""Arithmetic, comparisons, logic and casts. What JAX's primitives do in the same way has the same lowerings."""

import numpy as np

from rml_export import array_ops
from rml_export.array_call import Operand
from rml_export.from_jax import elementwise as jax_ops
from rml_export.from_stablehlo.call import Call, LoweringFn, Table
from rml_export.graph import Value

_FLOAT32_BITS = (8, 23)
_PRODUCTS = {2.0: 1, 3.0: 2}  # exponent -> multiplications


def multiply(c: Call, a: Operand, b: Operand) -> Value:
    """torch-mlir multiplies by alpha = 1: that is the other factor, bit for bit. A parameter of ones stays."""
    if c.is_bool:
        return c("mul", c.value(a, "f32"), c.value(b, "f32"))
    for factor, other in ((a, b), (b, a)):
        if is_everywhere(factor, 1) and id(factor) not in c.pool.names:
            return c.value(other)
    return c("mul", a, b)


def divide(c: Call, a: Operand, b: Operand) -> Value:
    return c.value(a) if is_everywhere(b, 1) else c("div", a, b)


def is_everywhere(item: Operand, number: float) -> bool:
    return isinstance(item, np.ndarray) and item.size > 0 and bool((item == number).all())


def arithmetic(op: str, on_bools: str) -> LoweringFn:
    """An op that on booleans, which are 0 and 1, is another one."""

    def lower(c: Call, a: Operand, b: Operand) -> Value:
        return c(on_bools if c.is_bool else op, a, b)

    return lower


def power(c: Call, a: Operand, b: Operand) -> Value:
    """Squares and cubes as products, as XLA computes them."""
    exponent = float(b.reshape(-1)[0]) if isinstance(b, np.ndarray) and b.size else np.nan
    if exponent not in _PRODUCTS or not is_everywhere(b, exponent):
        return jax_ops.power(c, a, b)
    value = result = c.value(a)
    for _ in range(_PRODUCTS[exponent]):
        result = c("mul", result, value)
    return result


def compare(c: Call, a: Operand, b: Operand) -> Value:
    operation = c.operation
    if "compare_type" in operation and operation.text("compare_type") == "TOTALORDER":
        raise c.refuse("a comparison in total order, which tells -0 from 0")
    return c(operation.text("comparison_direction").lower(), a, b)


def select(c: Call, condition: Operand, a: Operand, b: Operand) -> Value:
    return c("where", c.value(condition, "f32"), a, b)


def reduce_precision(c: Call, x: Operand) -> Value:
    bits = c.operation.int("exponent_bits"), c.operation.int("mantissa_bits")
    if bits < _FLOAT32_BITS or bits[1] < _FLOAT32_BITS[1]:
        raise c.refuse(f"rounding to {bits[0]} bits of exponent and {bits[1]} of mantissa")
    return c.value(x)


def barrier(c: Call, *inputs: Operand) -> tuple[Value, ...]:
    return tuple(c.value(item) for item in inputs)


TABLE: Table = {
    "stablehlo.abs": array_ops.same("abs"),
    "stablehlo.negate": array_ops.same("neg"),
    "stablehlo.exponential": array_ops.same("exp"),
    "stablehlo.log": array_ops.same("log"),
    "stablehlo.sqrt": array_ops.same("sqrt"),
    "stablehlo.rsqrt": array_ops.same("rsqrt"),
    "stablehlo.sine": array_ops.same("sin"),
    "stablehlo.cosine": array_ops.same("cos"),
    "stablehlo.tanh": array_ops.same("tanh"),
    "stablehlo.logistic": array_ops.same("sigmoid"),
    "stablehlo.exponential_minus_one": array_ops.expm1,
    "stablehlo.log_plus_one": array_ops.log1p,
    "stablehlo.sign": array_ops.sign,
    "stablehlo.floor": array_ops.rounded("floor"),
    "stablehlo.ceil": array_ops.rounded("ceil"),
    "stablehlo.round_nearest_even": array_ops.rounded("round_even"),
    "stablehlo.round_nearest_afz": array_ops.round_away,
    "stablehlo.is_finite": array_ops.is_finite,
    "stablehlo.add": arithmetic("add", "maximum"),
    "stablehlo.subtract": array_ops.same("sub"),
    "stablehlo.multiply": multiply,
    "stablehlo.divide": divide,
    "stablehlo.remainder": array_ops.same("remainder"),
    "stablehlo.maximum": array_ops.same("maximum"),
    "stablehlo.minimum": array_ops.same("minimum"),
    "stablehlo.power": power,
    "stablehlo.and": jax_ops.logical("mul"),
    "stablehlo.or": jax_ops.logical("maximum"),
    "stablehlo.xor": jax_ops.logical("ne"),
    "stablehlo.not": jax_ops.logical("not"),
    "stablehlo.compare": compare,
    "stablehlo.select": select,
    "stablehlo.clamp": jax_ops.clamp,
    "stablehlo.convert": jax_ops.convert,
    "stablehlo.reduce_precision": reduce_precision,
    "stablehlo.optimization_barrier": barrier,
    "chlo.erf": array_ops.same("erf"),
    "chlo.erfc": array_ops.erfc,
    "chlo.square": array_ops.square,
}
