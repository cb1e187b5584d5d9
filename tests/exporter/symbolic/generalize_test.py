"""Static graphs to one in B: what fits, what is refused with its place, and the same numbers at any batch."""

import numpy as np
import pytest
from rml_export.builder import Builder
from rml_export.dims import BatchMultiple
from rml_export.errors import ExportError
from rml_export.evaluate import evaluate
from rml_export.graph import Graph, Value
from rml_export.symbolic import batched_inputs, generalize, probe_batches, with_batch

BATCHES = (5, 7, 11)


def graphs_of(build):
    graphs = []
    for batch in BATCHES:
        builder = Builder()
        x = builder.input("x", np.ones((batch, 6), np.float32))
        builder.output("y", build(builder, x, batch))
        graphs.append(builder.graph)
    return graphs


def heads(b, x, n):
    y = b.op("reshape", x, shape=(n * 2, 3))
    return b.op("reshape", b.op("softmax", y, axis=1), shape=(n, 6))


def test_multiples_of_the_batch():
    graph = generalize(graphs_of(heads), BATCHES)
    assert graph.batch_range == (1, 65536)
    assert graph.inputs[0].shape == (BatchMultiple(1), 6)
    assert graph.nodes[0].attrs["shape"] == (BatchMultiple(2), 3)
    for batch in (1, 3, 64):
        x = np.random.default_rng(batch).standard_normal((batch, 6)).astype(np.float32)
        (got,) = evaluate(graph, [x])
        parts = np.exp(x.reshape(-1, 3) - x.reshape(-1, 3).max(1, keepdims=True))
        np.testing.assert_allclose(got, (parts / parts.sum(1, keepdims=True)).reshape(batch, 6), rtol=1e-6)


def test_constants_that_repeat_are_spread():
    def build(b, x, n):
        zeros = b.constant(np.full((2, n, 6), 0.5, np.float32))
        return b.op("concat", b.op("unsqueeze", x, axes=(0,)), zeros, axis=0)

    graph = generalize(graphs_of(build), BATCHES)
    spread = next(node for node in graph.nodes if node.op == "broadcast_to")
    assert spread.inputs[0].shape == (2, 1, 6)
    assert spread.attrs["shape"] == (2, BatchMultiple(1), 6)
    (got,) = evaluate(graph, [np.zeros((3, 6), np.float32)])
    assert got.shape == (3, 3, 6)
    assert (got[1:] == 0.5).all()


def row_numbers(b, x, n):
    return b.op("add", x, b.constant(np.arange(n, dtype=np.float32).reshape(n, 1)))


def mean_over_rows(b, x, n):
    return b.op("mul", b.op("reduce_sum", x, axes=(0,)), b.constant(np.float32(1 / n)))


def one_more(b, x, n):
    return b.op("pad", x, before=(0, 0), after=(0, n + 1))


def more_nodes(b, x, n):
    return b.op("neg", x) if n == 5 else b.op("neg", b.op("neg", x))


def other_op(b, x, n):
    return b.op("neg" if n == 7 else "abs", x)


REFUSED = {
    "row_numbers": (row_numbers, "does not repeat along the batch"),
    "mean_over_rows": (mean_over_rows, "depend on the batch"),
    "one_more": (one_more, "is no multiple of the batch: 6 at 5, 8 at 7, 12 at 11"),
    "more_nodes": (more_nodes, "1 nodes at 5, 2 nodes at 7"),
    "other_op": (other_op, "abs at 5, neg at 7"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    build, text = REFUSED[name]
    with pytest.raises(ExportError, match=text):
        generalize(graphs_of(build), BATCHES)


def test_all_problems_at_once():
    with pytest.raises(ExportError) as caught:
        generalize(graphs_of(lambda b, x, n: one_more(b, row_numbers(b, x, n), n)), BATCHES)
    assert len(caught.value.problems) >= 2


def test_probes_avoid_the_model_s_own_numbers():
    builder = Builder()
    x = builder.input("x", np.ones((2, 3, 14), np.float32))
    builder.output("y", builder.op("reshape", x, shape=(2, 42)))
    assert probe_batches(builder.graph, 3) == [5, 11, 13]


def test_probes_of_a_model_with_every_small_number_among_its_attributes():
    builder = Builder()
    x = builder.input("x", np.ones((2, 128), np.float32))
    for step in range(128):
        part = builder.op("slice", x, axes=(1,), starts=(step,), ends=(step + 1,), steps=(1,))
        builder.output(f"y{step}", builder.op("neg", part))
    assert probe_batches(builder.graph, 3) == [3, 5, 7]


def test_a_model_whose_dimensions_leave_no_probe():
    shape = (2, 3 * 5 * 7 * 11 * 13, 17 * 19 * 23 * 29, 31 * 37 * 41 * 43, 47 * 53 * 59, 61 * 67 * 71, 73 * 79 * 83)
    graph = Graph(inputs=[Value("f32", (*shape, 89 * 97 * 101 * 103))])
    with pytest.raises(ExportError, match="each batch from 3 to 103 divides a dimension"):
        probe_batches(graph, 1)


def test_no_rows_to_draw_from():
    with pytest.raises(ExportError, match="the example inputs have no rows"):
        with_batch([np.ones((0, 3), np.float32)], [True], 2)


def test_inputs_of_another_batch():
    examples = [
        np.array([[0, 5], [7, 2]], np.int32),
        np.array([[1.0, 0.0], [-2.0, 0.0]], np.float32),
        np.ones(3, np.float32),
        np.float32(2).reshape(()),
    ]
    batched = batched_inputs(examples)
    assert batched == [True, True, False, False]
    ids, floats, same, scalar = with_batch(examples, batched, 64)
    assert ids.shape == (64, 2)
    assert set(ids[:, 0]) == {0, 7}
    assert set(ids[:, 1]) == {5, 2}
    assert (floats[:, 1] == 0).all()
    assert floats[:, 0].min() >= -2
    assert len(set(floats[:, 0])) > 32
    assert same is examples[2]
    assert scalar is examples[3]
