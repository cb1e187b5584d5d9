"""Transformers: transformer_block, layernorm_gelu, vit, encoder, tiny_gpt."""

import tensorflow as tf

from rml_export.zoo.configs import Config
from rml_export.zoo.tf_models.layers import Params, block, blocks, channels_last, conv, dense, layer_norm


def transformer_block(c: Config, p: Params, x: tf.Tensor) -> tf.Tensor:
    return block(p, "", x, c["heads"], causal=True)


def layernorm_gelu(c: Config, p: Params, x: tf.Tensor) -> tf.Tensor:
    return dense(p, "fc2", tf.nn.gelu(dense(p, "fc1", layer_norm(p, "norm", x)), approximate=False))


def vit(c: Config, p: Params, image: tf.Tensor) -> tf.Tensor:
    B = image.shape[0]
    patches = tf.reshape(conv(p, "patch", channels_last(image), stride=c["patch"]), (B, -1, c["dim"]))
    x = tf.concat([tf.broadcast_to(p["cls"], (B, 1, c["dim"])), patches], axis=1) + p["position"]
    return dense(p, "head", blocks(p, c, x, causal=False)[:, 0])


def embedded(p: Params, tokens: tf.Tensor) -> tf.Tensor:
    return tf.gather(p["embedding.weight"], tokens) + p["position"]


def encoder(c: Config, p: Params, tokens: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    hidden = blocks(p, c, embedded(p, tokens), causal=False)
    return hidden, tf.tanh(dense(p, "pooler", hidden[:, 0]))


def tiny_gpt(c: Config, p: Params, tokens: tf.Tensor) -> tf.Tensor:
    return dense(p, "head", blocks(p, c, embedded(p, tokens), causal=True))
