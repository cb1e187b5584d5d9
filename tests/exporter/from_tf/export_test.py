"""Keras models, names, what is refused and how, files."""

import numpy as np
import pytest
import tensorflow as tf
from rml_export import ExportError, export_tf
from rml_export.from_tf import lower_tf
from rml_export.graph import count_by_op
from rml_export.reader import read_graph

from tests.exporter.from_tf.lower import check, numbers

L = tf.keras.layers
KERAS = {
    "dense": ((8,), lambda: [L.Dense(5, "relu"), L.Dense(3, "softmax")]),
    "cnn": (
        (8, 8, 2),
        lambda: [
            L.Conv2D(4, 3, padding="same"),
            L.BatchNormalization(),
            L.ReLU(),
            L.MaxPool2D(),
            L.Flatten(),
            L.Dense(3),
        ],
    ),
    "separable": ((8, 8, 2), lambda: [L.SeparableConv2D(4, 3, activation="swish"), L.GlobalAveragePooling2D()]),
    "layer_norm": ((4, 6), lambda: [L.LayerNormalization(), L.Dense(6, "gelu")]),
    "upsampling": ((4, 4, 2), lambda: [L.UpSampling2D(), L.ZeroPadding2D(1), L.AveragePooling2D(2)]),
    "one_dimension": ((9, 2), lambda: [L.Conv1D(3, 3, activation="elu"), L.GlobalMaxPooling1D()]),
    "unrolled_lstm": ((4, 3), lambda: [L.LSTM(5, unroll=True)]),
    "unrolled_gru": ((4, 3), lambda: [L.GRU(5, unroll=True)]),
    "dropout": ((6,), lambda: [L.Dropout(0.5), L.PReLU(), L.Reshape((2, 3)), L.Permute((2, 1))]),
}


@pytest.mark.parametrize("name", KERAS)
def test_keras_models(name):
    shape, layers = KERAS[name]
    tf.keras.utils.set_random_seed(7)
    model = tf.keras.Sequential([tf.keras.Input(shape), *layers()])
    check(lambda x: model(x, training=False), numbers(2, *shape))


def test_keras_attention():
    layer = L.MultiHeadAttention(2, 4)
    x = numbers(2, 5, 8)
    layer(x, x)
    check(lambda x: layer(x, x), x)


UNSUPPORTED = {
    "cumsum": (lambda x: tf.cumsum(x, axis=1), "Cumsum"),
    "floor": (lambda x: tf.floor(x), "Floor"),
    "while": (
        lambda x: tf.while_loop(lambda s: tf.reduce_sum(s) < 3, lambda s: s + 1, [x]),
        "whose end depends on",
    ),
    "cond": (lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x, lambda: -x), "choose with tf.where"),
    "random": (lambda x: x + tf.random.normal((4, 3)), "random"),
    "gather_rows": (lambda x: tf.gather(x, tf.cast(x, tf.int32), axis=1, batch_dims=1), "batch dimensions"),
    "transposed_convolution": (
        lambda x: tf.nn.conv2d_transpose(x[None, :, :, None], tf.ones((2, 2, 1, 1)), (1, 8, 6, 1), 2),
        "Conv2DBackpropInput",
    ),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_unsupported(name):
    fn, text = UNSUPPORTED[name]
    with pytest.raises(ExportError, match=text) as caught:
        lower_tf(fn, (numbers(4, 3),), static=True)
    assert "export_test.py:" in str(caught.value)


def test_all_problems_at_once(tmp_path):
    with pytest.raises(ExportError) as caught:
        export_tf(lambda x: tf.cumsum(tf.floor(x), 1) + tf.floor(x * 2), (numbers(4, 3),), tmp_path / "m")
    assert len(caught.value.problems) == 2
    assert "(and 1 more)" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_function_that_raises():
    with pytest.raises(ExportError, match="TensorFlow cannot trace the function: "):
        lower_tf(lambda x: tf.matmul(x, tf.ones((7, 2))), (numbers(4, 3),))


def test_names_and_any_batch(tmp_path):
    w = tf.Variable(numbers(3, 20), name="kernel")

    def fn(x):
        return {"y": tf.tanh(x @ w), "a": x * 2}

    export_tf(fn, (numbers(2, 3),), tmp_path / "m", input_names=["x"])
    graph = read_graph(tmp_path / "m")
    assert [value.name for value in graph.inputs] == ["x"]
    assert [output.name for output in graph.outputs] == ["a", "y"]
    assert graph.batch_range == (1, 65536)
    assert all(output.rows for output in graph.outputs)
    assert count_by_op(graph) == {"matmul": 1, "tanh": 1, "mul": 1}


def test_wrong_numbers_of_names():
    with pytest.raises(ExportError, match="2 input names for 1 inputs"):
        lower_tf(lambda x: x + 1, (np.ones(2, np.float32),), input_names=["a", "b"])
    with pytest.raises(ExportError, match="2 output names for 1 outputs"):
        lower_tf(lambda x: x + 1, (np.ones(2, np.float32),), output_names=["a", "b"])
