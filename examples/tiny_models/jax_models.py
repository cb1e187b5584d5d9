"""The models in JAX."""

import jax
import jax.numpy as jnp
from jax import Array, lax
from rml_export.from_jax import JaxModel

from examples.tiny_models import cnn, lstm, transformer

Params = dict[str, Array]


def dense(p: Params, name: str, x: Array) -> Array:
    return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]


def cnn_model(p: Params, image: Array) -> Array:
    maps = lax.conv_general_dilated(image, p["conv.weight"], (1, 1), "VALID") + p["conv.bias"][:, None, None]
    window = (1, 1, 2, 2)
    pooled = lax.reduce_window(jax.nn.relu(maps), -jnp.inf, lax.max, window, window, "VALID")
    return dense(p, "fc", pooled.reshape(2, -1))


def lstm_model(p: Params, x: Array) -> Array:
    bias = p["lstm.bias_ih_l0"] + p["lstm.bias_hh_l0"]

    def step(state: tuple[Array, Array], x_t: Array) -> tuple[tuple[Array, Array], None]:
        h, cell = state
        gates = x_t @ p["lstm.weight_ih_l0"].T + h @ p["lstm.weight_hh_l0"].T + bias
        enter, forget, new, leave = jnp.split(gates, 4, axis=-1)
        cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(enter) * jnp.tanh(new)
        return (jax.nn.sigmoid(leave) * jnp.tanh(cell), cell), None

    zeros = jnp.zeros((2, lstm.HIDDEN))
    (h, _), _ = lax.scan(step, (zeros, zeros), x.transpose(1, 0, 2))
    return dense(p, "head", h)


def layer_norm(p: Params, name: str, x: Array) -> Array:
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    return centred * lax.rsqrt(variance + transformer.EPS) * p[f"{name}.weight"] + p[f"{name}.bias"]


def transformer_model(p: Params, x: Array) -> Array:
    entered = layer_norm(p, "norm1", x)
    q, k, v = (dense(p, name, entered).reshape(2, 3, transformer.HEADS, 4).transpose(0, 2, 1, 3) for name in "qkv")
    scores = jnp.where(jnp.tril(jnp.ones((3, 3), bool)), q @ k.transpose(0, 1, 3, 2) * 0.5, -jnp.inf)
    mixed = jax.nn.softmax(scores, axis=-1) @ v
    x = x + dense(p, "out", mixed.transpose(0, 2, 1, 3).reshape(2, 3, 8))
    return x + dense(p, "fc2", jax.nn.gelu(dense(p, "fc1", layer_norm(p, "norm2", x)), approximate=True))


FRONT_ENDS = {
    "cnn": lambda: JaxModel(cnn_model, cnn.WEIGHTS, (cnn.X,), ["x"], ["y"]),
    "lstm": lambda: JaxModel(lstm_model, lstm.WEIGHTS, (lstm.X,), ["x"], ["y"]),
    "transformer": lambda: JaxModel(transformer_model, transformer.WEIGHTS, (transformer.X,), ["x"], ["y"]),
}
