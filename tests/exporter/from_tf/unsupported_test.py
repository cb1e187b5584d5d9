"""What cannot be exported: every reason, TensorFlow's name of the operation, the line that it comes from."""

import numpy as np
import pytest
import tensorflow as tf
from rml_export import ExportError, export_tf
from rml_export.from_tf import lower_tf

from tests.exporter.comparing import integers, numbers

X, I = numbers(4, 3), integers(4, 3)  # noqa: E741


def strided_dilated(x):
    blocks = tf.space_to_batch(x[None, :, 1:, None], (2, 2), [[0, 0], [0, 0]])
    return tf.batch_to_space(tf.nn.conv2d(blocks, tf.ones((1, 1, 1, 1)), (2, 1), "VALID"), (2, 2), [[0, 0], [0, 0]])


UNSUPPORTED = {
    "cumprod": (X, lambda x: tf.math.cumprod(x, axis=1), "op Cumprod: rml-graph has no op for it"),
    "lgamma": (X, lambda x: tf.math.lgamma(x), "op Lgamma"),
    "loop_on_data": (
        X,
        lambda x: tf.while_loop(lambda s: tf.reduce_sum(s) < 99, lambda s: s + 1, [x]),
        "op StatelessWhile: a loop whose end depends on the inputs",
    ),
    "long_loop": (
        X,
        lambda x: tf.while_loop(lambda i, s: i < 5000, lambda i, s: (i + 1, s * 2), [0, x])[1],
        "more than 4096 trips",
    ),
    "branch_on_data": (X, lambda x: tf.cond(x[0, 0] > 0, lambda: x, lambda: -x), r"choose with tf\.where"),
    "random": (X, lambda x: x + tf.random.normal((4, 3)), "op RandomStandardNormal: its result is random"),
    "stateless_random": (X, lambda x: x + tf.random.stateless_normal((4, 3), (1, 2)), "its result is random"),
    "dropout": (X, lambda x: tf.nn.dropout(x, 0.5), "its result is random"),
    "gather_of_few_batch_dims": (
        X,
        lambda x: tf.gather(tf.ones((4, 3, 5)), tf.cast(x, tf.int32), axis=2, batch_dims=1),
        "a gather whose batch dimensions are not all",
    ),
    "gather_nd_of_pairs": (I, lambda i: tf.gather_nd(tf.ones((9, 9)), i[:, :2]), "gather_nd over several axes"),
    "narrow": (X, lambda x: tf.cast(x > 0, tf.uint8) * 2, "op Mul: arithmetic of uint8"),
    "narrowed": (I, lambda i: tf.cast(i, tf.int8), "op Cast: a conversion from int32 to int8"),
    "integer_product": (I, lambda i: tf.matmul(i, i, transpose_b=True), "op MatMul: products of integers"),
    "integer_einsum": (I, lambda i: tf.einsum("ab,cb->ac", i, i), "products of integers"),
    "integer_mean": (I, lambda i: tf.reduce_mean(i, 1), "op Mean: reduce_mean of integers"),
    "integer_top_k": (I, lambda i: tf.math.top_k(i, 2), "op TopKV2: top_k of integers"),
    "integer_power": (I, lambda i: i**5, "op Pow: pow of integers"),
    "complex": (X, lambda x: tf.math.real(tf.signal.fft(tf.cast(x, tf.complex64))), "values of dtype complex64"),
    "data_dependent_shape": (X, lambda x: tf.boolean_mask(x, x[:, 0] > 0) * 2, "op Where: rml-graph has no op for it"),
    "shape_from_data": (I, lambda i: tf.zeros((i[0, 0] % 3, 2)) + 1, "op Fill: a result whose shape depends"),
    "unique": (I, lambda i: tf.unique(tf.reshape(i, (-1,)))[0] + 1, "op Unique"),
    "training_norm": (
        X,
        lambda x: tf.compat.v1.nn.fused_batch_norm(x[None, None], np.ones(3, "f"), np.ones(3, "f"))[0],
        "batch normalisation in training mode",
    ),
    "lists_of_tensors": (X, lambda x: tf.map_fn(tf.sin, x), "op TensorList"),
    "strided_dilated": (X, strided_dilated, "a dilated convolution with strides"),
}


def test_a_dilated_convolution_whose_insides_are_read():
    x = numbers(1, 8, 8, 2)

    def fn(x):
        inside = tf.space_to_batch_nd(x, [2, 2], [[0, 0], [0, 0]])
        y = tf.nn.conv2d(inside, np.ones((3, 3, 2, 2), "f"), 1, "VALID")
        return tf.batch_to_space(y, [2, 2], [[0, 0], [0, 0]]), tf.reduce_sum(inside)

    with pytest.raises(ExportError, match="op SpaceToBatchND: rml-graph has no op for it"):
        lower_tf(fn, (x,), static=True)


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_unsupported(name):
    x, fn, text = UNSUPPORTED[name]
    with pytest.raises(ExportError, match=text) as caught:
        lower_tf(fn, (x,), static=True)
    assert "unsupported_test.py:" in str(caught.value)


def test_what_follows_a_shape_that_depends_on_the_inputs_is_no_problem_of_its_own():
    fn = UNSUPPORTED["data_dependent_shape"][1]
    with pytest.raises(ExportError) as caught:
        lower_tf(fn, (X,), static=True)
    assert len(caught.value.problems) == 1


def test_all_problems_at_once(tmp_path):
    with pytest.raises(ExportError) as caught:
        export_tf(lambda x: tf.math.digamma(tf.math.lgamma(x)) + tf.math.lgamma(x * 2), (X,), tmp_path / "m")
    assert len(caught.value.problems) == 2
    assert "(and 1 more)" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_the_line_is_the_users_also_within_keras():
    class Gamma(tf.keras.layers.Layer):
        def call(self, x):
            return tf.math.lgamma(x)

    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, "selu"), Gamma(name="gamma")])
    with pytest.raises(
        ExportError, match=r"op Lgamma: .* in '\S*gamma\S*' at unsupported_test.py:\d+: return tf.math.lgamma"
    ):
        lower_tf(model, (X,), static=True)


def test_recurrent_keras_layers_say_what_is_missing():
    layer = tf.keras.layers.LSTM(4)
    with pytest.raises(
        ExportError, match=r"op TensorListReserve: a list .*unroll=True\) in '\S+'\n"
    ):  # no line of Keras'
        lower_tf(layer, (numbers(2, 5, 3),), static=True)


def test_function_that_raises():
    with pytest.raises(ExportError, match="TensorFlow cannot trace the function: "):
        lower_tf(lambda x: tf.matmul(x, tf.ones((7, 2))), (X,))


def test_wrong_numbers_of_names():
    with pytest.raises(ExportError, match="2 input names for 1 inputs"):
        lower_tf(lambda x: x + 1, (np.ones(2, np.float32),), input_names=["a", "b"])
    with pytest.raises(ExportError, match="2 output names for 1 outputs"):
        lower_tf(lambda x: x + 1, (np.ones(2, np.float32),), output_names=["a", "b"])
