"""Layers that several models share. Parameters are the zoo's: dense kernels [out, in], convolutions OIHW, NCHW."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

Params = dict[str, Array]


def dense(p: Params, name: str, x: Array) -> Array:
    y = x @ p[f"{name}.weight"].T
    return y + p[f"{name}.bias"] if f"{name}.bias" in p else y


def conv(p: Params, name: str, x: Array, stride: int = 1, padding: int = 0) -> Array:
    pads = [(padding, padding)] * 2
    numbers = ("NCHW", "OIHW", "NCHW")
    y = lax.conv_general_dilated(x, p[f"{name}.weight"], (stride, stride), pads, dimension_numbers=numbers)
    return y + p[f"{name}.bias"][:, None, None]


def max_pool(x: Array, size: int = 2) -> Array:
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, size, size), (1, 1, size, size), "VALID")


def layer_norm(p: Params, name: str, x: Array, eps: float = 1e-5) -> Array:
    mean = jnp.mean(x, axis=-1, keepdims=True)
    centred = x - mean
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    return centred * lax.rsqrt(variance + eps) * p[f"{name}.weight"] + p[f"{name}.bias"]


def attention(p: Params, name: str, x: Array, heads: int, causal: bool) -> Array:
    B, S, D = x.shape
    q, k, v = (
        dense(p, f"{name}.{part}", x).reshape(B, S, heads, D // heads).transpose(0, 2, 1, 3) for part in ("q", "k", "v")
    )
    scores = q @ k.transpose(0, 1, 3, 2) * (D // heads) ** -0.5
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones((S, S), bool)), scores, -jnp.inf)
    mixed = jax.nn.softmax(scores, axis=-1) @ v
    return dense(p, f"{name}.out", mixed.transpose(0, 2, 1, 3).reshape(B, S, D))


def block(p: Params, name: str, x: Array, heads: int, causal: bool) -> Array:
    """Pre-norm: x + attention(norm(x)), then x + mlp(norm(x))."""
    x = x + attention(p, f"{name}attention", layer_norm(p, f"{name}norm1", x), heads, causal)
    hidden = jax.nn.gelu(dense(p, f"{name}fc1", layer_norm(p, f"{name}norm2", x)), approximate=True)
    return x + dense(p, f"{name}fc2", hidden)


def blocks(p: Params, c: dict[str, Any], x: Array, causal: bool) -> Array:
    """The stack of blocks and the last norm."""
    for layer in range(c["layers"]):
        x = block(p, f"blocks.{layer}.", x, c["heads"], causal)
    return layer_norm(p, "norm", x)
