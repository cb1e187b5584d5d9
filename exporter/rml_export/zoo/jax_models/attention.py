"""Transformers: transformer_block, layernorm_gelu, vit, encoder, tiny_gpt."""

import jax
import jax.numpy as jnp
from jax import Array

from rml_export.zoo.configs import Config
from rml_export.zoo.jax_models.layers import Params, block, blocks, conv, dense, layer_norm


def transformer_block(c: Config, p: Params, x: Array) -> Array:
    return block(p, "", x, c["heads"], causal=True)


def layernorm_gelu(c: Config, p: Params, x: Array) -> Array:
    return dense(p, "fc2", jax.nn.gelu(dense(p, "fc1", layer_norm(p, "norm", x)), approximate=False))


def vit(c: Config, p: Params, image: Array) -> Array:
    B = image.shape[0]
    patches = conv(p, "patch", image, stride=c["patch"]).reshape(B, c["dim"], -1).transpose(0, 2, 1)
    x = jnp.concatenate([jnp.broadcast_to(p["cls"], (B, 1, c["dim"])), patches], axis=1) + p["position"]
    return dense(p, "head", blocks(p, c, x, causal=False)[:, 0])


def embedded(p: Params, tokens: Array) -> Array:
    return jnp.take(p["embedding.weight"], tokens, axis=0) + p["position"]


def encoder(c: Config, p: Params, tokens: Array) -> tuple[Array, Array]:
    hidden = blocks(p, c, embedded(p, tokens), causal=False)
    return hidden, jnp.tanh(dense(p, "pooler", hidden[:, 0]))


def tiny_gpt(c: Config, p: Params, tokens: Array) -> Array:
    return dense(p, "head", blocks(p, c, embedded(p, tokens), causal=True))
