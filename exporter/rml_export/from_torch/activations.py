"""Activation functions."""

import math
from typing import Any

from rml_export.from_torch.call import Call, Operand, Table
from rml_export.from_torch.elementwise import clamp
from rml_export.from_torch.trace import aten
from rml_export.graph import Value


def gelu(c: Call, x: Operand, approximate: str = "none") -> Value:
    return c.op("gelu", c.f32(x), approximate=approximate)


def silu(c: Call, x: Operand) -> Value:
    return c.op("mul", c.f32(x), c.op("sigmoid", c.f32(x)))


def leaky_relu(c: Call, x: Operand, negative_slope: float = 0.01) -> Value:
    x = c.f32(x)
    return c.op("where", c.op("gt", x, c.f32(0.0)), x, c.op("mul", x, c.f32(negative_slope)))


def prelu(c: Call, x: Operand, weight: Operand) -> Value:
    """_prelu_kernel: the weight already has a shape that broadcasts."""
    x = c.f32(x)
    return c.op("where", c.op("gt", x, c.f32(0.0)), x, c.op("mul", x, c.f32(weight)))


def elu(c: Call, x: Operand, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Value:
    x = c.f32(x)
    positive = x if scale == 1 else c.op("mul", x, c.f32(float(scale)))
    inner = x if input_scale == 1 else c.op("mul", x, c.f32(float(input_scale)))
    factor = float(alpha) * float(scale)
    negative = c.op("expm1", inner)
    negative = negative if factor == 1 else c.op("mul", negative, c.f32(factor))
    return c.op("where", c.op("gt", x, c.f32(0.0)), positive, negative)


def softplus(c: Call, x: Operand, beta: float = 1.0, threshold: float = 20.0) -> Value:
    x = c.f32(x)
    scaled = x if beta == 1 else c.op("mul", x, c.f32(float(beta)))
    soft = c.op("log1p", c.op("exp", scaled))
    soft = soft if beta == 1 else c.op("div", soft, c.f32(float(beta)))
    return c.op("where", c.op("gt", scaled, c.f32(float(threshold))), x, soft)


def log_sigmoid(c: Call, x: Operand) -> tuple[Value, None]:
    """log_sigmoid_forward: min(x, 0) - log1p(e^-|x|); its second result only serves training."""
    x = c.f32(x)
    tail = c.op("log1p", c.op("exp", c.op("neg", c.op("abs", x))))
    return c.op("sub", c.op("minimum", x, c.f32(0.0)), tail), None


def hardtanh(c: Call, x: Operand, min_val: float = -1.0, max_val: float = 1.0) -> Value:
    return clamp(c, x, min_val, max_val)


def hardsigmoid(c: Call, x: Operand) -> Value:
    shifted = c.op("clamp", c.op("add", c.f32(x), c.f32(3.0)), min=0.0, max=6.0)
    return c.op("div", shifted, c.f32(6.0))


def hardswish(c: Call, x: Operand) -> Value:
    shifted = c.op("clamp", c.op("add", c.f32(x), c.f32(3.0)), min=0.0, max=6.0)
    return c.op("div", c.op("mul", c.f32(x), shifted), c.f32(6.0))


def log_base(base: float) -> Any:
    def lower(c: Call, x: Operand) -> Value:
        return c.op("mul", c.op("log", c.f32(x)), c.f32(1.0 / math.log(base)))

    return lower


def tan(c: Call, x: Operand) -> Value:
    return c.op("div", c.op("sin", c.f32(x)), c.op("cos", c.f32(x)))


TABLE: Table = {
    aten.gelu.default: gelu,
    aten.silu.default: silu,
    aten.leaky_relu.default: leaky_relu,
    aten._prelu_kernel.default: prelu,
    aten.elu.default: elu,
    aten.softplus.default: softplus,
    aten.log_sigmoid_forward.default: log_sigmoid,
    aten.hardtanh.default: hardtanh,
    aten.relu6.default: lambda c, x: hardtanh(c, x, 0.0, 6.0),
    aten.hardsigmoid.default: hardsigmoid,
    aten.hardswish.default: hardswish,
    aten.log2.default: log_base(2.0),
    aten.log10.default: log_base(10.0),
    aten.exp2.default: lambda c, x: c.op("pow", c.f32(2.0), c.f32(x)),
    aten.tan.default: tan,
}
