"""The models in TensorFlow; images come as NCHW and are NHWC inside, which is what its convolutions take."""

from collections.abc import Callable

import numpy as np
import tensorflow as tf
from rml_export.from_tf import TfModel

from examples.tiny_models import cnn, lstm, transformer

Params = dict[str, tf.Variable]


def dense(p: Params, name: str, x: tf.Tensor) -> tf.Tensor:
    return tf.matmul(x, tf.transpose(p[f"{name}.weight"])) + p[f"{name}.bias"]


def cnn_model(p: Params, image: tf.Tensor) -> tf.Tensor:
    kernel = tf.transpose(p["conv.weight"], (2, 3, 1, 0))
    maps = tf.nn.relu(tf.nn.conv2d(tf.transpose(image, (0, 2, 3, 1)), kernel, 1, "VALID") + p["conv.bias"])
    pooled = tf.transpose(tf.nn.max_pool2d(maps, 2, 2, "VALID"), (0, 3, 1, 2))
    return dense(p, "fc", tf.reshape(pooled, (2, 8)))


def lstm_model(p: Params, x: tf.Tensor) -> tf.Tensor:
    bias = p["lstm.bias_ih_l0"] + p["lstm.bias_hh_l0"]
    enter, again = tf.transpose(p["lstm.weight_ih_l0"]), tf.transpose(p["lstm.weight_hh_l0"])
    h = cell = tf.zeros((2, lstm.HIDDEN))
    for t in range(lstm.STEPS):
        gates = tf.matmul(x[:, t], enter) + tf.matmul(h, again) + bias
        entering, forget, new, leaving = tf.split(gates, 4, axis=-1)
        cell = tf.sigmoid(forget) * cell + tf.sigmoid(entering) * tf.tanh(new)
        h = tf.sigmoid(leaving) * tf.tanh(cell)
    return dense(p, "head", h)


def layer_norm(p: Params, name: str, x: tf.Tensor) -> tf.Tensor:
    mean = tf.reduce_mean(x, axis=-1, keepdims=True)
    variance = tf.reduce_mean(tf.math.squared_difference(x, mean), axis=-1, keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + transformer.EPS) * p[f"{name}.weight"] + p[f"{name}.bias"]


def transformer_model(p: Params, x: tf.Tensor) -> tf.Tensor:
    def heads(name: str) -> tf.Tensor:
        return tf.transpose(tf.reshape(dense(p, name, entered), (2, 3, transformer.HEADS, 4)), (0, 2, 1, 3))

    entered = layer_norm(p, "norm1", x)
    scores = tf.matmul(heads("q"), heads("k"), transpose_b=True) * 0.5
    scores = tf.where(tf.linalg.band_part(tf.ones((3, 3)), -1, 0) > 0, scores, -float("inf"))
    mixed = tf.transpose(tf.matmul(tf.nn.softmax(scores), heads("v")), (0, 2, 1, 3))
    x = x + dense(p, "out", tf.reshape(mixed, (2, 3, 8)))
    return x + dense(p, "fc2", tf.nn.gelu(dense(p, "fc1", layer_norm(p, "norm2", x)), approximate=True))


def front_end(model: Callable, weights: dict[str, np.ndarray], x: np.ndarray) -> TfModel:
    variables = {name: tf.Variable(array, name=name) for name, array in weights.items()}
    return TfModel(lambda x: model(variables, x), (x,), ["x"], ["y"])


FRONT_ENDS = {
    "cnn": lambda: front_end(cnn_model, cnn.WEIGHTS, cnn.X),
    "lstm": lambda: front_end(lstm_model, lstm.WEIGHTS, lstm.X),
    "transformer": lambda: front_end(transformer_model, transformer.WEIGHTS, transformer.X),
}
