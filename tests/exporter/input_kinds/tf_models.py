"""The cases in TensorFlow. Images come as NCHW and are NHWC inside."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from rml_export.from_tf import TfModel

from tests.exporter.input_kinds import cases as c

L = tf.keras.layers


def attention(scale: float = 0.5, causal: bool = False) -> Callable[..., Any]:
    def fn(q: Any, k: Any, v: Any) -> Any:
        scores = tf.matmul(q, k, transpose_b=True) * scale
        if causal:
            seen = tf.linalg.band_part(tf.ones(scores.shape[-2:]), -1, 0) > 0
            scores = tf.where(seen, scores, -np.inf)
        return tf.nn.softmax(scores) @ v

    return fn


def image(fn: Callable[..., Any]) -> Callable[..., Any]:
    """fn of channels-last images as a function of channels-first ones."""
    return lambda x: tf.transpose(fn(tf.transpose(x, (0, 2, 3, 1))), (0, 3, 1, 2))


AROUND = [[0, 0], [1, 1], [1, 1], [0, 0]]
max_pool = image(lambda x: tf.nn.max_pool2d(x, 3, 2, AROUND))


def ones_conv(size: tuple[int, int], stride: int, padding: Any, **options: Any) -> Callable[..., Any]:
    return image(lambda x: tf.nn.conv2d(x, tf.ones((*size, 1, 1)), stride, padding, **options))


def norm(x: Any) -> Any:
    mean = tf.reduce_mean(x, -1, keepdims=True)
    variance = tf.reduce_mean(tf.math.squared_difference(x, mean), -1, keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5)


def gru() -> Callable[..., Any]:
    """Keras' default, which has its gates in another order."""
    layer = L.GRU(2, unroll=True)
    layer.build((None, 4, 3))
    order = [2, 3, 0, 1, 4, 5]
    biases = np.stack([c.GRU["b_ih"], c.GRU["b_hh"]])
    layer.set_weights([c.GRU["w_ih"][order].T, c.GRU["w_hh"][order].T, biases[:, order]])
    return lambda x: layer(x)


def dense_without_bias() -> Callable[..., Any]:
    layer = L.Dense(5, use_bias=False)
    layer.build((None, 4))
    layer.set_weights([c.WEIGHT.T])
    return lambda x: layer(x)


def tied() -> Callable[..., Any]:
    table = tf.Variable(c.TABLE)
    return lambda tokens: tf.matmul(tf.nn.embedding_lookup(table, tokens), table, transpose_b=True)


MODELS: dict[str, Callable[..., Any]] = {
    "sdpa_causal_one_query": attention(causal=True),
    "sdpa_causal_fewer_queries": attention(causal=True),
    "sdpa_scale": attention(c.SCALE),
    "max_pool_negative": max_pool,
    "max_pool_nan": max_pool,
    "conv_same_even": ones_conv((3, 3), 2, "SAME"),
    "conv_uneven_kernel": ones_conv((3, 2), 2, AROUND),
    "conv_dilated": ones_conv((3, 3), 1, "SAME", dilations=2),
    "maximum_nan": tf.maximum,
    "minimum_nan": tf.minimum,
    "clip_nan": lambda x: tf.clip_by_value(x, -1, 1),
    "relu_nan": tf.nn.relu,
    "reduce_max_nan": lambda x: tf.reduce_max(x, 1),
    "gelu_tail": lambda x: tf.nn.gelu(x),
    "gelu_both": lambda x: (tf.nn.gelu(x), tf.nn.gelu(x, approximate=True)),
    "sigmoid_small": tf.sigmoid,
    "layer_norm_large_mean": lambda x: norm(x) * c.NORM_WEIGHT + c.NORM_BIAS,
    "layer_norm_huge": norm,
    "norm_scale_per_row": lambda x: norm(x) * c.ROW_SCALE,
    "norm_one_axis": lambda x: norm(x) * c.NORM_WEIGHT,
    "integers_floor": lambda a, b: (a // b, a % b),
    "integers_truncate": lambda a, b: (tf.truncatediv(a, b), tf.truncatemod(a, b)),
    "gather_clamped": lambda x, i: tf.gather(x, tf.clip_by_value(i, 0, 2)),
    "gather_wrapped": lambda x, i: tf.gather(x, tf.where(i < 0, i + 3, i)),
    "top_k_ties": lambda x: tf.math.top_k(x, 3),
    "argmax_ties": lambda x: tf.argmax(x, 1, output_type=tf.int32),
    "gru": gru(),
    "transposed_weight": dense_without_bias(),
    "tied_weight": tied(),
    "empty_matmul": tf.matmul,
    "empty_reduce": lambda x: (tf.reduce_sum(x, 1), tf.reduce_prod(x, 1)),
    "empty_concat": lambda a, b: tf.concat([a, b], 1),
    "bias_on_the_last_axis": lambda x: tf.nn.bias_add(x, c.BIAS),
    "sum_of_one_axis": lambda x: tf.reduce_sum(x, 1),
    "transpose_after_sum": lambda x: tf.transpose(tf.reduce_sum(x, 2)),
}

ABSENT = {
    "sdpa_masked_row": "TensorFlow has no attention op; Keras' layer averages the values in a masked row",
    "avg_pool_ceil": "pools have no ceil mode",
    "gather_filled": "tf.gather refuses what is out of range",
}


def shuffle_by_hand(x: Any) -> Any:
    rows, _, height, width = x.shape
    apart = tf.reshape(x, (rows, 3, 2, height, width))
    return tf.reshape(tf.transpose(apart, (0, 2, 1, 3, 4)), (rows, 6, height, width))


# For batches_test.py
SHUFFLES = {"by hand": shuffle_by_hand}
BAKED_IN = {
    "reshape": lambda x: tf.reshape(x, (2, 36)) * 2,
    "state": lambda x: x + tf.reshape(tf.range(float(x.shape[0])), (-1, 1, 1, 1)),
}


def of(fn: Callable[..., Any], examples: Sequence[np.ndarray]) -> TfModel:
    return TfModel(fn, tuple(examples))


def front_end(name: str, examples: Sequence[np.ndarray]) -> TfModel:
    return of(MODELS[name], examples)
