"""Attention as the engine's op, where nothing of what lies in between is asked for."""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from rml_export.from_onnx.attention_mask import Sight, bias
from rml_export.from_onnx.call import Call, Operand, Table
from rml_export.graph import Value
from rml_export.xla_ops import transpose

_SCORES, _CAPPED, _BIASED, _WEIGHTS = range(4)  # qk_matmul_output_mode


def attention(
    c: Call,
    q: Operand,
    k: Operand,
    v: Operand,
    mask: Operand | None = None,
    past_k: Operand | None = None,
    past_v: Operand | None = None,
    lengths: Operand | None = None,
) -> tuple[Value | None, ...]:
    queries, keys, values = (c.floats(item, "attention") for item in (q, k, v))
    is_flat = queries.rank == 3
    heads, kv_heads = c.attr("q_num_heads"), c.attr("kv_num_heads")
    c.attr("softmax_precision")  # f32 is what there is
    if is_flat:
        queries = split_heads(c, queries, heads)
        keys, values = split_heads(c, keys, kv_heads), split_heads(c, values, kv_heads)
    if past_k is not None and past_v is not None:
        keys, values = c("concat", past_k, keys, axis=2), c("concat", past_v, values, axis=2)
    present = keys, values
    sight = Sight(
        queries=queries.shape[2],
        keys=keys.shape[2],
        past=past_k.shape[2] if past_k is not None else 0,
        lengths=c.reshape(c.value(lengths), (lengths.shape[0], 1, 1, 1)) if lengths is not None else None,
        is_causal=bool(c.attr("is_causal", 0)),
        left=c.attr("left_window_size", -1),
        right=c.attr("right_window_size", -1),
    )
    keys, values = repeated(c, keys, queries.shape[1]), repeated(c, values, queries.shape[1])
    scale = c.attr("scale") or 1 / sqrt(queries.shape[3])
    cap, kind = c.attr("softcap", 0.0), c.attr("qk_matmul_output_mode", _SCORES)
    shown: Value | None = None
    if not cap and not any(c.node.output[3:]):
        y = fused(c, (queries, keys, values), mask, sight, scale)
    else:
        stages = in_steps(c, (queries, keys), bias(c, mask, sight), scale, cap)
        y, shown = c("matmul", stages[_WEIGHTS], values), stages[kind]
    if is_flat:
        y = c.reshape(transpose(c, y, (0, 2, 1, 3)), (y.shape[0], y.shape[2], y.shape[1] * y.shape[3]))
    return (y, *present, shown)[: len(c.node.output)]


def split_heads(c: Call, x: Value, heads: int) -> Value:
    """[B, L, heads * D] as [B, heads, L, D]."""
    apart = c.reshape(x, (*x.shape[:2], heads, x.shape[2] // heads))
    return transpose(c, apart, (0, 2, 1, 3))


def repeated(c: Call, x: Value, heads: int) -> Value:
    """Each head of keys or values for the same number of neighbouring heads of queries."""
    B, own, L, D = x.shape
    if own == heads:
        return x
    spread = c("broadcast_to", c("unsqueeze", x, axes=(2,)), shape=(B, own, heads // own, L, D))
    return c.reshape(spread, (B, heads, L, D))


def fused(c: Call, operands: Sequence[Value], mask: Operand | None, sight: Sight, scale: float) -> Value:
    if sight.is_plain_triangle and sight.left < 0 and sight.right < 0:
        seen = Sight(sight.queries, sight.keys, 0, None, False, -1, -1)
        added = bias(c, mask, seen)
        return c("sdpa", *operands, *([added] if added is not None else []), scale=float(scale), causal=True)
    added = bias(c, mask, sight)
    return c("sdpa", *operands, *([added] if added is not None else []), scale=float(scale))


def in_steps(c: Call, operands: Sequence[Value], added: Value | None, scale: float, cap: float) -> list[Value]:
    """Scores, the same capped, with the bias added, and the weights; those of a query that sees nothing are 0."""
    queries, keys = operands
    product = c("matmul", c("mul", queries, c.constant(np.float32(scale))), transpose(c, keys, (0, 1, 3, 2)))
    capped = product
    if cap:
        bound = c.constant(np.float32(cap))
        capped = c("mul", c("tanh", c("div", product, bound)), bound)
    if added is None:
        return [product, capped, capped, c("softmax", capped, axis=3)]
    biased = c("add", capped, added)
    largest = c("reduce_max", added, axes=(added.rank - 1,), keep_dims=True)
    is_blind = c("eq", largest, c.constant(np.float32(-np.inf)))
    weights = c("where", is_blind, c.constant(np.float32(0)), c("softmax", biased, axis=3))
    return [product, capped, biased, weights]


TABLE: Table = {"Attention": attention}
