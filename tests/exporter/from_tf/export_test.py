"""Keras models and the files that they become."""

import pytest
import tensorflow as tf
from rml_export import export_tf
from rml_export.graph import count_by_op
from rml_export.reader import read_graph

from tests.exporter.comparing import numbers
from tests.exporter.from_tf.lower import check

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
    "convolutions": (
        (9, 9, 4),
        lambda: [
            L.Conv2D(6, 3, dilation_rate=2),
            L.Conv2D(4, 3, groups=2, strides=2),
            L.DepthwiseConv2D(2, activation="selu"),
        ],
    ),
    "separable_line": (
        (9, 4),
        lambda: [L.SeparableConv1D(3, 3, padding="same"), L.AveragePooling1D(2), L.UpSampling1D(2)],
    ),
    "norms": (
        (6, 6, 4),
        lambda: [L.GroupNormalization(2), L.UnitNormalization(), L.Rescaling(2.0, 1.0), L.Cropping2D(1)],
    ),
    "activations": (
        (6,),
        lambda: [
            L.Activation("mish"),
            L.Activation("hard_silu"),
            L.LeakyReLU(),
            L.ELU(),
            L.Activation("softplus"),
            L.Softmax(),
        ],
    ),
    "repeated": ((6,), lambda: [L.RepeatVector(3), L.TimeDistributed(L.Dense(2, "tanh")), L.GlobalAveragePooling1D()]),
    "simple_rnn": ((4, 3), lambda: [L.SimpleRNN(5, unroll=True, return_sequences=True), L.Dense(2)]),
    "both_ways": ((4, 3), lambda: [L.Bidirectional(L.LSTM(3, unroll=True, return_sequences=True))]),
    "old_gru": ((4, 3), lambda: [L.GRU(5, unroll=True, reset_after=False)]),
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


def test_keras_graph_of_layers():
    left, right = tf.keras.Input((4,)), tf.keras.Input((3,))
    hidden = L.Concatenate()([L.Dense(5, "relu")(left), right])
    model = tf.keras.Model([left, right], [L.Dense(2)(hidden), L.Dot(1)([hidden, hidden])])
    check(lambda a, b: model([a, b]), numbers(2, 4), numbers(2, 3))


def test_keras_attention():
    layer = L.MultiHeadAttention(2, 4)
    x = numbers(2, 5, 8)
    layer(x, x)
    check(lambda x: layer(x, x), x)


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
