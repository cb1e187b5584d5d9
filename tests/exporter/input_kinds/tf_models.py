"""The cases in TensorFlow, whose images have their channels last."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from rml_export.from_tf import TfModel

from tests.exporter.input_kinds import cases as c


def channels_last(layer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: tf.transpose(layer(tf.transpose(x, (0, 2, 3, 1))), (0, 3, 1, 2))


def ones_conv(size: tuple[int, int], stride: int, padding: Any, rate: int = 1) -> Callable[[Any], Any]:
    kernel = np.ones((*size, 1, 1), np.float32)
    return channels_last(lambda x: tf.nn.conv2d(x, kernel, stride, padding, dilations=rate))


def norm(x: Any) -> Any:
    d = x - tf.reduce_mean(x, -1, keepdims=True)
    return d * tf.math.rsqrt(tf.reduce_mean(d * d, -1, keepdims=True) + 1e-5)


def attention(scale: float) -> Callable[..., Any]:
    return lambda q, k, v: tf.matmul(tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * scale), v)


def causal(q: Any, k: Any, v: Any) -> Any:
    scores = tf.matmul(q, k, transpose_b=True) * 0.5
    allowed = tf.linalg.band_part(tf.ones(scores.shape[-2:]), -1, 0)
    return tf.matmul(tf.nn.softmax(tf.where(allowed > 0, scores, -np.inf)), v)


def same_pool(x: Any) -> Any:
    """The same windows as with one row and column around: the rest is padding that never wins."""
    padded = tf.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=-3e38)
    return tf.nn.max_pool2d(padded, 3, 2, "VALID")


def gru(x: Any) -> Any:
    h = tf.zeros((x.shape[0], 2))
    for step in range(x.shape[1]):
        given = tf.matmul(x[:, step], c.GRU["w_ih"].T) + c.GRU["b_ih"]
        hidden = tf.matmul(h, c.GRU["w_hh"].T) + c.GRU["b_hh"]
        r, z = (tf.sigmoid(given[:, i : i + 2] + hidden[:, i : i + 2]) for i in (0, 2))
        n = tf.tanh(given[:, 4:] + r * hidden[:, 4:])
        h = (1 - z) * n + z * h
    return h


def top_k(x: Any) -> Any:
    return tuple(tf.math.top_k(x, 3))


WEIGHT = tf.Variable(np.asfortranarray(c.WEIGHT))
TABLE = tf.Variable(c.TABLE)

MODELS: dict[str, Callable[..., Any]] = {
    "sdpa_causal_one_query": causal,
    "sdpa_causal_fewer_queries": causal,
    "sdpa_scale": attention(c.SCALE),
    "max_pool_negative": channels_last(same_pool),
    "max_pool_nan": channels_last(same_pool),
    "conv_same_even": ones_conv((3, 3), 2, "SAME"),
    "conv_uneven_kernel": ones_conv((3, 2), 2, ((0, 0), (1, 1), (1, 1), (0, 0))),
    "conv_dilated": ones_conv((3, 3), 1, "SAME", 2),
    "maximum_nan": tf.maximum,
    "minimum_nan": tf.minimum,
    "clip_nan": lambda x: tf.clip_by_value(x, -1, 1),
    "relu_nan": tf.nn.relu,
    "reduce_max_nan": lambda x: tf.reduce_max(x, 1),
    "gelu_tail": lambda x: 0.5 * x * tf.math.erfc(-x * np.float32(np.sqrt(0.5))),
    "gelu_both": lambda x: (tf.nn.gelu(x), tf.nn.gelu(x, approximate=True)),
    "sigmoid_small": tf.sigmoid,
    "layer_norm_large_mean": lambda x: norm(x) * c.NORM_WEIGHT + c.NORM_BIAS,
    "layer_norm_huge": norm,
    "norm_scale_per_row": lambda x: norm(x) * c.ROW_SCALE,
    "norm_one_axis": lambda x: norm(x) * c.NORM_WEIGHT,
    "integers_floor": lambda a, b: (a // b, a % b),
    "integers_truncate": lambda a, b: (tf.truncatediv(a, b), a - tf.truncatediv(a, b) * b),
    "gather_wrapped": lambda x, i: tf.gather(x, tf.where(i < 0, i + 3, i)),
    "top_k_ties": top_k,
    "argmax_ties": lambda x: tf.argmax(x, 1, output_type=tf.int32),
    "gru": gru,
    "transposed_weight": lambda x: tf.matmul(x, WEIGHT, transpose_b=True),
    "tied_weight": lambda tokens: tf.matmul(tf.gather(TABLE, tokens), TABLE, transpose_b=True),
    "empty_matmul": tf.matmul,
    "empty_reduce": lambda x: (tf.reduce_sum(x, 1), tf.reduce_prod(x, 1)),
    "empty_concat": lambda a, b: tf.concat([a, b], 1),
    "bias_on_the_last_axis": lambda x: x + c.BIAS,
    "sum_of_one_axis": lambda x: tf.reduce_sum(x, 1),
    "transpose_after_sum": lambda x: tf.transpose(tf.reduce_sum(x, 2)),
}

ABSENT = {
    "sdpa_masked_row": "TensorFlow has no op of attention; softmax of a masked row is NaN",
    "avg_pool_ceil": "TensorFlow's pools have no ceil mode",
    "gather_clamped": "tf.gather refuses indices out of range on CPUs",
    "gather_filled": "tf.gather refuses indices out of range on CPUs",
}


def shuffle_by_hand(x: Any) -> Any:
    rows, _, height, width = x.shape
    parts = tf.transpose(tf.reshape(x, (rows, 3, 2, height, width)), (0, 2, 1, 3, 4))
    return tf.reshape(parts, (rows, 6, height, width))


# For batches_test.py
SHUFFLES = {"by hand": shuffle_by_hand}
BAKED_IN = {
    "reshape": lambda x: tf.reshape(x, (2, 36)) * 2,
    "state": lambda x: x + tf.range(x.shape[0] * 1.0)[:, None, None, None],
}


def of(fn: Callable[..., Any], examples: Sequence[np.ndarray]) -> TfModel:
    return TfModel(fn, tuple(examples))


def front_end(name: str, examples: Sequence[np.ndarray]) -> TfModel:
    return of(MODELS[name], examples)
