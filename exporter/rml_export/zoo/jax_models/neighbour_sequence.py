"""Neighbours that read sequences and tables: bert, gru, bilstm, audio_cnn, tabular."""

import jax
import jax.numpy as jnp
from jax import Array, lax

from rml_export.zoo.configs import Config
from rml_export.zoo.jax_models.layers import Params, dense, layer_norm
from rml_export.zoo.jax_models.neighbour_vision import batch_norm


def bert_layer(c: Config, p: Params, name: str, x: Array, visible: Array) -> Array:
    """Post-norm: norm(x + attention(x)), then norm(x + mlp(x))."""
    B, S, D = x.shape
    q, k, v = (
        dense(p, f"{name}.{part}", x).reshape(B, S, c["heads"], -1).transpose(0, 2, 1, 3)
        for part in ("query", "key", "value")
    )
    scores = q @ k.transpose(0, 1, 3, 2) / (D // c["heads"]) ** 0.5
    scores = jnp.where(visible, scores, jnp.finfo(jnp.float32).min)
    mixed = (jax.nn.softmax(scores, axis=-1) @ v).transpose(0, 2, 1, 3).reshape(B, S, D)
    x = layer_norm(p, f"{name}.norm1", x + dense(p, f"{name}.out", mixed))
    hidden = jax.nn.gelu(dense(p, f"{name}.fc1", x), approximate=False)
    return layer_norm(p, f"{name}.norm2", x + dense(p, f"{name}.fc2", hidden))


def bert(c: Config, p: Params, tokens: Array, mask: Array) -> tuple[Array, Array]:
    """A text classifier. mask: 1 for tokens, 0 for padding, which no token looks at."""
    x = jnp.take(p["words.weight"], tokens, axis=0) + p["positions.weight"]
    x = layer_norm(p, "norm", x + jnp.take(p["kinds.weight"], jnp.zeros_like(tokens), axis=0))
    visible = mask[:, None, None, :] != 0
    for layer in range(c["layers"]):
        x = bert_layer(c, p, f"layers.{layer}", x, visible)
    return dense(p, "head", jnp.tanh(dense(p, "pooler", x[:, 0]))), x


def gru(c: Config, p: Params, x: Array) -> Array:
    """The reset gate is applied after the recurrent product, as in PyTorch and Keras."""

    def step(h: Array, x_t: Array) -> tuple[Array, None]:
        entered = x_t @ p["gru.weight_ih_l0"].T + p["gru.bias_ih_l0"]
        kept = h @ p["gru.weight_hh_l0"].T + p["gru.bias_hh_l0"]
        (r_x, z_x, n_x), (r_h, z_h, n_h) = jnp.split(entered, 3, axis=-1), jnp.split(kept, 3, axis=-1)
        reset, update = jax.nn.sigmoid(r_x + r_h), jax.nn.sigmoid(z_x + z_h)
        return (1 - update) * jnp.tanh(n_x + reset * n_h) + update * h, None

    h, _ = lax.scan(step, jnp.zeros((x.shape[0], c["hidden"])), x.transpose(1, 0, 2))
    return dense(p, "head", h)


def lstm_states(c: Config, p: Params, x: Array, direction: str, reverse: bool) -> Array:
    """The hidden states of one direction, [batch, seq, hidden]."""
    enter, again = p[f"lstm.weight_ih_{direction}"].T, p[f"lstm.weight_hh_{direction}"].T
    bias = p[f"lstm.bias_ih_{direction}"] + p[f"lstm.bias_hh_{direction}"]

    def step(state: tuple[Array, Array], x_t: Array) -> tuple[tuple[Array, Array], Array]:
        h, cell = state
        entering, forget, new, leaving = jnp.split(x_t @ enter + h @ again + bias, 4, axis=-1)
        cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(entering) * jnp.tanh(new)
        h = jax.nn.sigmoid(leaving) * jnp.tanh(cell)
        return (h, cell), h

    zeros = jnp.zeros((x.shape[0], c["hidden"]))
    _, states = lax.scan(step, (zeros, zeros), x.transpose(1, 0, 2), reverse=reverse)
    return states.transpose(1, 0, 2)


def bilstm(c: Config, p: Params, x: Array) -> Array:
    """A tag for every step, from what came before it and what comes after."""
    forward, backward = lstm_states(c, p, x, "l0", False), lstm_states(c, p, x, "l0_reverse", True)
    return dense(p, "head", jnp.concatenate([forward, backward], axis=-1))


def conv1d_norm(p: Params, name: str, x: Array, stride: int, padding: int, dilation: int) -> Array:
    y = lax.conv_general_dilated(
        x,
        p[f"{name}.conv.weight"],
        (stride,),
        [(padding, padding)],
        rhs_dilation=(dilation,),
        dimension_numbers=("NCH", "OIH", "NCH"),
    )
    return jax.nn.relu(batch_norm(p, f"{name}.norm", y))


def audio_cnn(c: Config, p: Params, waveform: Array) -> Array:
    """Keywords in a waveform: a strided stem, then dilated convolutions, each pooled."""
    x = conv1d_norm(p, "stem", waveform, c["stem"] // 4, c["stem"] // 2, 1)
    for number in range(len(c["widths"]) - 1):
        x = conv1d_norm(p, f"blocks.{number}", x, 1, 2, 2)
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2), (1, 1, 2), "VALID")
    return jax.nn.log_softmax(dense(p, "head", x.mean(axis=-1)), axis=-1)


def tabular(c: Config, p: Params, categories: Array, numbers: Array) -> Array:
    """Columns of categories, each with its embedding, beside columns of numbers."""
    tables = [p[f"embeddings.{column}.weight"] for column in range(len(c["cardinalities"]))]
    columns = [jnp.take(table, categories[:, column], axis=0) for column, table in enumerate(tables)]
    x = jnp.concatenate([*columns, batch_norm(p, "norm", numbers)], axis=1)
    for number in range(len(c["hidden"])):
        x = batch_norm(p, f"layers.{number}.norm", jax.nn.relu(dense(p, f"layers.{number}.fc", x)))
    return jax.nn.softmax(dense(p, "head", x), axis=-1)
