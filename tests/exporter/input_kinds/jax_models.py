"""The cases in JAX."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from rml_export.from_jax import JaxModel

from tests.exporter.input_kinds import cases as c


def attention(**options: Any) -> Callable[..., Any]:
    """jax.nn's has sequence before head."""

    def fn(_: Any, q: Any, k: Any, v: Any) -> Any:
        swapped = (jnp.swapaxes(x, 1, 2) for x in (q, k, v))
        return jnp.swapaxes(jax.nn.dot_product_attention(*swapped, **options), 1, 2)

    return fn


def max_pool(_: Any, x: Any) -> Any:
    pads = ((0, 0), (0, 0), (1, 1), (1, 1))
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), pads)


def ones_conv(size: tuple[int, int], stride: int, padding: Any, **options: Any) -> Callable[..., Any]:
    return lambda _, x: lax.conv_general_dilated(x, jnp.ones((1, 1, *size)), (stride, stride), padding, **options)


def norm(x: Any) -> Any:
    d = x - x.mean(-1, keepdims=True)
    return d * lax.rsqrt((d * d).mean(-1, keepdims=True) + 1e-5)


def gru(params: Any, x: Any) -> Any:
    def step(h: Any, row: Any) -> tuple[Any, None]:
        given = row @ params["w_ih"].T + params["b_ih"]
        hidden = h @ params["w_hh"].T + params["b_hh"]
        r, z = (jax.nn.sigmoid(given[:, i : i + 2] + hidden[:, i : i + 2]) for i in (0, 2))
        n = jnp.tanh(given[:, 4:] + r * hidden[:, 4:])
        return (1 - z) * n + z * h, None

    return lax.scan(step, jnp.zeros((x.shape[0], 2)), jnp.swapaxes(x, 0, 1))[0]


def top_k(_: Any, x: Any) -> Any:
    return lax.top_k(x, 3)


MODELS: dict[str, Callable[..., Any]] = {
    "sdpa_causal_one_query": attention(is_causal=True),
    "sdpa_causal_fewer_queries": attention(is_causal=True),
    "sdpa_scale": attention(scale=c.SCALE),
    "max_pool_negative": max_pool,
    "max_pool_nan": max_pool,
    "conv_same_even": ones_conv((3, 3), 2, "SAME"),
    "conv_uneven_kernel": ones_conv((3, 2), 2, ((1, 1), (1, 1))),
    "conv_dilated": ones_conv((3, 3), 1, "SAME", rhs_dilation=(2, 2)),
    "maximum_nan": lambda _, a, b: jnp.maximum(a, b),
    "minimum_nan": lambda _, a, b: jnp.minimum(a, b),
    "clip_nan": lambda _, x: jnp.clip(x, -1, 1),
    "relu_nan": lambda _, x: jax.nn.relu(x),
    "reduce_max_nan": lambda _, x: x.max(1),
    "gelu_tail": lambda _, x: jax.nn.gelu(x, approximate=False),
    "gelu_both": lambda _, x: (jax.nn.gelu(x, approximate=False), jax.nn.gelu(x, approximate=True)),
    "sigmoid_small": lambda _, x: jax.nn.sigmoid(x),
    "layer_norm_large_mean": lambda _, x: norm(x) * c.NORM_WEIGHT + c.NORM_BIAS,
    "layer_norm_huge": lambda _, x: norm(x),
    "norm_scale_per_row": lambda _, x: norm(x) * c.ROW_SCALE,
    "norm_one_axis": lambda _, x: norm(x) * c.NORM_WEIGHT,
    "integers_floor": lambda _, a, b: (a // b, a % b),
    "integers_truncate": lambda _, a, b: (lax.div(a, b), lax.rem(a, b)),
    "gather_clamped": lambda _, x, i: jnp.take(x, i, mode="clip"),
    "gather_filled": lambda _, x, i: jnp.take(x, i),
    "gather_wrapped": lambda _, x, i: x[i],
    "top_k_ties": top_k,
    "argmax_ties": lambda _, x: jnp.argmax(x, 1),
    "gru": gru,
    "transposed_weight": lambda params, x: x @ params.T,
    "tied_weight": lambda params, tokens: params[tokens] @ params.T,
    "empty_matmul": lambda _, a, b: a @ b,
    "empty_reduce": lambda _, x: (x.sum(1), x.prod(1)),
    "empty_concat": lambda _, a, b: jnp.concatenate([a, b], 1),
    "bias_on_the_last_axis": lambda _, x: x + c.BIAS,
    "sum_of_one_axis": lambda _, x: x.sum(1),
    "transpose_after_sum": lambda _, x: x.sum(2).T,
}

ABSENT = {
    "sdpa_masked_row": "jax.nn.dot_product_attention averages the values in a masked row",
    "avg_pool_ceil": "reduce_window has no ceil mode",
}
PARAMS = {"gru": c.GRU, "transposed_weight": np.asfortranarray(c.WEIGHT), "tied_weight": c.TABLE}


def shuffle_by_hand(x: Any) -> Any:
    rows, _, height, width = x.shape
    return x.reshape(rows, 3, 2, height, width).swapaxes(1, 2).reshape(rows, 6, height, width)


# For batches_test.py
SHUFFLES = {"by hand": shuffle_by_hand}
BAKED_IN = {
    "reshape": lambda x: x.reshape(2, 36) * 2,
    "state": lambda x: x + jnp.arange(x.shape[0] * 1.0)[:, None, None, None],
}


def of(fn: Callable[..., Any], examples: Sequence[np.ndarray]) -> JaxModel:
    return JaxModel(lambda _, *inputs: fn(*inputs), (), tuple(examples))


def front_end(name: str, examples: Sequence[np.ndarray]) -> JaxModel:
    return JaxModel(MODELS[name], PARAMS.get(name, ()), tuple(examples))
