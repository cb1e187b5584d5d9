"""TensorFlow through XLA's StableHLO: numbers, names, what is refused and how."""

import numpy as np
import pytest
import tensorflow as tf
from rml_export import ExportError, export_tf
from rml_export.evaluate import evaluate
from rml_export.from_tf import lower_tf
from rml_export.golden import difference
from rml_export.graph import count_by_op
from rml_export.reader import read_graph

from tests.exporter.comparing import numbers


def check(fn, *inputs: np.ndarray):
    export = lower_tf(fn, inputs, via="stablehlo", static=True)
    for got, want in zip(evaluate(export.graph, inputs), export.outputs, strict=True):
        assert difference(got, want, 1e-5, 1e-4) is None
    return export


IMAGE = (2, 8, 8, 4)
FUNCTIONS = {
    "gelu": (tf.nn.gelu, (2, 3), {"gelu": 1}),
    "gelu_tanh": (lambda x: tf.nn.gelu(x, approximate=True), (2, 3), {"gelu": 1}),
    "softmax": (tf.nn.softmax, (2, 3), {"softmax": 1}),
    "log_softmax": (tf.nn.log_softmax, (2, 3), {"log_softmax": 1}),
    "sigmoid": (tf.sigmoid, (2, 3), {"sigmoid": 1}),
    "mean": (lambda x: tf.reduce_mean(x, -1), (2, 3), {"reduce_mean": 1}),
    "relu6": (tf.nn.relu6, (2, 3), {"maximum": 1, "minimum": 1}),
    "top_k": (lambda x: tf.math.top_k(x, 2), (2, 5), {"top_k": 1, "slice": 2}),
    "argmax": (lambda x: tf.argmax(x, -1, tf.int32), (2, 5), {"argmax": 1}),
    "same_even": (lambda x: tf.nn.conv2d(x, numbers(3, 3, 4, 5), 2, "SAME"), IMAGE, {"conv2d": 1, "transpose": 2}),
    "transposed": (
        lambda x: tf.nn.conv2d_transpose(x, numbers(3, 3, 5, 4), (2, 2 * x.shape[1], 2 * x.shape[2], 5), 2),
        IMAGE,
        None,
    ),
    "depthwise": (lambda x: tf.nn.depthwise_conv2d(x, numbers(3, 3, 4, 2), [1] * 4, "SAME"), IMAGE, None),
    "dilated": (lambda x: tf.nn.conv2d(x, numbers(3, 3, 4, 5), 1, "SAME", dilations=2), IMAGE, None),
    "max_pool": (lambda x: tf.nn.max_pool2d(x, 3, 2, "SAME"), IMAGE, None),
    "average_pool": (lambda x: tf.nn.avg_pool2d(x, 2, 2, "VALID"), IMAGE, None),
    "average_pool_same": (lambda x: tf.nn.avg_pool2d(x, 3, 2, "SAME"), IMAGE, None),
    "gather": (lambda x: tf.gather(x, [2, 0], axis=1), (2, 3, 4), {"gather": 1}),
    "einsum": (lambda x: tf.einsum("bij,bkj->bik", x, x), (2, 3, 4), None),
    "cumsum": (lambda x: tf.cumsum(x, 1), (2, 3), None),
    "repeat": (lambda x: tf.repeat(x, 2, 1), (2, 3), None),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    fn, shape, counts = FUNCTIONS[name]
    export = check(fn, numbers(*shape))
    assert counts is None or count_by_op(export.graph) == counts


def test_a_loop_is_unrolled():
    def fn(x):
        return tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, tf.sin(y)), (0, x))[1]

    assert count_by_op(check(fn, numbers(2, 3)).graph) == {"sin": 3}


def test_packed_booleans():
    mask = np.random.default_rng(0).integers(0, 2, (5, 7)).astype(bool)
    check(lambda x: tf.where(tf.constant(mask), x, 0.0), numbers(5, 7))


def test_names(tmp_path):
    weight, bias = tf.Variable(numbers(3, 20), name="dense/kernel"), tf.Variable(numbers(20), name="dense/bias")
    table = tf.constant(numbers(1, 20))

    def fn(inputs):
        hidden = tf.tanh(inputs["x"] @ weight + bias)
        return {"y": hidden * table, "h": hidden + inputs["a"]}

    inputs = {"x": numbers(2, 3), "a": numbers(2, 20), "unused": numbers(2, 7)}
    export_tf(fn, (inputs,), tmp_path / "m", via="stablehlo")
    graph = read_graph(tmp_path / "m")
    assert sorted(value.name for value in graph.inputs) == ["a", "unused", "x"]
    assert [output.name for output in graph.outputs] == ["h", "y"]
    named = {value.name for value in graph.constants() if not value.name.startswith("const.")}
    assert named == {"dense/kernel", "dense/bias"}
    assert graph.batch_range == (1, 65536)
    assert all(output.rows for output in graph.outputs)


@pytest.mark.parametrize("via", ["direct", "stablehlo"])
def test_a_function_that_writes_to_its_variables(via):
    count = tf.Variable(0.0, name="count")
    with pytest.raises(ExportError, match="the function writes to its variables: count; a served model has no state"):
        lower_tf(lambda x: x + count.assign_add(1.0), (numbers(2),), via=via)


def test_a_function_that_xla_does_not_compile():
    with pytest.raises(ExportError, match="XLA cannot compile the function"):
        check(lambda x: tf.strings.length(tf.strings.as_string(x)), numbers(2))


def test_what_the_importer_cannot_lower():
    with pytest.raises(ExportError) as caught:
        check(lambda x: tf.atan2(x, x) + tf.tan(x), numbers(2, 3))
    assert [text.split(":")[0] for text in caught.value.problems] == [
        "unsupported operation stablehlo.atan2",
        "unsupported operation stablehlo.tan",
    ]
    assert all("at tf_test.py:" in text for text in caught.value.problems)


def test_a_result_of_unknown_size():
    with pytest.raises(ExportError, match=r"what comes after it was not looked at: .*whose shape is not known"):
        check(lambda x: tf.unique(x)[0], numbers(5))


def test_a_loop_on_data():
    def fn(x):
        return tf.while_loop(lambda y: tf.reduce_sum(y) < 3.0, lambda y: (y + 1.0,), (x,))[0]

    with pytest.raises(ExportError, match=r"stablehlo.while: a loop whose end depends on the inputs"):
        check(fn, numbers(2))
