"""Layer, batch, group and instance norm, softmax."""

from collections.abc import Sequence
from typing import Any

import torch

from rml_export.from_torch.call import Call, Operand, Table, axis_of, shape_of
from rml_export.from_torch.constants import Constant
from rml_export.from_torch.trace import aten
from rml_export.graph import Value

Norm = tuple[Value, None, None]  # the saved statistics only serve training


def layer_norm(
    c: Call, x: Operand, shape: Sequence[int], weight: Operand | None, bias: Operand | None, eps: float
) -> Norm:
    axes = tuple(range(len(shape_of(x)) - len(shape), len(shape_of(x))))
    if bias is not None and weight is None:
        weight = Constant(torch.ones(tuple(shape)))
    parameters = [c.f32(item) for item in (weight, bias) if item is not None]
    return c.op("layer_norm", c.f32(x), *parameters, axes=axes, eps=eps), None, None


def batch_norm(
    c: Call,
    x: Operand,
    weight: Operand | None,
    bias: Operand | None,
    mean: Operand,
    var: Operand,
    momentum: float,
    eps: float,
) -> Norm:
    """x * scale + shift with both computed at export time, as torch's kernel does with its own."""
    if not all(item is None or isinstance(item, Constant) for item in (weight, bias, mean, var)):
        raise c.refuse("batch norm whose statistics or parameters depend on the inputs")
    rank = len(shape_of(x))
    scale = (var.tensor.double() + eps).rsqrt()
    if weight is not None:
        scale = scale * weight.tensor.double()
    shift = -mean.tensor.double() * scale
    if bias is not None:
        shift = shift + bias.tensor.double()
    name = c.name or "batch_norm"
    parts = [
        Constant(part.reshape(-1, *(1,) * (rank - 2)).float(), f"{name}.{role}")
        for part, role in ((scale, "scale"), (shift, "shift"))
    ]
    return c.op("add", c.op("mul", c.f32(x), parts[0]), parts[1]), None, None


def group_norm(
    c: Call,
    x: Operand,
    weight: Operand | None,
    bias: Operand | None,
    N: int,
    C: int,
    HxW: int,
    groups: int,
    eps: float,
) -> Norm:
    flat = c.reshape(c.f32(x), (N, groups, C // groups * HxW))
    normed = c.reshape(c.op("layer_norm", flat, axes=(2,), eps=eps), shape_of(x))
    return per_channel(c, normed, weight, bias), None, None


def instance_norm(
    c: Call,
    x: Operand,
    weight: Operand | None,
    bias: Operand | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Norm:
    """_native_batch_norm_legit.no_stats: each channel by its own statistics; torch gives instances as channels."""
    N, C = shape_of(x)[:2]
    rest = shape_of(x)[2:]
    value = c.f32(x)
    order = (1, 0, *range(2, 2 + len(rest)))
    if N != 1:
        value = c.op("transpose", value, perm=order)
    size = N
    for dim in rest:
        size *= dim
    normed = c.op("layer_norm", c.reshape(value, (C, size)), axes=(1,), eps=eps)
    if N == 1:
        normed = c.reshape(normed, shape_of(x))
    else:
        normed = c.op("transpose", c.reshape(normed, (C, N, *rest)), perm=order)
    return per_channel(c, normed, weight, bias), None, None


def per_channel(c: Call, x: Value, weight: Operand | None, bias: Operand | None) -> Value:
    """x * weight + bias along axis 1."""
    for op, parameter in (("mul", weight), ("add", bias)):
        if parameter is not None:
            x = c.op(op, x, c.reshape(c.f32(parameter), (x.shape[1], *(1,) * (x.rank - 2))))
    return x


def softmax(op: str) -> Any:
    def lower(c: Call, x: Operand, dim: int, *_: Any) -> Value:
        if not shape_of(x):
            raise c.refuse(f"{op} of a scalar")
        return c.op(op, c.f32(x), axis=axis_of(dim, len(shape_of(x))))

    return lower


TABLE: Table = {
    aten.native_layer_norm.default: layer_norm,
    aten._native_batch_norm_legit_no_training.default: batch_norm,
    aten.native_group_norm.default: group_norm,
    aten._native_batch_norm_legit.no_stats: instance_norm,
    aten._softmax.default: softmax("softmax"),
    aten._log_softmax.default: softmax("log_softmax"),
}
