"""Every operation that has a lowering against TensorFlow, special values included."""

import math

import numpy as np
import pytest
import tensorflow as tf
from rml_export.evaluate import evaluate
from rml_export.graph import count_by_op

from tests.exporter.comparing import SPECIAL, integers, numbers
from tests.exporter.from_tf.lower import check

UNARY = {
    "neg": tf.negative,
    "abs": tf.abs,
    "exp": tf.exp,
    "log": tf.math.log,
    "sqrt": tf.sqrt,
    "rsqrt": tf.math.rsqrt,
    "reciprocal": tf.math.reciprocal,
    "sin": tf.sin,
    "cos": tf.cos,
    "tanh": tf.tanh,
    "erf": tf.math.erf,
    "sigmoid": tf.sigmoid,
    "silu": tf.nn.silu,
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "leaky_relu": tf.nn.leaky_relu,
    "elu": tf.nn.elu,
    "selu": tf.nn.selu,
    "softsign": tf.nn.softsign,
    "square": tf.square,
    "cube": lambda x: x**3,
    "sign": tf.sign,
    "floor": tf.floor,
    "ceil": tf.math.ceil,
    "round": tf.round,
    "rint": tf.math.rint,
    "clip": lambda x: tf.clip_by_value(x, -0.5, 0.5),
    "is_nan": tf.math.is_nan,
    "is_inf": tf.math.is_inf,
    "is_finite": tf.math.is_finite,
    "where": lambda x: tf.where(x > 0, x, 0.0),
    "logic": lambda x: tf.logical_not((x > 0) & (x < 1)) | (x < -1),
    "to_bool": lambda x: tf.cast(x, tf.bool),
    "x_plus_0": lambda x: x + 0.0,
    "zeros_like": lambda x: x + tf.zeros_like(x) - tf.ones_like(x),
    "stop_gradient": tf.stop_gradient,
    "add_n": lambda x: tf.add_n([x, x, x]),
    "max": lambda x: tf.reduce_max(x, axis=-1),
    "mean": lambda x: tf.reduce_mean(x, axis=0, keepdims=True),
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    check(tf.function(UNARY[name]), numbers(2, 15), others=[(np.stack([SPECIAL, SPECIAL * np.float32(0.5)]),)])


@pytest.mark.parametrize("fn", [tf.nn.softmax, tf.nn.log_softmax])
def test_softmax(fn):
    """Of a row with NaN TensorFlow's kernel makes zeros, with +inf it depends on the place: no case of ours."""
    masked = np.where(numbers(3, 15, seed=2) > 0, np.float32(-np.inf), numbers(3, 15, seed=3, low=-90, high=90))
    check(fn, numbers(2, 15), others=[(masked[:2],)])


# Of numbers that are near 0 or far below it, relatively: an absolute tolerance would not see what is lost.
TAILS = {
    "softplus": (tf.nn.softplus, lambda x: np.logaddexp(0, x), (-80.0, -20.0, -5.0, 0.0, 3.0, 50.0)),
    "log1p": (tf.math.log1p, np.log1p, (-0.9, -1e-3, -1e-6, 1e-8, 1e-3, 0.5, 7.0, 1e30)),
    "expm1": (tf.math.expm1, np.expm1, (-50.0, -1.0, -1e-3, -1e-6, 1e-8, 1e-3, 0.5, 7.0, 80.0)),
    "elu": (tf.nn.elu, lambda x: np.where(x > 0, x, np.expm1(x)), (-50.0, -1.0, -1e-3, -1e-6, 1e-8, 7.0)),
    "erfc": (tf.math.erfc, np.vectorize(math.erfc), (-20.0, -3.0, -1e-6, 0.0, 1e-6, 0.5, 2.0, 4.0, 6.0, 8.0, 9.0)),
}


@pytest.mark.parametrize("name", TAILS)
def test_tails(name):
    fn, exact, places = TAILS[name]
    x = np.array(places, np.float32)
    (got,) = evaluate(check(fn, x).graph, [x])
    np.testing.assert_allclose(got, exact(x.astype(np.float64)), rtol=2e-5, atol=1e-38)


@pytest.mark.parametrize("approximate", [False, True])
def test_gelu_is_one_node(approximate):
    export = check(lambda x: tf.nn.gelu(x, approximate=approximate), numbers(2, 15, low=-6, high=6))
    assert count_by_op(export.graph) == {"gelu": 1}


BINARY = {
    "add": tf.add,
    "sub": tf.subtract,
    "mul": tf.multiply,
    "div": tf.divide,
    "maximum": tf.maximum,
    "minimum": tf.minimum,
    "pow": lambda a, b: tf.pow(tf.abs(a), b),
    "squared_difference": tf.math.squared_difference,
    "div_no_nan": tf.math.divide_no_nan,
    "floor_divide": lambda a, b: a // b,
    "floor_mod": lambda a, b: a % b,
    "truncate_mod": tf.truncatemod,
    "equal": tf.equal,
    "less": tf.less,
    "greater_equal": tf.greater_equal,
    "greater": tf.greater,
    "less_equal": tf.less_equal,
    "not_equal": tf.not_equal,
    "clip_by_values": lambda a, b: tf.clip_by_value(a + b * 0, b - 1, b + 1),
    "select": lambda a, b: tf.compat.v1.where(a > b, a + b * 0, b + a * 0),
}


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    check(BINARY[name], numbers(15, 1), numbers(1, 15, seed=1))


INTEGER = {
    "add": lambda a, b: a + b,
    "floor_divide": lambda a, b: a // b,
    "floor_mod": lambda a, b: a % b,
    "truncate": lambda a, b: tf.truncatediv(a, b),
    "sum": lambda a, b: tf.reduce_sum(a * b, axis=0),
    "truncate_mod": tf.truncatemod,
    "mod_of_v1": lambda a, b: tf.raw_ops.Mod(x=a, y=b),
    "div_of_v1": lambda a, b: tf.raw_ops.Div(x=a, y=b),
    "square": lambda a, b: a**2,
    "maximum": tf.maximum,
    "abs_neg": lambda a, b: tf.abs(a) - tf.negative(b),
    "compare": lambda a, b: (a < b, tf.equal(a, b)),
    "max_min": lambda a, b: (tf.reduce_max(a, 0), tf.reduce_min(b, 1)),
    "to_bool": lambda a, b: tf.cast(a, tf.bool),
    "from_bool": lambda a, b: tf.cast(a > b, tf.int32) + tf.cast(a < 0, tf.int32),
    "wide": lambda a, b: tf.cast(a, tf.int64) * tf.cast(b, tf.int64),
    "clip": lambda a, b: tf.clip_by_value(a, -2, 3),
    "concat": lambda a, b: tf.concat([a, b, tf.ones((4, 1), tf.int32)], 1),
    "pad": lambda a, b: tf.pad(a, [[1, 0], [0, 2]], constant_values=7),
    "stack": lambda a, b: tf.stack([a, b, tf.zeros_like(a)], axis=-1),
    "to_float": lambda a, b: tf.cast(a, tf.float32) / 2,
    "sign": lambda a, b: tf.sign(a),
    "one_hot": lambda a, b: tf.one_hot(a, 5),
    "one_hot_first": lambda a, b: tf.one_hot(b, 4, axis=0, on_value=2.0, off_value=-1.0),
}


@pytest.mark.parametrize("name", INTEGER)
def test_integers(name):
    b = integers(4, 6, seed=1)
    check(INTEGER[name], integers(4, 6), np.where(b == 0, 3, b).astype(np.int32))


X = numbers(2, 3, 4, 5)
SHAPES = {
    "reshape": lambda x: tf.reshape(x, (tf.shape(x)[0] * 3, -1)),
    "transpose": lambda x: tf.transpose(x, (3, 0, 2, 1)),
    "squeeze": lambda x: tf.squeeze(x[:, :1], 1),
    "expand": lambda x: tf.expand_dims(x, 2),
    "new_axis": lambda x: x[:, None, ..., None],
    "slice": lambda x: x[:, 1:, ::2, 1:4],
    "negative_step": lambda x: x[:, ::-1, 3:0:-2],
    "pick": lambda x: x[:, -1, :, 2],
    "ellipsis": lambda x: x[..., 1:3],
    "plain_slice": lambda x: tf.slice(x, (0, 1, 0, 2), (-1, 2, -1, 3)),
    "concat": lambda x: tf.concat([x, x * 2, tf.ones((2, 3, 1, 5))], axis=2),
    "stack": lambda x: tf.stack([x, -x], axis=1),
    "unstack": lambda x: tf.unstack(x, axis=2)[1],
    "split": lambda x: tf.split(x, 2, axis=2),
    "split_sizes": lambda x: tf.split(x, [1, -1, 2], axis=3),
    "pad": lambda x: tf.pad(x, ((0, 0), (1, 2), (0, 0), (3, 0)), constant_values=1.5),
    "reflect": lambda x: tf.pad(x, ((0, 0), (1, 2), (0, 0), (3, 0)), "REFLECT"),
    "symmetric": lambda x: tf.pad(x, ((0, 0), (1, 2), (0, 0), (3, 0)), "SYMMETRIC"),
    "tile": lambda x: tf.tile(x, (1, 2, 1, 3)),
    "broadcast": lambda x: tf.broadcast_to(x[:, :1], (2, 3, 4, 5)),
    "reverse": lambda x: tf.reverse(x, (1, 3)),
    "reverse_nothing": lambda x: tf.reverse(x, ()) + 1,
    "roll": lambda x: tf.roll(x, (1, -2), (1, 3)),
    "roll_by_nothing": lambda x: tf.roll(x, 6, 1) + 1,
    "band_part": lambda x: tf.linalg.band_part(x, 1, 2),
    "lower_triangle": lambda x: tf.linalg.band_part(x, -1, 0),
    "pad_with_infinity": lambda x: tf.pad(x, ((0, 0), (1, 0), (0, 2), (0, 0)), constant_values=-np.inf),
    "tile_nothing": lambda x: tf.tile(x, (1, 1, 1, 1)) + 1,
    "repeat": lambda x: tf.repeat(x, 2, axis=2),
    "sort": lambda x: tf.sort(x, axis=-1, direction="DESCENDING"),
    "empty": lambda x: tf.reduce_sum(tf.concat([x[:, :0], x[:, :1]], 1), 1) + tf.reduce_sum(x[:, 3:], 1),
    "no_rows": lambda x: tf.matmul(x[:, :, :0], x, transpose_b=True),
    "rank_and_size": lambda x: x * tf.cast(tf.size(x) * tf.rank(x), tf.float32),
    "shape_n": lambda x: tf.reshape(x, tf.concat(tf.raw_ops.ShapeN(input=[x[0], x[0, 0]]), 0)[:2] * [2, 5]),
    "logsumexp": lambda x: tf.reduce_logsumexp(x, axis=2),
    "std": lambda x: tf.math.reduce_std(x, axis=(1, 2)),
    "minimum_of_axes": lambda x: tf.reduce_min(x, axis=(1, -1), keepdims=True),
    "cross_entropy": lambda x: tf.nn.sigmoid_cross_entropy_with_logits(x * 0.1 + 0.5, x),
    "swish_by_hand": lambda x: x / (1 + tf.exp(-x)),
    "identity_n": lambda x: tf.identity_n([x, x * 2]),
    "zeros_of": lambda x: tf.raw_ops.ZerosLike(x=x) + tf.raw_ops.OnesLike(x=x) - x,
    "add_of_v1": lambda x: tf.raw_ops.Add(x=x, y=x * 2),
    "clip_by_value_op": lambda x: tf.raw_ops.ClipByValue(t=x, clip_value_min=-1.0, clip_value_max=0.5),
    "names_of_v1": lambda x: tf.raw_ops.Snapshot(input=tf.raw_ops.Inv(x=tf.raw_ops.PreventGradient(input=x))),
    "gather_of_v1": lambda x: tf.raw_ops.Gather(params=x, indices=[1, 0, 1]),
    "batch_matmul_of_v1": lambda x: tf.raw_ops.BatchMatMul(x=x, y=x, adj_y=True),
    "batch_matmul_v3": lambda x: tf.raw_ops.BatchMatMulV3(x=x, y=x, Tout=tf.float32, adj_x=True),
    "div_of_v1": lambda x: tf.raw_ops.Div(x=x, y=x * 0 + 3),
    "squeeze_all": lambda x: tf.squeeze(x[:1, :, :1, :1]),
    "many_indices": lambda x: x[tf.newaxis, 0, ..., tf.newaxis, -2:, 1:-1],
    "ensure_shape": lambda x: tf.ensure_shape(x, (2, 3, 4, 5)) * 2,
    "check_numerics": lambda x: tf.debugging.check_numerics(x, "bad") * 2,
    "gather_first": lambda x: tf.gather(x, 1, axis=2),
    "roll_by_concat": lambda x: tf.concat([x[:, 1:], x[:, :1]], axis=1),
    "top_k": lambda x: tf.math.top_k(x, 2),
    "cumsum": lambda x: tf.cumsum(x, axis=-1),
    "cumsum_exclusive_reverse": lambda x: tf.cumsum(x, axis=1, exclusive=True, reverse=True),
    "argmax": lambda x: tf.argmax(x, axis=1, output_type=tf.int32),
    "argmax_integers": lambda x: tf.argmax(tf.cast(x * 9, tf.int32), axis=2, output_type=tf.int32),
    "argmin": lambda x: tf.argmin(x, axis=3, output_type=tf.int32),
    "any_all": lambda x: (tf.reduce_any(x > 0, axis=1), tf.reduce_all(x > 0, axis=(1, 2))),
    "prod": lambda x: tf.reduce_prod(x, axis=3),
    "sum_of_all": tf.reduce_sum,
    "moments": lambda x: tf.nn.moments(x, axes=[3]),
    "norm": lambda x: tf.norm(x, axis=-1),
    "normalize": lambda x: tf.math.l2_normalize(x, axis=-1),
    "fill": lambda x: x + tf.fill((3, 4, 5), 2.0),
    "gather": lambda x: tf.gather(x, [2, 0], axis=1),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    check(SHAPES[name], X, others=[(numbers(2, 3, 4, 5, seed=7),)])


PRODUCTS = {
    "matmul": (tf.matmul, (3, 4), (4, 5)),
    "transposed": (lambda a, b: tf.matmul(a, b, transpose_a=True, transpose_b=True), (4, 3), (5, 4)),
    "batched": (lambda a, b: tf.matmul(a, b, transpose_b=True), (2, 3, 4), (2, 5, 4)),
    "broadcast": (tf.matmul, (2, 3, 4), (4, 5)),
    "einsum_heads": (lambda a, b: tf.einsum("bqhd,bkhd->bhqk", a, b), (2, 3, 4, 5), (2, 6, 4, 5)),
    "einsum_dense": (lambda a, b: tf.einsum("abc,cde->abde", a, b), (2, 3, 4), (4, 2, 3)),
    "einsum_back": (lambda a, b: tf.einsum("abcd,cde->abe", a, b), (2, 3, 4, 5), (4, 5, 6)),
    "einsum_lone_sums": (lambda a, b: tf.einsum("ab,cd->ac", a, b), (2, 3), (4, 5)),
    "einsum_ellipsis": (lambda a, b: tf.einsum("...ij,jk->...ik", a, b), (2, 3, 4), (4, 5)),
    "einsums_of_one": (lambda a, b: tf.einsum("ab->a", a) * tf.einsum("aa->a", b), (4, 3), (4, 4)),
    "tensordot": (lambda a, b: tf.tensordot(a, b, 1), (2, 3, 4), (4, 5)),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name):
    fn, a, b = PRODUCTS[name]
    check(fn, numbers(*a), numbers(*b, seed=1))


CONVOLUTIONS = {
    "valid": ((2, 8, 9, 3), (3, 2, 3, 4), {"strides": 1, "padding": "VALID"}),
    "same": ((2, 7, 7, 3), (3, 3, 3, 4), {"strides": 1, "padding": "SAME"}),
    "same_even_stride": ((2, 8, 8, 3), (3, 3, 3, 4), {"strides": 2, "padding": "SAME"}),
    "same_even_kernel": ((2, 8, 7, 3), (2, 4, 3, 4), {"strides": (1, 2), "padding": "SAME"}),
    "explicit": ((2, 8, 8, 3), (3, 3, 3, 4), {"strides": 2, "padding": [[0, 0], [1, 1], [2, 0], [0, 0]]}),
    "dilated": ((1, 9, 9, 3), (3, 3, 3, 2), {"strides": 1, "padding": "SAME", "dilations": 2}),
    "dilated_odd": ((1, 10, 7, 3), (3, 2, 3, 2), {"strides": 1, "padding": "VALID", "dilations": (2, 3)}),
    "dilated_even_kernel": ((1, 9, 8, 3), (2, 4, 3, 2), {"strides": 1, "padding": "SAME", "dilations": (3, 2)}),
    "dilated_explicit": (
        (1, 9, 9, 3),
        (3, 3, 3, 2),
        {"strides": 1, "padding": [[0, 0], [2, 1], [0, 3], [0, 0]], "dilations": 2},
    ),
    "explicit_on_one_side": (
        (1, 6, 6, 1),
        (3, 3, 1, 1),
        {"strides": (2, 1), "padding": [[0, 0], [0, 2], [3, 0], [0, 0]]},
    ),
    "groups": ((1, 5, 5, 4), (3, 3, 2, 6), {"strides": 1, "padding": "SAME"}),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name):
    x, w, kwargs = CONVOLUTIONS[name]
    export = check(lambda x: tf.nn.conv2d(x, numbers(*w, seed=1), **kwargs), numbers(*x))
    assert count_by_op(export.graph)["conv2d"] == 1


@pytest.mark.parametrize("dilations", [(1, 1), (2, 2)])
@pytest.mark.parametrize("multiplier", [1, 3])
def test_depthwise(multiplier, dilations):
    w = numbers(3, 3, 4, multiplier, seed=1)
    check(
        lambda x: tf.nn.depthwise_conv2d(x, w, (1, 1, 1, 1), "SAME", dilations=dilations),
        numbers(2, 8, 8, 4),
    )


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
@pytest.mark.parametrize("pool", [tf.nn.max_pool2d, tf.nn.avg_pool2d])
def test_pools(pool, padding):
    x = numbers(2, 8, 7, 3, low=-5, high=-1)
    check(lambda x: pool(x, 3, 2, padding), x)
    check(lambda x: pool(x, (2, 3), (1, 2), padding), x)


def test_max_pool_with_explicit_padding():
    x = numbers(2, 8, 7, 3, low=-5, high=-1)
    check(lambda x: tf.nn.max_pool2d(x, 3, 2, [[0, 0], [1, 0], [2, 1], [0, 0]]), x)


def test_windows_over_one_axis():
    x, w = numbers(2, 9, 3), numbers(3, 3, 4, seed=1)
    check(lambda x: tf.nn.conv1d(x, w, 2, "SAME"), x)
    check(lambda x: tf.nn.conv1d(x, w, 1, "VALID", dilations=2), x)
    check(lambda x: tf.nn.max_pool1d(x, 2, 2, "SAME"), x)
    check(lambda x: tf.nn.avg_pool1d(x, 3, 2, "SAME"), x)


@pytest.mark.parametrize(("size", "padding"), [(9, "SAME"), (10, "SAME"), (10, "VALID")])
def test_dilated_line_is_one_convolution(size, padding):
    w = tf.Variable(numbers(3, 2, 4))
    layer = tf.keras.layers.Conv1D(4, 3, padding=padding.lower(), dilation_rate=2, use_bias=False)
    layer.build((None, None, 2))
    layer.set_weights([w])
    for fn in (layer, lambda x: tf.nn.convolution(x, w, padding=padding, dilations=3)):
        export = check(fn, numbers(2, size, 2, seed=1))
        assert count_by_op(export.graph)["conv2d"] == 1


ROWS = {
    "elements": ((4, 3), (4, 2), {"axis": 1}),
    "slices": ((4, 3, 5), (4, 2), {"axis": 1}),
    "grid": ((4, 3, 5), (4, 2, 3), {"axis": 1}),
    "two_batch_axes": ((2, 4, 3), (2, 4, 6), {"axis": 2}),
}


@pytest.mark.parametrize("name", ROWS)
def test_gathers_of_rows(name):
    """Every row is read by indices of its own."""
    x, i, options = ROWS[name]
    fn = lambda x, i: tf.gather(x, i, batch_dims=options["axis"], **options)  # noqa: E731
    export = check(fn, numbers(*x), integers(*i, low=0, high=3))
    assert count_by_op(export.graph)["gather_elements"] == 1


TRANSPOSED = {  # x, w, result, options
    "same": ((2, 4, 5, 3), (3, 3, 2, 3), (2, 8, 10, 2), {"strides": 2}),
    "same_odd_result": ((2, 4, 5, 3), (3, 2, 2, 3), (2, 7, 9, 2), {"strides": 2}),
    "same_small_kernel": ((1, 3, 3, 3), (1, 2, 2, 3), (1, 9, 9, 2), {"strides": 3}),
    "valid": ((2, 4, 5, 3), (3, 4, 2, 3), (2, 9, 8, 2), {"strides": (2, 1), "padding": "VALID"}),
    "valid_with_more": ((2, 4, 5, 3), (2, 2, 2, 3), (2, 13, 14, 2), {"strides": 3, "padding": "VALID"}),
}


@pytest.mark.parametrize("name", TRANSPOSED)
def test_transposed_convolutions(name):
    x, w, result, options = TRANSPOSED[name]
    kernel = tf.Variable(numbers(*w, seed=1))
    export = check(lambda x: tf.nn.conv2d_transpose(x, kernel, result, **options), numbers(*x))
    assert count_by_op(export.graph)["conv_transpose2d"] == 1


def test_transposed_line():
    check(tf.keras.layers.Conv1DTranspose(4, 3, 2, padding="same", output_padding=1), numbers(2, 5, 3))


def test_convolutions_leave_no_transposes_between_them():
    first, second = numbers(3, 3, 2, 4, seed=1), numbers(3, 3, 4, 3, seed=2)
    bias = tf.Variable(numbers(4))

    def fn(x):
        hidden = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, first, 1, "SAME"), bias))
        return tf.nn.conv2d(tf.nn.max_pool2d(hidden, 2, 2, "VALID"), second, 1, "SAME")

    export = check(fn, numbers(2, 8, 8, 2))
    assert count_by_op(export.graph) == {"transpose": 2, "conv2d": 2, "add": 1, "relu": 1, "max_pool2d": 1}


def test_batch_norm_in_inference():
    scale, offset, mean, variance = (numbers(3, seed=i, low=0.5) for i in range(4))
    check(
        lambda x: tf.compat.v1.nn.fused_batch_norm(x, scale, offset, mean, variance, is_training=False)[0],
        numbers(2, 4, 4, 3),
    )
    for op in (tf.raw_ops.FusedBatchNorm, tf.raw_ops.FusedBatchNormV2):
        given = {"scale": scale, "offset": offset, "mean": mean, "variance": variance, "is_training": False}
        check(lambda x, op=op, given=given: op(x=x, **given)[0], numbers(2, 4, 4, 3))


def test_embeddings():
    table = tf.Variable(numbers(6, 4))
    export = check(lambda i: tf.nn.embedding_lookup(table, i), integers(2, 3, low=0, high=6))
    assert count_by_op(export.graph) == {"gather": 1}
    check(lambda i: tf.gather_nd(table, i[..., None]), integers(2, 3, low=0, high=6))
