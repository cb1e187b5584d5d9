"""Convolutional models: cnn, unet, clip (whose other half reads text)."""

import tensorflow as tf

from rml_export.zoo.configs import Config
from rml_export.zoo.tf_models.attention import embedded
from rml_export.zoo.tf_models.layers import Params, channels_first, channels_last, conv, dense


def cnn(c: Config, p: Params, image: tf.Tensor) -> tf.Tensor:
    x = tf.nn.max_pool2d(tf.nn.relu(conv(p, "conv1", channels_last(image), padding=1)), 2, 2, "VALID")
    x = tf.nn.max_pool2d(tf.nn.relu(conv(p, "conv2", x, padding=1)), 2, 2, "VALID")
    return dense(p, "fc", tf.reshape(channels_first(x), (x.shape[0], -1)))


def upsample(x: tf.Tensor, factor: int = 2) -> tf.Tensor:
    """Nearest neighbour."""
    N, H, W, C = x.shape
    spread = tf.broadcast_to(x[:, :, None, :, None], (N, H, factor, W, factor, C))
    return tf.reshape(spread, (N, H * factor, W * factor, C))


def unet(c: Config, p: Params, image: tf.Tensor) -> tf.Tensor:
    down = tf.nn.relu(conv(p, "down1", channels_last(image), padding=1))
    down = tf.nn.relu(conv(p, "down2", down, padding=1))
    middle = tf.nn.relu(conv(p, "middle1", tf.nn.max_pool2d(down, 2, 2, "VALID"), padding=1))
    middle = tf.nn.relu(conv(p, "middle2", middle, padding=1))
    joined = tf.concat([upsample(middle), down], axis=3)
    up = tf.nn.relu(conv(p, "up1", joined, padding=1))
    return channels_first(conv(p, "mask", tf.nn.relu(conv(p, "up2", up, padding=1))))


def clip(c: Config, p: Params, image: tf.Tensor, tokens: tf.Tensor) -> tf.Tensor:
    """Cosine similarity of every image with every text of the batch, times a temperature."""
    seen = tf.nn.relu(conv(p, "conv", channels_last(image), stride=2, padding=1))
    images = dense(p, "image", tf.reduce_mean(seen, axis=(1, 2)))
    texts = dense(p, "text", tf.reduce_mean(embedded(p, tokens), axis=1))
    images = images / tf.norm(images, axis=-1, keepdims=True)
    texts = texts / tf.norm(texts, axis=-1, keepdims=True)
    return 10.0 * tf.matmul(images, texts, transpose_b=True)
