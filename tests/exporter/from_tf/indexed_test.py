"""Resizes and sums at indices against TensorFlow."""

import numpy as np
import pytest
import tensorflow as tf
from rml_export import ExportError
from rml_export.evaluate import evaluate
from rml_export.from_tf import lower_tf
from rml_export.graph import count_by_op

from tests.exporter.comparing import integers, numbers
from tests.exporter.from_tf.lower import check

old = tf.compat.v1.image
IMAGE = (2, 4, 5, 3)
RESIZED, REPEATED = {"transpose": 2, "resize2d": 1}, {"reshape": 2, "broadcast_to": 1}
WEIGHTED = {"transpose": 2, "matmul": 2}
RESIZES = {
    "bilinear": (lambda x: tf.image.resize(x, (9, 3)), RESIZED),
    "bilinear_of_old": (lambda x: old.resize_bilinear(x, (9, 3)), RESIZED),
    "bilinear_corners": (lambda x: old.resize_bilinear(x, (7, 1), align_corners=True), RESIZED),
    "keras": (lambda x: tf.keras.layers.UpSampling2D((2, 3), interpolation="bilinear")(x), RESIZED),
    "nearest": (lambda x: tf.image.resize(x, (7, 3), "nearest"), RESIZED),
    "nearest_of_old": (lambda x: old.resize_nearest_neighbor(x, (7, 3)), RESIZED),
    "nearest_corners": (lambda x: old.resize_nearest_neighbor(x, (7, 3), align_corners=True), RESIZED),
    "nearest_twice": (lambda x: tf.image.resize(x, (8, 15), "nearest"), REPEATED),
    "bicubic": (lambda x: tf.image.resize(x, (7, 3), "bicubic"), WEIGHTED),
    "bicubic_of_old": (lambda x: old.resize_bicubic(x, (7, 3)), WEIGHTED),
    "area": (lambda x: tf.image.resize(x, (2, 7), "area"), WEIGHTED),
    "antialias": (lambda x: tf.image.resize(x, (2, 3), antialias=True), WEIGHTED),
    "lanczos": (lambda x: tf.image.resize(x, (6, 3), "lanczos3"), WEIGHTED),
    "keeps_its_ratio": (lambda x: tf.image.resize(x, (8, 8), preserve_aspect_ratio=True), RESIZED),
}


@pytest.mark.parametrize("name", RESIZES)
def test_resize_for_any_batch(name):
    fn, counts = RESIZES[name]
    export = check(tf.function(fn), numbers(*IMAGE), others=[(numbers(5, *IMAGE[1:], seed=1),)], static=False)
    assert count_by_op(export.graph) == counts and export.graph.outputs[0].rows


def test_resize_of_integers():
    check(lambda x: (tf.image.resize(x, (7, 3)), tf.image.resize(x, (7, 3), "nearest")), integers(*IMAGE))


PAIRS = [[0, 2], [1, 0], [0, 2]]
# Of x [rows, 4, 3] and u [rows, 3].
SUMS = {
    "rows": lambda x, u: tf.tensor_scatter_nd_add(
        tf.transpose(x, (1, 2, 0)), [[2], [0], [2]], tf.ones((3, 3, tf.shape(x)[0]))
    ),
    "pairs": lambda x, u: tf.tensor_scatter_nd_add(tf.transpose(x, (1, 2, 0)), PAIRS, tf.transpose(u)),
    "subtract": lambda x, u: tf.tensor_scatter_nd_sub(tf.transpose(x, (1, 2, 0)), PAIRS, tf.transpose(u)),
    "onto_zeros": lambda x, u: tf.scatter_nd(PAIRS, tf.transpose(u), (2, 4, tf.shape(u)[0])),
    "segments": lambda x, u: tf.math.segment_sum(tf.transpose(x, (1, 0, 2)), [0, 0, 2, 2]),
    "unsorted_segments": lambda x, u: tf.math.unsorted_segment_sum(tf.transpose(x, (1, 0, 2)), [3, 0, -1, 3], 5),
    "mean_of_segments": lambda x, u: tf.math.unsorted_segment_mean(tf.transpose(x, (1, 0, 2)), [3, 0, 1, 3], 5),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_for_any_batch(name):
    def inputs(rows, seed):
        return numbers(rows, 4, 3, seed=seed), numbers(rows, 3, seed=seed + 1)

    export = check(tf.function(SUMS[name]), *inputs(2, 0), others=[inputs(5, 3)], static=False)
    assert count_by_op(export.graph)["scatter_add"] == 1


def test_sums_at_places_from_the_inputs():
    places = integers(4, 2, low=0, high=3)
    check(lambda x, i: tf.tensor_scatter_nd_add(x, i, x[:, 0]), numbers(4, 3), places)
    check(lambda x, i: tf.scatter_nd(i[:, :1], x, (3, 3)), numbers(4, 3), places)
    check(lambda x, i: tf.math.unsorted_segment_sum(x, i, 3), numbers(4, 2, 3), places)
    check(lambda x, i: tf.tensor_scatter_nd_add(x, i, x[:, 0]), integers(4, 3), places)


def test_places_outside_are_refused_when_they_come():
    fn = lambda i: tf.tensor_scatter_nd_add(tf.zeros((3, 4)), i, tf.ones(2))  # noqa: E731
    export = lower_tf(fn, (np.ones((2, 2), np.int32),), static=True)
    for place in ([3, 0], [0, 4], [-1, 0]):
        with pytest.raises(IndexError, match="scatter_add: index -1 is outside"):
            evaluate(export.graph, [np.array([[0, 0], place], np.int32)])


def test_segments_whose_number_depends_on_the_inputs():
    with pytest.raises(ExportError, match="op SegmentSum: segments that depend on the inputs"):
        lower_tf(lambda x, i: tf.math.segment_sum(x, i) * 2, (numbers(3, 2), np.zeros(3, np.int32)))
