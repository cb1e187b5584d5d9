"""Layers that several models share. Parameters are the zoo's (dense kernels [out, in], convolutions OIHW); images come
as NCHW and are NHWC inside, which is what TensorFlow's convolutions take."""

from typing import Any

import tensorflow as tf

Params = dict[str, tf.Variable]


def dense(p: Params, name: str, x: tf.Tensor) -> tf.Tensor:
    y = tf.matmul(x, tf.transpose(p[f"{name}.weight"]))
    return tf.nn.bias_add(y, p[f"{name}.bias"]) if f"{name}.bias" in p else y


def channels_last(image: tf.Tensor) -> tf.Tensor:
    return tf.transpose(image, (0, 2, 3, 1))


def channels_first(image: tf.Tensor) -> tf.Tensor:
    return tf.transpose(image, (0, 3, 1, 2))


def conv(p: Params, name: str, x: tf.Tensor, stride: int = 1, padding: int = 0) -> tf.Tensor:
    pads = [[0, 0], [padding, padding], [padding, padding], [0, 0]]
    y = tf.nn.conv2d(x, tf.transpose(p[f"{name}.weight"], (2, 3, 1, 0)), stride, pads)
    return tf.nn.bias_add(y, p[f"{name}.bias"])


def layer_norm(p: Params, name: str, x: tf.Tensor, eps: float = 1e-5) -> tf.Tensor:
    mean = tf.reduce_mean(x, axis=-1, keepdims=True)
    variance = tf.reduce_mean(tf.math.squared_difference(x, mean), axis=-1, keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + eps) * p[f"{name}.weight"] + p[f"{name}.bias"]


def attention(p: Params, name: str, x: tf.Tensor, heads: int, causal: bool) -> tf.Tensor:
    B, S, D = x.shape
    q, k, v = (
        tf.transpose(tf.reshape(dense(p, f"{name}.{part}", x), (B, S, heads, D // heads)), (0, 2, 1, 3))
        for part in ("q", "k", "v")
    )
    scores = tf.matmul(q, k, transpose_b=True) * (D // heads) ** -0.5
    if causal:
        scores = tf.where(tf.linalg.band_part(tf.ones((S, S)), -1, 0) > 0, scores, -float("inf"))
    mixed = tf.matmul(tf.nn.softmax(scores), v)
    return dense(p, f"{name}.out", tf.reshape(tf.transpose(mixed, (0, 2, 1, 3)), (B, S, D)))


def block(p: Params, name: str, x: tf.Tensor, heads: int, causal: bool) -> tf.Tensor:
    """Pre-norm: x + attention(norm(x)), then x + mlp(norm(x))."""
    x = x + attention(p, f"{name}attention", layer_norm(p, f"{name}norm1", x), heads, causal)
    hidden = tf.nn.gelu(dense(p, f"{name}fc1", layer_norm(p, f"{name}norm2", x)), approximate=True)
    return x + dense(p, f"{name}fc2", hidden)


def blocks(p: Params, c: dict[str, Any], x: tf.Tensor, causal: bool) -> tf.Tensor:
    """The stack of blocks and the last norm."""
    for layer in range(c["layers"]):
        x = block(p, f"blocks.{layer}.", x, c["heads"], causal)
    return layer_norm(p, "norm", x)
