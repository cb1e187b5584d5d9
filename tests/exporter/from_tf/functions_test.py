"""Calls, loops and branches, names and lines of code: what surrounds the operations of a graph."""

import numpy as np
import pytest
import tensorflow as tf
from rml_export import ExportError, export_tf
from rml_export.export import ExportOptions, lower_checked
from rml_export.from_tf import TfModel, lower_tf
from rml_export.from_tf.lowering import LOWERINGS
from rml_export.golden import Tolerance
from rml_export.graph import count_by_op
from rml_export.reader import read_graph

from tests.exporter.comparing import integers, numbers
from tests.exporter.from_tf.lower import check

W = tf.Variable(numbers(3, 3), name="inner/kernel")


@tf.function
def plain(x):
    return tf.tanh(x @ W)


@tf.function(jit_compile=True)
def compiled(x):
    return tf.tanh(x @ W)


@tf.custom_gradient
def with_gradient(x):
    return tf.sin(x), lambda upstream: upstream


def counted(body, count=3):
    """A loop that TensorFlow keeps as one."""
    return lambda x: tf.while_loop(lambda i, s: i < count, lambda i, s: (i + 1, body(i, s)), [0, x])[1]


CALLS = {
    "function": lambda x: plain(plain(x)),
    "compiled": lambda x: compiled(x) + 1,
    "compiled_in_function": lambda x: tf.function(lambda y: compiled(y) * 2)(x),
    "custom_gradient": with_gradient,
    "recompute_grad": tf.recompute_grad(lambda x: tf.sin(x) * 2),
    "numpy_function_of_constants": lambda x: x + np.arange(3, dtype=np.float32),
    "loop": counted(lambda i, s: tf.tanh(s) + tf.cast(i, tf.float32)),
    "loop_of_calls": counted(lambda i, s: compiled(plain(s))),
    "loop_over_no_trips": counted(lambda i, s: s * 2, 0),
    "loop_in_loop": counted(lambda i, s: counted(lambda j, t: t * 0.5 + tf.cast(i * j, tf.float32))(s)),
    "branch": lambda x: tf.cond(tf.constant(True), lambda: tf.sin(x), lambda: tf.cos(x)),
    "other_branch": lambda x: tf.function(lambda p, y: tf.cond(p, lambda: y, lambda: y @ W))(tf.constant(False), x),
    "map_by_hand": lambda x: tf.stack([tf.sin(row) for row in tf.unstack(x)]),
    "while_with_shape": counted(lambda i, s: s + tf.cast(tf.shape(s)[0] * tf.size(s) * tf.rank(s), tf.float32)),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    check(CALLS[name], numbers(4, 3), others=[(numbers(4, 3, seed=2),)])


def test_switches_and_loops_of_tensorflow_1_are_refused():
    def switch(x):
        return tf.switch_case(tf.cast(tf.reduce_sum(x), tf.int32), [lambda: x, lambda: -x])

    with pytest.raises(ExportError, match="unsupported op _SwitchN: control flow in pieces"):
        lower_tf(switch, (numbers(4, 3),))
    graph = tf.Graph()
    with graph.as_default():
        tf.compat.v1.disable_control_flow_v2()
        x = tf.compat.v1.placeholder(tf.float32, (4, 3), "x")
        tf.identity(tf.compat.v1.while_loop(lambda s: tf.reduce_sum(s) < 30, lambda s: s + 1, [x]), "y")
        tf.compat.v1.enable_control_flow_v2()

    def loop(x):
        return tf.graph_util.import_graph_def(graph.as_graph_def(), {"x": x}, ["y:0"])

    with pytest.raises(ExportError) as caught:
        lower_tf(loop, (np.ones((4, 3), np.float32),))
    assert {"Enter", "Merge", "LoopCond", "Switch", "NextIteration", "Exit"} == {
        problem.split()[2].rstrip(":") for problem in caught.value.problems
    }


def test_recurrences_share_one_projection():
    u = tf.Variable(numbers(5, 5, seed=1))
    w = tf.Variable(numbers(3, 5))

    def rnn(x):
        h = tf.zeros((2, 5))
        for t in range(6):
            h = tf.tanh(x[:, t] @ w + h @ u)
        return h

    export = check(rnn, numbers(2, 6, 3))
    assert count_by_op(export.graph)["matmul"] == 6  # one for the input; the first step's state is zero


def test_keras_embedding_is_one_gather_that_wraps():
    layer = tf.keras.layers.Embedding(7, 4)
    export = check(layer, integers(2, 3, low=0, high=7), others=[(integers(2, 3, low=-7, high=7),)])
    assert [(node.op, node.attrs["wrap"], node.attrs["mode"]) for node in export.graph.nodes] == [
        ("gather", True, "error")
    ]


def test_constants_have_the_variables_names(tmp_path):
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(20, name="fc"), tf.keras.layers.ReLU()])
    turned, moved = tf.Variable(numbers(20, 20), name="turned"), tf.Variable(numbers(20, 30), name="moved")

    def fn(x):
        return (
            tf.reshape(plain(x) @ tf.reshape(model.layers[0].kernel, (3, 20)), (-1, 20)) @ tf.transpose(turned) @ moved
        )

    export_tf(fn, (numbers(2, 3),), tmp_path / "m")
    names = {value.name for value in read_graph(tmp_path / "m").constants()}
    assert {"inner/kernel", "turned.transpose", "moved"} < names
    assert any(name.endswith("fc/kernel") for name in names)


def test_a_saved_models_signature(tmp_path):
    module = tf.Module()
    module.w = tf.Variable(numbers(3, 20), name="w")
    spec = {"x": tf.TensorSpec((None, 3), tf.float32), "a": tf.TensorSpec((None, 20), tf.float32)}
    module.fn = tf.function(
        lambda x, a: {"y": x @ module.w + a, "twice": a * 2}, input_signature=[spec["x"], spec["a"]]
    )
    tf.saved_model.save(module, tmp_path / "saved", signatures=module.fn)
    loaded = tf.saved_model.load(tmp_path / "saved")  # whose variables live as long as it does
    export_tf(loaded.signatures["serving_default"], {"x": numbers(2, 3), "a": numbers(2, 20)}, tmp_path / "m")
    graph = read_graph(tmp_path / "m")
    assert [value.name for value in graph.inputs] == ["a", "x"]
    assert [output.name for output in graph.outputs] == ["twice", "y"]
    assert count_by_op(graph) == {"matmul": 1, "add": 1, "mul": 1}


def test_names_of_nested_inputs():
    made = lower_tf(lambda d: d["b"] + d["a"], ({"b": numbers(2, 3), "a": numbers(2, 3)},))
    assert [value.name for value in made.graph.inputs] == ["a", "b"]
    made = lower_tf(lambda pair, c: pair[0] + pair[1] + c, ((numbers(2, 3), numbers(2, 3)), numbers(2, 3)))
    assert [value.name for value in made.graph.inputs] == ["input_0", "input_1", "input_2"]


def test_returned_and_unused_inputs():
    export = lower_tf(lambda a, b, c: (a, c + 1), (numbers(2, 3), numbers(2, 4), numbers(2, 5)))
    assert count_by_op(export.graph) == {"reshape": 1, "add": 1}
    assert len(export.graph.inputs) == 3


def test_lines_of_code_lead_into_calls():
    @tf.function
    def inner(x):
        return tf.math.lgamma(x)  # here

    with pytest.raises(ExportError, match=r"unsupported op Lgamma: .* at functions_test.py:\d+: return tf.math.lgamma"):
        lower_tf(lambda x: inner(x) + 1, (numbers(4, 3),))
    with pytest.raises(ExportError, match=r"unsupported op Lgamma: .* in 'while/"):
        lower_tf(counted(lambda i, s: tf.math.lgamma(s)), (numbers(4, 3),))


def test_the_first_wrong_operation_is_named(monkeypatch):
    monkeypatch.setitem(LOWERINGS, "Sin", lambda c, x: c("cos", x))
    with pytest.raises(ExportError, match=r"differs from tensorflow: .*; first at Sin 'Sin' at functions_test.py:\d+"):
        lower_tf(lambda x: tf.exp(tf.sin(x * 2)), (numbers(2, 3),))


def test_no_operation_is_named_if_none_differs():
    model = TfModel(lambda x: tf.sin(x) * 2, (numbers(2, 3),))
    lowered, _ = lower_checked(model, model.examples, ExportOptions())
    assert lowered.blame(Tolerance()) == "no single operation differs by more than the tolerance"
