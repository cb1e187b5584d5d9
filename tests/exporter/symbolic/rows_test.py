"""Where rows lie after each op: flags of outputs, and the cases in which rows mix."""

from collections.abc import Callable

import numpy as np
import pytest
from rml_export.builder import Builder
from rml_export.graph import Graph, Value
from rml_export.symbolic import generalize, mark_rows

Build = Callable[[Builder, Value, int], Value]
WEIGHT = np.arange(12, dtype=np.float32).reshape(4, 3)


def symbolic(build: Build, shape: tuple[int, ...] = (3, 4)) -> Graph:
    """build(builder, x, batch) at three batches, as one graph."""
    graphs = []
    for batch in (5, 7, 11):
        builder = Builder()
        x = builder.input("x", np.arange(batch * np.prod(shape), dtype=np.float32).reshape(batch, *shape) / 64)
        builder.output("y", build(builder, x, batch))
        graphs.append(builder.graph)
    graph = generalize(graphs, (5, 7, 11))
    mark_rows(graph)
    return graph


def two(b: Builder, x: Value) -> tuple[Value, Value]:
    return b.op("exp", x), b.op("neg", x)


def head(b: Builder, x: Value, n: int) -> Value:
    """Three columns of the first row of each: [n, 3]."""
    cut = b.op("slice", x, axes=(1, 2), starts=(0, 0), ends=(1, 3), steps=(1, 1))
    return b.op("reshape", cut, shape=(n, 3))


INDEPENDENT: dict[str, Build] = {
    "elementwise": lambda b, x, n: b.op("exp", x),
    "elementwise_of_two": lambda b, x, n: b.op("add", *two(b, x)),
    "softmax_within_a_row": lambda b, x, n: b.op("softmax", x, axis=2),
    "layer_norm": lambda b, x, n: b.op("layer_norm", x, axes=(2,), eps=1e-5),
    "sum_within_a_row": lambda b, x, n: b.op("reduce_sum", x, axes=(1,)),
    "dense": lambda b, x, n: b.op("matmul", x, b.constant(WEIGHT)),
    "batched_product": lambda b, x, n: b.op("matmul", x, b.op("transpose", x, perm=(0, 2, 1))),
    "rows_flattened_and_back": lambda b, x, n: b.op(
        "reshape", b.op("matmul", b.op("reshape", x, shape=(n * 3, 4)), b.constant(WEIGHT)), shape=(n, 3, 3)
    ),
    "time_first_and_back": lambda b, x, n: b.op(
        "transpose", b.op("tanh", b.op("transpose", x, perm=(1, 0, 2))), perm=(1, 0, 2)
    ),
    "time_and_batch_folded": lambda b, x, n: b.op(
        "transpose",
        b.op("reshape", b.op("reshape", b.op("transpose", x, perm=(1, 0, 2)), shape=(3 * n, 4)), shape=(3, n, 4)),
        perm=(1, 0, 2),
    ),
    "slice_of_columns": lambda b, x, n: b.op("slice", x, axes=(1,), starts=(0,), ends=(2,), steps=(1,)),
    "whole_slice_of_rows": lambda b, x, n: b.op("slice", x, axes=(0,), starts=(0,), ends=(n,), steps=(1,)),
    "concat_of_columns": lambda b, x, n: b.op("concat", x, x, axis=1),
    "pad_of_columns": lambda b, x, n: b.op("pad", x, before=(0, 1, 0), after=(0, 0, 1)),
    "gather_columns": lambda b, x, n: b.op("gather", x, b.constant(np.array([2, 0], np.int32)), axis=1, mode="clamp"),
    "embedding": lambda b, x, n: b.op("gather", b.constant(WEIGHT), b.op("cast", x, to="i32"), axis=0, mode="clamp"),
    "elements_within_a_row": lambda b, x, n: b.op(
        "gather_elements", x, b.op("cast", x, to="i32"), axis=1, mode="clamp"
    ),
    "elements_of_a_table": lambda b, x, n: b.op(
        "gather_elements", b.constant(WEIGHT), b.op("cast", head(b, x, n), to="i32"), axis=0, mode="clamp"
    ),
    "transposed_convolution": lambda b, x, n: b.op(
        "conv_transpose2d", b.op("unsqueeze", x, axes=(1,)), b.constant(WEIGHT.reshape(1, 1, 4, 3)), strides=(2, 2)
    ),
    "pool_of_rows_as_channels": lambda b, x, n: b.op(
        "reshape",
        b.op("max_pool2d", b.op("reshape", x, shape=(1, 3 * n, 2, 2)), kernel=(1, 2), strides=(1, 2)),
        shape=(n, 6),
    ),
    "updates_within_a_row": lambda b, x, n: b.op("scatter_add", x, b.op("cast", x, to="i32"), x, axis=2, mode="drop"),
    "resized_images": lambda b, x, n: b.op("resize2d", b.op("unsqueeze", x, axes=(1,)), mode="linear", size=(6, 2)),
    "top_k": lambda b, x, n: b.op_multi("top_k", 2, x, k=2, axis=2)[0],
    "argmax_within_a_row": lambda b, x, n: b.op("argmax", x, axis=2),
    "argmin_before_the_rows": lambda b, x, n: b.op("argmin", b.op("unsqueeze", x, axes=(0,)), axis=0),
    "argmax_keeps_the_axis": lambda b, x, n: b.op("argmax", x, axis=1, keep_dims=True),
    "running_sum": lambda b, x, n: b.op("cumsum", x, axis=1, reverse=True),
    "attention": lambda b, x, n: b.op("sdpa", x, x, x, scale=0.5, causal=True),
    "state_of_zeros": lambda b, x, n: b.op("add", x, b.constant(np.zeros((n, 3, 4), np.float32))),
    "concat_with_a_constant": lambda b, x, n: b.op("concat", b.constant(np.ones((n, 1, 4), np.float32)), x, axis=1),
    "unsqueeze_squeeze": lambda b, x, n: b.op("squeeze", b.op("unsqueeze", x, axes=(1,)), axes=(1,)),
}

MIXED: dict[str, Build] = {
    "softmax_over_rows": lambda b, x, n: b.op("softmax", x, axis=0),
    "running_sum_over_rows": lambda b, x, n: b.op("cumsum", x, axis=0),
    "argmax_over_rows": lambda b, x, n: b.op(
        "gather", x, b.op("argmax", x, axis=0, keep_dims=True), axis=2, mode="clamp"
    ),
    "sum_of_rows": lambda b, x, n: b.op("sub", x, b.op("reduce_mean", x, axes=(0,), keep_dims=True)),
    "similarity": lambda b, x, n: b.op(
        "matmul", b.op("reshape", x, shape=(n, 12)), b.op("transpose", b.op("reshape", x, shape=(n, 12)), perm=(1, 0))
    ),
    "rows_beside_rows": lambda b, x, n: b.op("concat", x, x, axis=0),
    "batch_last": lambda b, x, n: b.op("transpose", x, perm=(1, 2, 0)),
    "time_first": lambda b, x, n: b.op("transpose", x, perm=(1, 0, 2)),
    "interleaved_rows": lambda b, x, n: b.op("reshape", b.op("transpose", x, perm=(1, 0, 2)), shape=(n * 3, 4)),
    "time_mistaken_for_batch": lambda b, x, n: b.op(
        "add", x, b.op("reshape", b.op("transpose", x, perm=(1, 0, 2)), shape=(n, 3, 4))
    ),
    "attention_over_rows": lambda b, x, n: b.op(
        "transpose", b.op("sdpa", *[b.op("transpose", x, perm=(1, 0, 2))] * 3, scale=1.0), perm=(1, 0, 2)
    ),
    "gather_of_rows": lambda b, x, n: b.op(
        "gather",
        x,
        b.op("cast", b.op("reduce_sum", x, axes=(1, 2)), to="i32"),
        axis=0,
        mode="clamp",
    ),
    "elements_across_rows": lambda b, x, n: b.op("gather_elements", x, b.op("cast", x, to="i32"), axis=0, mode="clamp"),
    "updates_across_rows": lambda b, x, n: b.op("scatter_add", x, b.op("cast", x, to="i32"), x, axis=0, mode="drop"),
    "norm_over_rows": lambda b, x, n: b.op("layer_norm", b.op("transpose", x, perm=(1, 2, 0)), axes=(2,), eps=1e-5),
}


@pytest.mark.parametrize("name", INDEPENDENT)
def test_rows_stay_apart(name):
    graph = symbolic(INDEPENDENT[name])
    assert graph.outputs[0].rows
    assert graph.inputs[0].rows


@pytest.mark.parametrize("name", MIXED)
def test_rows_mix(name):
    assert not symbolic(MIXED[name]).outputs[0].rows


def test_rows_of_a_constant_result_count_as_mixed():
    """A slice that leaves no row, or one row, of the batch: no symbolic dim is left."""
    graph = symbolic(lambda b, x, n: b.op("slice", x, axes=(0,), starts=(0,), ends=(1,), steps=(1,)))
    assert not graph.outputs[0].rows
