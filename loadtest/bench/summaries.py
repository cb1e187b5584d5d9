"""What the times say: rows of ratios, who wins where, and cells in which more threads are slower."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from loadtest.bench.cells import Cell
from loadtest.bench.ratios import Ratio, geometric_mean, ratio_of, ratio_of_pairs
from loadtest.bench.storage import CellResult


@dataclass(frozen=True)
class Row:
    """One engine against ours in one cell."""

    cell: Cell
    engine: str
    our_us: float
    their_us: float
    ratio: Ratio


@dataclass(frozen=True)
class Wins:
    """One engine at one batch and number of threads, over the models."""

    engine: str
    batch: int
    threads: int
    won: int
    tied: int
    lost: int
    mean: float  # geometric, of the median ratios


@dataclass(frozen=True)
class Slower:
    """An engine that takes longer with more threads."""

    engine: str
    fewer: Cell
    more: Cell
    fewer_us: float
    more_us: float


def compare(results: Sequence[CellResult], ours: str) -> list[Row]:
    """Pairs of all sweeps together; only times of one sweep and round make a pair."""
    pairs: dict[tuple[Cell, str], list[tuple[float, float]]] = defaultdict(list)
    for result in results:
        mine = result.times_us.get(ours, [])
        for engine, times in result.times_us.items():
            if engine != ours:
                pairs[result.cell, engine] += zip(times, mine, strict=False)
    rows = []
    for (cell, engine), times in sorted(pairs.items()):
        if times:
            theirs, mine = zip(*times, strict=True)
            rows.append(Row(cell, engine, median(mine), median(theirs), ratio_of_pairs(theirs, mine)))
    return rows


def against_the_best(rows: Iterable[Row]) -> list[Row]:
    """In each cell the row of the engine that comes nearest to ours or is furthest ahead."""
    best: dict[Cell, Row] = {}
    for row in rows:
        if row.cell not in best or row.ratio.median < best[row.cell].ratio.median:
            best[row.cell] = row
    return [best[cell] for cell in sorted(best)]


def wins(rows: Iterable[Row]) -> list[Wins]:
    """By engine, batch and threads, in the order of the rows."""
    groups: dict[tuple[str, int, int], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.engine, row.cell.threads, row.cell.batch].append(row)
    summary = []
    for (engine, threads, batch), group in sorted(groups.items()):
        count = defaultdict(int)
        for row in group:
            count[row.ratio.verdict] += 1
        mean = geometric_mean(row.ratio.median for row in group)
        summary.append(Wins(engine, batch, threads, count["won"], count["tie"], count["lost"], mean))
    return summary


def slower_with_more_threads(results: Iterable[CellResult], engine: str) -> list[Slower]:
    """The two were not measured in pairs, so the test is that the intervals of their medians lie apart."""
    times: dict[Cell, list[float]] = defaultdict(list)
    for result in results:
        times[result.cell] += result.times_us.get(engine, [])
    intervals = {cell: ratio_of(values) for cell, values in times.items() if values}
    found = []
    for more in sorted(intervals):
        fewer = [c for c in intervals if (c.model, c.batch) == (more.model, more.batch) and c.threads < more.threads]
        for cell in sorted(fewer):
            if intervals[cell].high < intervals[more].low and math.isfinite(intervals[cell].high):
                found.append(Slower(engine, cell, more, intervals[cell].median, intervals[more].median))
    return found
