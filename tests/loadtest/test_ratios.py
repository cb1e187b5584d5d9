"""Ratios, their intervals and verdicts."""

import math

import numpy as np
import pytest

from loadtest.bench.ratios import geometric_mean, interval_rank, ratio_of, ratio_of_pairs


@pytest.mark.parametrize(
    ("count", "rank"), [(1, None), (5, None), (6, 0), (8, 0), (9, 1), (15, 3), (17, 4), (25, 7), (100, 39)]
)
def test_ranks_are_those_of_the_tables_of_the_sign_test(count, rank):
    assert interval_rank(count) == rank


def test_median_and_interval_are_ratios_that_were_measured():
    ratio = ratio_of([5.0, 1.0, 3.0, 2.0, 4.0, 6.0, 7.0, 8.0, 9.0])
    assert (ratio.median, ratio.low, ratio.high, ratio.pairs) == (5.0, 2.0, 8.0, 9)


def test_pairs_share_a_round():
    ratio = ratio_of_pairs(theirs=[2, 20, 200, 2, 20, 200, 99], ours=[1, 10, 100, 1, 10, 100])
    assert (ratio.low, ratio.median, ratio.high, ratio.pairs) == (2, 2, 2, 6)


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ([1.01] * 6, "won"),
        ([0.99] * 6, "lost"),
        ([1.0] * 20, "tie"),
        ([1.5] * 5 + [0.9], "tie"),
        ([1.5] * 5, "tie"),  # too few to say
        ([1.5] * 13 + [0.1] * 2, "won"),  # outliers
    ],
)
def test_verdicts(ratios, verdict):
    assert ratio_of(ratios).verdict == verdict


def test_few_pairs_have_an_unbounded_interval():
    ratio = ratio_of([1.5] * 5)
    assert (ratio.low, ratio.high) == (0, math.inf)


def test_the_interval_holds_the_median_as_often_as_it_says():
    rng = np.random.default_rng(0)
    samples = np.exp(rng.standard_t(2, (2000, 15)))  # heavy tails; the median is 1
    held = sum(ratio.low <= 1 <= ratio.high for ratio in map(ratio_of, samples.tolist()))
    assert 0.94 < held / 2000 <= 1


def test_geometric_mean():
    assert geometric_mean([2, 8]) == pytest.approx(4)
    assert math.isnan(geometric_mean([]))
