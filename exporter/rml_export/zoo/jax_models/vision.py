"""Convolutional models: cnn, unet, clip (whose other half reads text)."""

import jax
import jax.numpy as jnp
from jax import Array

from rml_export.zoo.configs import Config
from rml_export.zoo.jax_models.attention import embedded
from rml_export.zoo.jax_models.layers import Params, conv, dense, max_pool


def cnn(c: Config, p: Params, image: Array) -> Array:
    x = max_pool(jax.nn.relu(conv(p, "conv1", image, padding=1)))
    x = max_pool(jax.nn.relu(conv(p, "conv2", x, padding=1)))
    return dense(p, "fc", x.reshape(x.shape[0], -1))


def upsample(x: Array, factor: int = 2) -> Array:
    """Nearest neighbour."""
    N, C, H, W = x.shape
    spread = jnp.broadcast_to(x[:, :, :, None, :, None], (N, C, H, factor, W, factor))
    return spread.reshape(N, C, H * factor, W * factor)


def unet(c: Config, p: Params, image: Array) -> Array:
    down = jax.nn.relu(conv(p, "down1", image, padding=1))
    down = jax.nn.relu(conv(p, "down2", down, padding=1))
    middle = jax.nn.relu(conv(p, "middle1", max_pool(down), padding=1))
    middle = jax.nn.relu(conv(p, "middle2", middle, padding=1))
    joined = jnp.concatenate([upsample(middle), down], axis=1)
    up = jax.nn.relu(conv(p, "up1", joined, padding=1))
    return conv(p, "mask", jax.nn.relu(conv(p, "up2", up, padding=1)))


def clip(c: Config, p: Params, image: Array, tokens: Array) -> Array:
    """Cosine similarity of every image with every text of the batch, times a temperature."""
    images = dense(p, "image", jax.nn.relu(conv(p, "conv", image, stride=2, padding=1)).mean(axis=(2, 3)))
    texts = dense(p, "text", embedded(p, tokens).mean(axis=1))
    images = images / jnp.linalg.norm(images, axis=-1, keepdims=True)
    texts = texts / jnp.linalg.norm(texts, axis=-1, keepdims=True)
    return 10.0 * (images @ texts.T)
