"""Recurrences by lax.scan and the mixture of experts: rnn, lstm, ssm, moe."""

import jax
import jax.numpy as jnp
from jax import Array, lax

from rml_export.zoo.configs import Config
from rml_export.zoo.jax_models.layers import Params, dense


def rnn(c: Config, p: Params, x: Array) -> Array:
    bias = p["rnn.bias_ih_l0"] + p["rnn.bias_hh_l0"]

    def step(h: Array, x_t: Array) -> tuple[Array, None]:
        return jnp.tanh(x_t @ p["rnn.weight_ih_l0"].T + h @ p["rnn.weight_hh_l0"].T + bias), None

    h, _ = lax.scan(step, jnp.zeros((x.shape[0], c["hidden"])), x.transpose(1, 0, 2))
    return dense(p, "head", h)


def lstm(c: Config, p: Params, x: Array) -> Array:
    bias = p["lstm.bias_ih_l0"] + p["lstm.bias_hh_l0"]

    def step(state: tuple[Array, Array], x_t: Array) -> tuple[tuple[Array, Array], None]:
        h, cell = state
        gates = x_t @ p["lstm.weight_ih_l0"].T + h @ p["lstm.weight_hh_l0"].T + bias
        enter, forget, new, leave = jnp.split(gates, 4, axis=-1)
        cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(enter) * jnp.tanh(new)
        return (jax.nn.sigmoid(leave) * jnp.tanh(cell), cell), None

    zeros = jnp.zeros((x.shape[0], c["hidden"]))
    (h, _), _ = lax.scan(step, (zeros, zeros), x.transpose(1, 0, 2))
    return dense(p, "head", h)


def ssm(c: Config, p: Params, x: Array) -> Array:
    """A diagonal linear state space: h_t = a * h_(t-1) + B x_t, y_t = C h_t + D * x_t, with a = sigmoid(decay)."""
    a = jax.nn.sigmoid(p["decay"])
    entered = dense(p, "enter", x).transpose(1, 0, 2)

    def step(state: Array, entering: Array) -> tuple[Array, Array]:
        state = a * state + entering
        return state, state

    _, states = lax.scan(step, entered[0], entered[1:])
    states = jnp.concatenate([entered[:1], states]).transpose(1, 0, 2)
    return dense(p, "leave", states) + p["skip"] * x


def moe(c: Config, p: Params, x: Array) -> Array:
    """Every expert runs on every token; the router's best ones count, weighted by their renormalised probabilities."""
    chances, chosen = lax.top_k(jax.nn.softmax(dense(p, "router", x), axis=-1), c["top"])
    chances = chances / chances.sum(axis=-1, keepdims=True)
    result = x
    for number in range(c["experts"]):
        share = jnp.where(chosen == number, chances, 0.0).sum(axis=-1, keepdims=True)
        hidden = jax.nn.gelu(dense(p, f"experts.{number}.fc1", x), approximate=False)
        result = result + share * dense(p, f"experts.{number}.fc2", hidden)
    return result
