"""Pools and convolutions against ONNX Runtime: what the suite of tests/onnx does not combine."""

import numpy as np
import pytest
from rml_export.graph import count_by_op

from tests.exporter.comparing import numbers
from tests.exporter.from_onnx.lower import check

CASES = {
    "max_1d": ((2, 3, 9), "MaxPool<kernel_shape = [3], strides = [2], pads = [1, 0]>"),
    "max_2d": (
        (2, 3, 9, 8),
        "MaxPool<kernel_shape = [3, 2], strides = [2, 1], pads = [1, 0, 0, 1], dilations = [1, 2]>",
    ),
    "max_same": ((2, 3, 9, 8), 'MaxPool<kernel_shape = [3, 2], strides = [2, 3], auto_pad = "SAME_LOWER">'),
    "max_ceil": ((1, 2, 7, 6), "MaxPool<kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1, pads = [0, 1, 0, 1]>"),
    "max_3d": ((2, 3, 5, 6, 7), "MaxPool<kernel_shape = [2, 3, 2], strides = [1, 2, 3], pads = [1, 1, 0, 0, 1, 1]>"),
    "max_3d_ceil": ((1, 2, 4, 5, 6), "MaxPool<kernel_shape = [3, 2, 3], strides = [2, 2, 2], ceil_mode = 1>"),
    "average_1d": ((2, 3, 9), "AveragePool<kernel_shape = [4], strides = [3], pads = [1, 2]>"),
    "average_counts_pads": (
        (2, 3, 9, 8),
        "AveragePool<kernel_shape = [3, 2], strides = [2, 2], pads = [1, 1, 2, 0], count_include_pad = 1>",
    ),
    "average_dilated": (
        (2, 3, 9, 8),
        "AveragePool<kernel_shape = [3, 2], dilations = [2, 3], pads = [1, 1, 2, 0], strides = [1, 2]>",
    ),
    "average_3d": (
        (2, 2, 5, 6, 7),
        "AveragePool<kernel_shape = [2, 3, 2], strides = [2, 1, 3], pads = [1, 1, 0, 0, 1, 1]>",
    ),
    "p_norm": ((2, 3, 9, 8), "LpPool<kernel_shape = [3, 2], strides = [2, 2], p = 3>"),
    "global_average": ((2, 3, 4, 5, 6), "GlobalAveragePool"),
    "global_maximum": ((2, 3, 4), "GlobalMaxPool"),
    "global_p_norm": ((2, 3, 4, 5), "GlobalLpPool<p = 1>"),
}


@pytest.mark.parametrize("case", CASES)
def test_pools(case: str) -> None:
    shape, op = CASES[case]
    check(f"y = {op} (x)", {"x": numbers(*shape)})


def test_two_axes_are_one_pool() -> None:
    op = "AveragePool<kernel_shape = [3, 2], strides = [2, 2], pads = [1, 1, 2, 0]>"
    assert count_by_op(check(f"y = {op} (x)", {"x": numbers(2, 3, 9, 8)}).graph) == {"avg_pool2d": 1}


@pytest.mark.parametrize("order", [0, 1])
def test_places_of_the_largest(order: int) -> None:
    op = f"MaxPool<kernel_shape = [2, 3], strides = [2, 1], pads = [0, 1, 1, 0], storage_order = {order}>"
    x = np.random.default_rng(0).permutation(2 * 3 * 5 * 6).reshape(2, 3, 5, 6).astype(np.float32)
    check(f"y, i = {op} (x)", {"x": x}, outputs=("y", "i"))


CONVOLUTIONS = {
    "three_axes": ((2, 4, 5, 6, 7), (6, 2, 2, 3, 3), "strides = [1, 2, 1], pads = [1, 0, 1, 0, 2, 1], group = 2"),
    "dilated_depth": ((1, 2, 7, 4, 4), (3, 2, 3, 2, 2), "dilations = [2, 1, 2]"),
    "same_depth": ((1, 2, 5, 4, 4), (3, 2, 2, 2, 2), 'strides = [2, 1, 1], auto_pad = "SAME_UPPER"'),
}


@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_convolutions_over_three_axes(case: str) -> None:
    shape, weight, attributes = CONVOLUTIONS[case]
    constants = {"w": numbers(*weight), "b": numbers(weight[0], seed=1)}
    check(f"y = Conv<{attributes}> (x, w, b)", {"x": numbers(*shape)}, constants)


TRANSPOSED = {
    "one_axis": ((2, 4, 7), (4, 3, 3), "strides = [2], pads = [1, 0], output_padding = [1]"),
    "groups": ((1, 4, 5, 6), (4, 2, 3, 2), "strides = [2, 3], dilations = [1, 2], group = 2, pads = [1, 0, 0, 1]"),
    "shape": ((1, 2, 5, 6), (2, 3, 3, 3), "strides = [2, 2], output_shape = [10, 13]"),
    "same": ((1, 2, 5, 6), (2, 3, 3, 3), 'strides = [2, 2], auto_pad = "SAME_LOWER"'),
    "three_axes": ((1, 4, 3, 4, 5), (4, 2, 2, 3, 3), "strides = [2, 1, 2], pads = [0, 1, 1, 1, 1, 0], group = 2"),
}


@pytest.mark.parametrize("case", TRANSPOSED)
def test_transposed_convolutions(case: str) -> None:
    shape, weight, attributes = TRANSPOSED[case]
    groups = 2 if "group" in attributes else 1
    constants = {"w": numbers(*weight), "b": numbers(weight[1] * groups, seed=1)}
    check(f"y = ConvTranspose<{attributes}> (x, w, b)", {"x": numbers(*shape)}, constants)
