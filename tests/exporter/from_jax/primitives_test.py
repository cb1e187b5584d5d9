"""Every primitive that has a lowering against JAX, special values included."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from rml_export.evaluate import evaluate
from rml_export.from_jax import lower_jax
from rml_export.graph import count_by_op

from tests.exporter.comparing import SPECIAL, integers, numbers
from tests.exporter.from_jax.lower import check

UNARY = {
    "neg": jnp.negative,
    "abs": jnp.abs,
    "exp": jnp.exp,
    "log": jnp.log,
    "sqrt": jnp.sqrt,
    "rsqrt": lax.rsqrt,
    "sin": jnp.sin,
    "cos": jnp.cos,
    "tanh": jnp.tanh,
    "erf": lax.erf,
    "sigmoid": jax.nn.sigmoid,
    "silu": jax.nn.silu,
    "relu": jax.nn.relu,
    "relu6": jax.nn.relu6,
    "elu": jax.nn.elu,
    "leaky_relu": jax.nn.leaky_relu,
    "softplus": jax.nn.softplus,
    "hard_swish": jax.nn.hard_swish,
    "gelu_tanh": lambda x: jax.nn.gelu(x, approximate=True),
    "square": jnp.square,
    "cube": lambda x: x**3,
    "fourth": lambda x: x**4,
    "inverse": lambda x: x**-1,
    "minus_two": lambda x: x**-2,
    "two_and_a_half_power": lambda x: jnp.abs(x) ** 2.5,
    "power_of_two": lambda x: 2.0**x,
    "sign": jnp.sign,
    "clip": lambda x: jnp.clip(x, -0.5, 0.5),
    "clamp": lambda x: lax.clamp(-1.0, x, 2.0),
    "log1p": jnp.log1p,
    "expm1": jnp.expm1,
    "erfc": lax.erfc,
    "floor": jnp.floor,
    "ceil": jnp.ceil,
    "round": jnp.round,
    "round_away": lambda x: lax.round(x + 0.5) + lax.round(x * 4),
    "trunc": jnp.trunc,
    "floor_divide": lambda x: x // 0.75,
    "mod": lambda x: x % 0.75,
    "isfinite": jnp.isfinite,
    "isnan": jnp.isnan,
    "isinf": jnp.isinf,
    "where": lambda x: jnp.where(x > 0, x, 0.0),
    "not": lambda x: ~(x > 0),
    "logic": lambda x: ((x > 0) & (x < 1)) | (x < -1) ^ (x > 2),
    "to_bool": lambda x: x.astype(bool),
    "x_plus_0": lambda x: x + 0.0,
    "x_times_0": lambda x: x * 0.0,
    "stop_gradient": lax.stop_gradient,
    "softmax": jax.nn.softmax,
    "log_softmax": jax.nn.log_softmax,
    "max": lambda x: jnp.max(x, axis=-1),
    "mean": lambda x: jnp.mean(x, axis=0),
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    special = np.stack([SPECIAL, SPECIAL * np.float32(0.01)])
    check(jax.jit(UNARY[name]), numbers(2, 15), others=[(special,)])


def test_exact_gelu_is_one_node_and_keeps_its_tail():
    x = np.array([[-10.0, -5.0, -2.0, 0.0, 1.0]], np.float32)
    export = check(lambda x: jax.nn.gelu(x, approximate=False), x)
    assert count_by_op(export.graph) == {"gelu": 1}


def test_erfc_keeps_its_tail():
    """Relatively: an absolute tolerance would not see it."""
    x = np.array([-np.inf, -20, -3, -0.5, -1e-6, 0, 1e-6, 0.5, 2, 4, 6, 8, 9, 20, np.inf, np.nan], np.float32)
    export = lower_jax(lambda _, x: jax.scipy.special.erfc(x), (), (x,), static=True)
    (got,) = evaluate(export.graph, [x])
    np.testing.assert_allclose(got, [math.erfc(value) for value in x.astype(np.float64)], rtol=2e-5, atol=1e-38)


BINARY = {
    "add": jnp.add,
    "sub": jnp.subtract,
    "mul": jnp.multiply,
    "div": jnp.divide,
    "max": jnp.maximum,
    "min": jnp.minimum,
    "pow": jnp.power,
    "eq": jnp.equal,
    "ne": jnp.not_equal,
    "lt": jnp.less,
    "le": jnp.less_equal,
    "gt": jnp.greater,
    "ge": jnp.greater_equal,
    "rem": lax.rem,
    "clamp_by_values": lambda a, b: lax.clamp(b + a * 0 - 1, a + b * 0, b + a * 0),
}


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    check(BINARY[name], numbers(15, 1), numbers(1, 15, seed=1), others=[(SPECIAL[:, None], SPECIAL[None, :])])


INTEGER = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "floor_divide": lambda a, b: a // b,
    "remainder": lambda a, b: a % b,
    "rem": lax.rem,
    "div": lax.div,
    "square": lambda a, b: a**2,
    "max": jnp.maximum,
    "sum": lambda a, b: (a + b).sum(axis=0),
    "compare": lambda a, b: a < b,
    "to_float": lambda a, b: a.astype(jnp.float32) / 2,
    "sign": lambda a, b: jnp.sign(a),
    "clip": lambda a, b: jnp.clip(a, -2, 3),
}


@pytest.mark.parametrize("name", INTEGER)
def test_integers(name):
    b = integers(4, 6, seed=1)
    check(INTEGER[name], integers(4, 6), np.where(b == 0, 3, b).astype(np.int32))


X = numbers(2, 3, 4, 5)
SHAPES = {
    "reshape": lambda x: x.reshape(6, 20),
    "transpose": lambda x: x.transpose(3, 0, 2, 1),
    "squeeze": lambda x: x[:, :1].squeeze(1),
    "expand": lambda x: x[:, None, :, None],
    "broadcast": lambda x: jnp.broadcast_to(x[:, :1, :, :1], (2, 3, 4, 5)) + 1,
    "slice": lambda x: x[:, 1:, ::2, 1:4],
    "negative_step": lambda x: x[:, ::-1],
    "flip": lambda x: jnp.flip(x, (1, 3)),
    "concatenate": lambda x: jnp.concatenate([x, x * 2, jnp.ones((2, 3, 1, 5))], axis=2),
    "stack": lambda x: jnp.stack([x, -x], axis=1),
    "split": lambda x: jnp.split(x, [1, 3], axis=3),
    "pad": lambda x: jnp.pad(x, ((0, 0), (1, 2), (0, 0), (3, 0)), constant_values=1.5),
    "pad_with_infinity": lambda x: lax.pad(x, -jnp.inf, ((0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 0))),
    "negative_pad": lambda x: lax.pad(x, 0.0, ((0, 0, 0), (0, 0, 0), (-1, 2, 0), (1, -2, 0))),
    "pad_between": lambda x: lax.pad(x, 2.5, ((0, 0, 0), (0, 0, 1), (1, 0, 2), (0, -3, 1))),
    "roll": lambda x: jnp.roll(x, 2, axis=3),
    "tile": lambda x: jnp.tile(x, (1, 1, 2, 1)),
    "repeat": lambda x: jnp.repeat(x, 2, axis=2),
    "tril": lambda x: jnp.tril(x),
    "moveaxis": lambda x: jnp.moveaxis(x, 1, -1),
    "dynamic_slice": lambda x: lax.dynamic_slice(x, (0, 1, 2, 3), (2, 2, 2, 2)),
    "swap_last": lambda x: jnp.swapaxes(x, 2, 3),
    "one_hot": lambda x: jax.nn.one_hot(jnp.argmax(x, axis=3), 5),
    "argmin": lambda x: jnp.argmin(x, axis=1),
    "cumsum": lambda x: jnp.cumsum(x, axis=2),
    "cumsum_reverse": lambda x: lax.cumsum(x, axis=3, reverse=True),
    "sort": lambda x: jnp.sort(x, axis=3),
    "argsort": lambda x: jnp.argsort(x, axis=3),
    "top_k": lambda x: lax.top_k(x, 2),
    "any_all": lambda x: ((x > 0).any(axis=1), (x > 0).all(axis=2)),
    "prod": lambda x: x.prod(axis=3),
    "var": lambda x: x.var(axis=3),
    "norm": lambda x: jnp.linalg.norm(x, axis=-1),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    check(SHAPES[name], X, others=[(numbers(2, 3, 4, 5, seed=7),)])


PRODUCTS = {
    "matmul": (lambda a, b: a @ b, (3, 4), (4, 5)),
    "batched": (lambda a, b: a @ b, (2, 3, 4), (2, 4, 5)),
    "weight": (lambda a, b: a @ b, (2, 3, 4), (4, 5)),
    "matrix_of_many": (lambda a, b: a @ b, (3, 4), (2, 4, 5)),
    "vector": (lambda a, b: a @ b, (3, 4), (4,)),
    "dot": (jnp.dot, (4,), (4,)),
    "outer": (jnp.outer, (3,), (4,)),
    "einsum_heads": (lambda a, b: jnp.einsum("bqhd,bkhd->bhqk", a, b), (2, 3, 4, 5), (2, 6, 4, 5)),
    "einsum_two_axes": (lambda a, b: jnp.einsum("bij,ijk->bk", a, b), (2, 3, 4), (3, 4, 5)),
    "tensordot": (lambda a, b: jnp.tensordot(a, b, 1), (2, 3, 4), (4, 5, 6)),
    "einsum_last_batch": (lambda a, b: jnp.einsum("ijb,jkb->bik", a, b), (3, 4, 2), (4, 5, 2)),
    "attention": (lambda a, b: jax.nn.dot_product_attention(a, b, b), (2, 3, 4, 5), (2, 6, 4, 5)),
    "causal_attention": (
        lambda a, b: jax.nn.dot_product_attention(a, b, b, is_causal=True),
        (2, 3, 4, 5),
        (2, 3, 4, 5),
    ),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name):
    fn, a, b = PRODUCTS[name]
    check(fn, numbers(*a), numbers(*b, seed=1))


def conv(x, w, dims, **kwargs):
    return lax.conv_general_dilated(x, w, dimension_numbers=dims, **kwargs)


NCHW, NHWC = ("NCHW", "OIHW", "NCHW"), ("NHWC", "HWIO", "NHWC")
CONVOLUTIONS = {
    "plain": ((2, 3, 8, 9), (4, 3, 3, 2), NCHW, {"window_strides": (1, 1), "padding": "VALID"}),
    "same_even": ((2, 3, 8, 8), (4, 3, 3, 3), NCHW, {"window_strides": (2, 2), "padding": "SAME"}),
    "channels_last": ((2, 8, 8, 3), (3, 3, 3, 4), NHWC, {"window_strides": (1, 2), "padding": "SAME"}),
    "dilated": (
        (1, 3, 9, 9),
        (2, 3, 3, 3),
        NCHW,
        {"window_strides": (1, 1), "padding": "SAME", "rhs_dilation": (2, 2)},
    ),
    "groups": (
        (1, 4, 5, 5),
        (6, 2, 3, 3),
        NCHW,
        {"window_strides": (1, 1), "padding": "SAME", "feature_group_count": 2},
    ),
    "depthwise": (
        (1, 5, 5, 4),
        (3, 3, 1, 8),
        NHWC,
        {"window_strides": (1, 1), "padding": "SAME", "feature_group_count": 4},
    ),
    "one_dimension": ((2, 7, 3), (3, 3, 4), ("NWC", "WIO", "NWC"), {"window_strides": (2,), "padding": [(1, 2)]}),
}


TRANSPOSED = {
    "spread": ((2, 3, 4, 5), (4, 3, 3, 2), NCHW, {"padding": [(2, 2), (1, 1)], "lhs_dilation": (2, 3)}),
    "more_at_the_end": ((2, 3, 4, 5), (4, 3, 3, 3), NCHW, {"padding": [(1, 2), (1, 3)], "lhs_dilation": (2, 2)}),
    "zeros_around": ((1, 3, 4, 5), (4, 3, 2, 2), NCHW, {"padding": [(3, 4), (0, 3)], "lhs_dilation": (2, 2)}),
    "cut": ((1, 3, 4, 5), (4, 3, 2, 2), NCHW, {"padding": [(-1, 0), (0, -2)], "lhs_dilation": (2, 2)}),
    "every_second": (
        (1, 3, 4, 5),
        (4, 3, 2, 3),
        NCHW,
        {"window_strides": (2, 3), "padding": [(1, 0), (1, 2)], "lhs_dilation": (3, 2)},
    ),
    "dilated_kernel": (
        (1, 4, 5, 3),
        (3, 2, 3, 4),
        NHWC,
        {"padding": [(4, 4), (2, 2)], "lhs_dilation": (2, 1), "rhs_dilation": (2, 2)},
    ),
    "groups": (
        (1, 4, 3, 3),
        (6, 2, 3, 3),
        NCHW,
        {"padding": [(1, 1), (2, 2)], "lhs_dilation": (2, 2), "feature_group_count": 2},
    ),
    "one_dimension": ((2, 5, 3), (3, 3, 4), ("NWC", "WIO", "NWC"), {"padding": [(1, 2)], "lhs_dilation": (3,)}),
}


@pytest.mark.parametrize("name", TRANSPOSED)
def test_transposed_convolutions(name):
    x, w, dims, kwargs = TRANSPOSED[name]
    strides = {"window_strides": (1,) * len(kwargs["lhs_dilation"])}
    export = check(lambda x, w: conv(x, w, dims, **{**strides, **kwargs}), numbers(*x), numbers(*w, seed=1))
    assert count_by_op(export.graph)["conv_transpose2d"] == 1


@pytest.mark.parametrize(("padding", "transpose_kernel"), [("SAME", False), ("VALID", True)])
def test_conv_transpose(padding, transpose_kernel):
    w = numbers(3, 4, *((2, 3) if transpose_kernel else (3, 2)), seed=1)
    check(lambda x: lax.conv_transpose(x, w, (2, 2), padding, transpose_kernel=transpose_kernel), numbers(2, 5, 4, 3))


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name):
    x, w, dims, kwargs = CONVOLUTIONS[name]
    check(lambda x, w: conv(x, w, dims, **kwargs), numbers(*x), numbers(*w, seed=1))


WINDOWS = {
    "max": (lax.max, -np.inf, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
    "max_same": (lax.max, -np.inf, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
    "min": (lax.min, np.inf, (1, 2, 3, 1), (1, 1, 1, 1), "VALID"),
    "sum": (lax.add, 0.0, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
    "sum_same": (lax.add, 0.0, (1, 3, 3, 1), (1, 1, 1, 1), "SAME"),
    "one_axis": (lax.max, -np.inf, (1, 1, 1, 2), (1, 1, 1, 2), "VALID"),
    "batch_and_channel": (lax.max, -np.inf, (2, 1, 1, 2), (2, 1, 1, 2), "VALID"),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_windows(name):
    op, init, size, stride, padding = WINDOWS[name]
    check(lambda x: lax.reduce_window(x, init, op, size, stride, padding), numbers(2, 7, 8, 4, low=-5, high=-1))


def test_a_window_up_to_each_element_is_a_running_sum():
    for pads in [(3, 0), (0, 3)]:
        fn = lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 4, 1), (1, 1, 1), ((0, 0), pads, (0, 0)))  # noqa: B023, E731
        assert count_by_op(check(fn, numbers(2, 4, 3)).graph) == {"cumsum": 1}


TABLE = numbers(6, 4)
GATHERS = {
    "take": (lambda i: jnp.take(TABLE, i, axis=0), integers(2, 3, low=-8, high=8)),
    "take_columns": (lambda i: jnp.take(TABLE, i, axis=1), integers(5, low=-4, high=4)),
    "take_clip": (lambda i: jnp.take(TABLE, i, axis=0, mode="clip"), integers(2, 3, low=-8, high=8)),
    "index": (lambda i: jnp.asarray(TABLE)[i], integers(2, 3, low=-6, high=6)),
    "index_two_axes": (lambda i: jnp.asarray(TABLE).at[i[0], i[1]].get(mode="clip"), integers(2, 3, low=0, high=4)),
    "dynamic_index": (lambda i: lax.dynamic_index_in_dim(jnp.asarray(TABLE), i[0], 0), integers(1, low=-2, high=9)),
    "scalar": (lambda i: jnp.asarray(TABLE)[i[0]], integers(1, low=0, high=6)),
}


@pytest.mark.parametrize("name", GATHERS)
def test_gathers(name):
    fn, indices = GATHERS[name]
    export = check(fn, indices)
    assert count_by_op(export.graph)["gather"] == 1
    assert "where" not in count_by_op(export.graph) or name == "index_two_axes"


def test_gather_of_inputs_at_constant_places():
    check(lambda x: x[:, np.array([2, 0, 1]), np.array([1, 1, 0])], numbers(2, 3, 4))
    check(lambda x: x[:, :, 2], numbers(2, 3, 4))


ROWS = {  # every row is read by indices of its own
    "along_last": (lambda x, i: jnp.take_along_axis(x, i, axis=2), (2, 3, 5), (-6, 6)),
    "along_first": (lambda x, i: jnp.take_along_axis(x, i, axis=0), (5, 3, 4), (-2, 2)),
    "clipped": (lambda x, i: jnp.take_along_axis(x, i, axis=1, mode="clip"), (2, 6, 4), (-9, 9)),
    "one_of_each": (lambda x, i: jax.vmap(lambda row, at: row[at])(x, i[:, 0, 0]), (2, 3, 4), (0, 3)),
    "slices": (lambda x, i: jax.vmap(lambda row, at: row[at])(x, i[:, :, 0]), (2, 3, 4), (0, 3)),
    "grid_of_slices": (lambda x, i: jax.vmap(lambda row, at: jnp.take(row, at, axis=1))(x, i), (2, 3, 4), (0, 4)),
    "batch_inside": (
        lambda x, i: jax.vmap(lambda row, at: row[:, at], in_axes=(1, 2), out_axes=1)(x, i),
        (2, 3, 4),
        (0, 4),
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_gathers_of_rows(name):
    fn, shape, (low, high) = ROWS[name]
    index_shape = (*shape[:2], 3) if name == "batch_inside" else shape
    export = check(fn, numbers(*shape), integers(*index_shape, low=low, high=high))
    assert count_by_op(export.graph)["gather_elements"] == 1
    if name.startswith("along"):  # the index is read as it came: gather_elements wraps it
        assert "where" not in count_by_op(export.graph)
