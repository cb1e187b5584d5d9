"""Sums at indices, and resizes, against JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from rml_export.graph import count_by_op

from tests.exporter.comparing import integers, numbers
from tests.exporter.from_jax.lower import check

PLACES = np.array([4, 0, 4, 1])
OUTSIDE = np.array([3, -9, 0, 77])
# Of data [rows, 5, 3] and updates [rows, 4, 3].
SUMS = {
    "one_axis": lambda x, u: jnp.asarray(x).at[:, PLACES].add(u),
    "subtract": lambda x, u: jnp.asarray(x).at[:, PLACES].subtract(u),
    "outside_is_dropped": lambda x, u: jnp.asarray(x).at[:, OUTSIDE].add(u),
    "outside_is_clamped": lambda x, u: jnp.asarray(x).at[:, OUTSIDE].add(u, mode="clip"),
    "two_axes": lambda x, u: jnp.asarray(x).at[:, PLACES, np.array([2, 1, -1, 0])].add(u[:, :, 0]),
    "two_axes_outside": lambda x, u: jnp.asarray(x).at[:, OUTSIDE, np.array([2, 1, 5, 1])].add(u[:, :, 0]),
    "a_grid": lambda x, u: jnp.asarray(x).at[:, PLACES[:, None], np.array([2, 0])].add(u[:, :, :2]),
    "last_axis": lambda x, u: jnp.asarray(x).at[:, :, np.array([2, 0, 2])].add(u[:, [0] * 5]),
    "a_slice": lambda x, u: jnp.asarray(x).at[:, 1:5].add(u),
    "slices": lambda x, u: jnp.asarray(x).at[:, 1:4, 1:].add(u[:, :3, :2]),
    "one_element": lambda x, u: jnp.asarray(x).at[:, 1].add(2.0),
    "by_row": lambda x, u: jax.vmap(lambda a, b: a.at[(b[:, 0] * 2).astype(int)].add(b))(x, u),
    "segments": lambda x, u: jax.vmap(lambda b: jax.ops.segment_sum(b, PLACES, 6))(u) + x[:, :1],
    "integers": lambda x, u: jnp.asarray(x).astype(int).at[:, PLACES].add(u.astype(int)),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_at_indices_for_any_batch(name):
    def inputs(rows, seed):
        return numbers(rows, 5, 3, seed=seed), numbers(rows, 4, 3, seed=seed + 1)

    export = check(SUMS[name], *inputs(2, 0), others=[inputs(5, 3)], static=False)
    assert count_by_op(export.graph)["scatter_add"] == 1 and export.graph.outputs[0].rows


def test_sums_over_rows_and_at_axes_that_are_apart():
    check(lambda x, i: jax.ops.segment_sum(x, i, 4), numbers(6, 3), integers(6, low=-2, high=6))
    check(lambda x: jnp.asarray(x).at[[0, 1, 1], :, [2, 0, 0]].add(x[:1, :, 0]), numbers(2, 4, 3))
    check(lambda i: jnp.bincount(i, length=4), integers(6, low=0, high=4))


RESIZES = {
    "bilinear": lambda x: jax.image.resize(x, (*x.shape[:2], 8, 3), "bilinear"),
    "bilinear_without_antialias": lambda x: jax.image.resize(x, (*x.shape[:2], 8, 3), "bilinear", antialias=False),
    "cubic": lambda x: jax.image.resize(x, (*x.shape[:2], 3, 9), "cubic"),
    "nearest": lambda x: jax.image.resize(x, (*x.shape[:2], 6, 7), "nearest"),
}


@pytest.mark.parametrize("name", RESIZES)
def test_resizes_are_products_or_gathers_along_each_axis(name):
    export = check(RESIZES[name], numbers(2, 3, 4, 5), others=[(numbers(5, 3, 4, 5, seed=1),)], static=False)
    counts = count_by_op(export.graph)
    assert counts.get("matmul", 0) + counts.get("gather", 0) == 2 and export.graph.outputs[0].rows
