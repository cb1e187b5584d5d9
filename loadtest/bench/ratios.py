"""Ratios of paired times. Above 1, ours is faster.

The interval is the exact one for a median: between two order statistics that enclose it with at least 95 %, whatever
the distribution (binomial with p = 1/2). It needs six pairs; with fewer it is unbounded. Times on a shared machine have
heavy tails, which an interval from a standard deviation would not survive, and unlike a bootstrap's it holds for few
pairs.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Ratio:
    """The median of pair ratios with its interval."""

    median: float
    low: float
    high: float
    pairs: int

    @property
    def verdict(self) -> str:
        """won: the whole interval lies above 1; lost: below; tie otherwise."""
        if self.low > 1:
            return "won"
        return "lost" if self.high < 1 else "tie"


def ratio_of_pairs(theirs: Sequence[float], ours: Sequence[float]) -> Ratio:
    """theirs[i] and ours[i] were measured next to each other. The shorter of the two says how many pairs there are."""
    return ratio_of([their / our for their, our in zip(theirs, ours, strict=False)])


def ratio_of(ratios: Sequence[float]) -> Ratio:
    """Requires at least one ratio."""
    ordered = sorted(ratios)
    rank = interval_rank(len(ordered))
    low, high = (ordered[rank], ordered[-1 - rank]) if rank is not None else (0.0, math.inf)
    return Ratio(median(ordered), low, high, len(ordered))


def interval_rank(count: int) -> int | None:
    """The largest r for which sorted[r] .. sorted[count - 1 - r] holds the median with CONFIDENCE; None for too few."""
    tail, best = 0.0, None
    for rank in range((count + 1) // 2):
        tail += math.comb(count, rank) / 2**count  # the chance that at most `rank` values lie below the median
        if 1 - 2 * tail < CONFIDENCE:
            break
        best = rank
    return best


def geometric_mean(values: Iterable[float]) -> float:
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan
