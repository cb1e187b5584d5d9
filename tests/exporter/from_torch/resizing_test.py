"""Interpolation against torch: every mode, sizes and scales, and which of them is a node of its own."""

import numpy as np
import pytest
from torch import nn
from torch.nn import functional as F  # noqa: N812

from tests.exporter.from_torch.lower import check, numbers

IMAGE, LINE = (2, 3, 4, 5), (2, 3, 7)
TWICE = ["reshape", "broadcast_to", "reshape"]


def by(**options):
    return lambda x: F.interpolate(x, **options)


# name: (fn, shape, ops)
INTERPOLATIONS = {
    "bilinear": (by(scale_factor=1.7, mode="bilinear"), IMAGE, ["resize2d"]),
    "bilinear_size": (by(size=(9, 3), mode="bilinear"), IMAGE, ["resize2d"]),
    "bilinear_corners": (by(scale_factor=(1.7, 2), mode="bilinear", align_corners=True), IMAGE, ["resize2d"]),
    "bilinear_corners_to_one": (by(size=1, mode="bilinear", align_corners=True), IMAGE, ["resize2d"]),
    "bilinear_recomputed": (by(scale_factor=1.7, mode="bilinear", recompute_scale_factor=True), IMAGE, ["resize2d"]),
    "bilinear_same_height": (by(scale_factor=(1.2, 0.7), mode="bilinear"), IMAGE, ["resize2d"]),
    "bilinear_module": (nn.UpsamplingBilinear2d(scale_factor=2), IMAGE, ["resize2d"]),
    "bicubic": (by(scale_factor=1.7, mode="bicubic"), IMAGE, ["resize2d"]),
    "bicubic_same_height": (by(scale_factor=(1.2, 0.7), mode="bicubic"), IMAGE, ["resize2d"]),
    "bicubic_corners": (by(size=(9, 3), mode="bicubic", align_corners=True), IMAGE, ["resize2d"]),
    "nearest": (by(scale_factor=1.7), IMAGE, ["resize2d"]),
    "nearest_doubled_height": (by(scale_factor=(2.1, 0.7)), IMAGE, ["resize2d"]),
    "nearest_same_width": (by(scale_factor=(0.7, 1.1)), IMAGE, ["resize2d"]),
    "nearest_twice": (by(scale_factor=2), IMAGE, TWICE),
    "nearest_twice_by_a_scale_that_is_not_2": (by(scale_factor=2.1), (2, 3, 4, 4), TWICE),
    "nearest_three_times": (by(size=(12, 15)), IMAGE, TWICE),
    "nearest_exact": (by(scale_factor=1.7, mode="nearest-exact"), IMAGE, ["resize2d"]),
    "nearest_exact_twice": (by(scale_factor=2, mode="nearest-exact"), IMAGE, TWICE),
    "nearest_exact_doubled": (by(scale_factor=2.2, mode="nearest-exact"), (2, 3, 4, 4), ["resize2d"]),
    "linear_1d": (by(scale_factor=1.7, mode="linear"), LINE, ["reshape", "resize2d", "reshape"]),
    "nearest_1d": (by(scale_factor=0.6), LINE, ["reshape", "resize2d", "reshape"]),
    "nearest_exact_1d": (by(size=5, mode="nearest-exact"), LINE, ["reshape", "resize2d", "reshape"]),
    "antialias": (by(size=(2, 7), mode="bilinear", antialias=True), IMAGE, ["matmul", "matmul"]),
    "antialias_by_scale": (by(scale_factor=0.45, mode="bilinear", antialias=True), IMAGE, ["matmul", "matmul"]),
    "antialias_cubic": (by(size=(3, 2), mode="bicubic", antialias=True), IMAGE, ["matmul", "matmul"]),
    "area": (by(size=(2, 5), mode="area"), IMAGE, ["avg_pool2d"]),
    "trilinear": (lambda x: F.interpolate(x[:, None], scale_factor=1.5, mode="trilinear"), IMAGE, None),
}


@pytest.mark.parametrize("name", INTERPOLATIONS)
def test_interpolation_for_any_batch(name):
    fn, shape, ops = INTERPOLATIONS[name]
    export = check(fn, numbers(*shape), others=[(numbers(5, *shape[1:], seed=5),)], static=False)
    assert ops is None or [node.op for node in export.graph.nodes] == ops
    assert export.graph.outputs[0].rows


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "nearest", "nearest-exact"])
def test_a_scale_counts_but_where_torch_takes_its_own(mode):
    """Scales that keep a size, double it or give another one, none of them the ratio of the sizes."""
    generator = np.random.default_rng(3)
    for number in range(9):
        old = generator.integers(2, 9, 2).tolist()
        new = [(n, 2 * n, n + 1)[(number // 3**k) % 3] for k, n in enumerate(old)]
        scales = [(m + extra) / n for n, m, extra in zip(old, new, generator.uniform(0.2, 0.8, 2), strict=True)]
        export = check(by(scale_factor=scales, mode=mode), numbers(1, 2, *old, seed=number))
        assert export.graph.outputs[0].value.shape == (1, 2, *new)


def test_what_torch_picks_counts_where_a_scale_in_f32_picks_another():
    """29 / 2.9 is 10 where 2.9 is a double, as in torch, and just below in the file's float32."""
    export = check(by(scale_factor=(1.0, 2.9)), numbers(1, 1, 1, 16))
    assert [node.op for node in export.graph.nodes] == ["gather"]
