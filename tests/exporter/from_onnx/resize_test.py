"""Resizes against ONNX Runtime: attributes that the suite of tests/onnx does not combine."""

import numpy as np
import pytest
from rml_export.graph import count_by_op

from tests.exporter.comparing import numbers
from tests.exporter.from_onnx.lower import check

ALIGNED = 'coordinate_transformation_mode = "align_corners"'
# name: (attributes, scales, whether resize2d does it)
CASES = {
    "nearest_down": ('mode = "nearest", nearest_mode = "floor"', [1, 1, 0.5, 0.6], True),
    "nearest_odd": ('mode = "nearest", coordinate_transformation_mode = "asymmetric"', [1, 1, 1.5, 2.3], True),
    "nearest_ceil": ('mode = "nearest", nearest_mode = "ceil"', [1, 1, 0.7, 1.3], True),
    "nearest_of_channels": ('mode = "nearest"', [1, 2, 1.5, 1], False),
    "linear": ('mode = "linear"', [1, 1, 1.5, 0.7], True),
    "linear_align": (f'mode = "linear", {ALIGNED}', [1, 1, 2, 3], True),
    "linear_symmetric": (
        'mode = "linear", coordinate_transformation_mode = "half_pixel_symmetric"',
        [1, 1, 0.7, 1.9],
        True,
    ),
    "linear_antialias": ('mode = "linear", antialias = 1', [1, 1, 0.5, 0.4], False),
    "linear_of_channels": ('mode = "linear"', [1, 2, 1, 1], False),
    "cubic": (f'mode = "cubic", {ALIGNED}', [1, 1, 1, 2.2], True),
    "cubic_outside": ('mode = "cubic", cubic_coeff_a = -0.5, exclude_outside = 1', [1, 1, 1.7, 0.8], True),
    "to_one": ('mode = "linear", coordinate_transformation_mode = "pytorch_half_pixel"', [1, 1, 1, 0.2], True),
}


@pytest.mark.parametrize("case", CASES)
def test_scales(case: str) -> None:
    attributes, scales, is_one_node = CASES[case]
    constants = {"s": np.array(scales, np.float32)}
    graph = check(f'y = Resize<{attributes}> (x, "", s)', {"x": numbers(2, 3, 6, 5)}, constants).graph
    assert (count_by_op(graph) == {"resize2d": 1}) == is_one_node


def test_one_axis_is_an_image_of_height_1() -> None:
    constants = {"s": np.array([1, 1, 1.7], np.float32)}
    graph = check('y = Resize<mode = "linear"> (x, "", s)', {"x": numbers(2, 3, 6)}, constants).graph
    assert count_by_op(graph) == {"reshape": 2, "resize2d": 1}


def test_whole_factors_are_broadcasts() -> None:
    constants = {"s": np.array([1, 1, 2, 3], np.float32)}
    attributes = 'mode = "nearest", nearest_mode = "floor", coordinate_transformation_mode = "asymmetric"'
    graph = check(f'y = Resize<{attributes}> (x, "", s)', {"x": numbers(2, 3, 6, 5)}, constants).graph
    assert set(count_by_op(graph)) <= {"unsqueeze", "broadcast_to", "reshape"}


def test_sizes_of_two_axes() -> None:
    text = 'y = Resize<mode = "linear", axes = [3, 2], keep_aspect_ratio_policy = "not_larger"> (x, "", "", n)'
    check(text, {"x": numbers(2, 3, 6, 5)}, {"n": np.array([9, 9], np.int64)})


def test_the_older_operators() -> None:
    x, constants = {"x": numbers(2, 3, 6, 5)}, {"s": np.array([1, 1, 2, 1.5], np.float32)}
    check('y = Resize<mode = "linear"> (x, s)', x, constants, opset=10)
    check('y = Upsample<mode = "linear"> (x, s)', x, constants, opset=9)
