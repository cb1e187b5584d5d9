"""Scaled dot-product attention stays one op."""

import math

import numpy as np
import torch

from rml_export.from_torch.call import Call, Operand, Table, shape_of
from rml_export.from_torch.trace import aten
from rml_export.graph import Value


def sdpa(
    c: Call,
    q: Operand,
    k: Operand,
    v: Operand,
    mask: Operand | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: Operand | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Value:
    """A boolean mask becomes 0 where it lets through and -inf elsewhere."""
    if dropout_p:
        raise c.refuse(f"attention with dropout {dropout_p} at inference")
    query, key, value = c.f32(q), c.f32(k), c.f32(v)
    if enable_gqa:
        key, value = (_repeat_heads(c, item, query.shape[-3]) for item in (key, value))
    leading = np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    operands = [_broadcast(c, item, leading) for item in (query, key, value)]
    mask = attn_mask if mask is None else mask
    if mask is not None:
        operands.append(_additive(c, mask))
    factor = 1.0 / math.sqrt(shape_of(q)[-1]) if scale is None else float(scale)
    return c.op("sdpa", *operands, scale=factor, causal=bool(is_causal))


def _additive(c: Call, mask: Operand) -> Value:
    node = c.node.args[3] if len(c.node.args) > 3 else c.node.kwargs["attn_mask"]
    if node.meta["val"].dtype != torch.bool:
        return c.f32(mask)
    return c.op("where", c.f32(mask), c.f32(0.0), c.f32(-math.inf))


def _repeat_heads(c: Call, x: Value, heads: int) -> Value:
    """Grouped queries: each head of keys serves heads / n queries in a row."""
    *lead, n, L, D = x.shape
    if n == heads:
        return x
    spread = c.op("broadcast_to", c.reshape(x, (*lead, n, 1, L, D)), shape=(*lead, n, heads // n, L, D))
    return c.reshape(spread, (*lead, heads, L, D))


def _broadcast(c: Call, x: Value, leading: tuple[int, ...]) -> Value:
    shape = (*leading, *x.shape[-2:])
    return x if x.shape == shape else c.op("broadcast_to", x, shape=shape)


TABLE: Table = {aten.scaled_dot_product_attention.default: sdpa}
