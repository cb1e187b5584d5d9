"""What is timed: a cell is a model at a batch on a number of threads."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

BATCHES = (1, 8, 64)
# One of each kind: dense, convolution, attention, recurrence, batched small products.
QUICK_MODELS = ("mlp", "cnn", "transformer_block", "lstm", "gcn")
QUICK_BATCHES = (1, 8)


@dataclass(frozen=True, order=True)
class Cell:
    model: str
    batch: int
    threads: int

    @property
    def name(self) -> str:
        return f"{self.model} b{self.batch} t{self.threads}"


def thread_counts() -> tuple[int, ...]:
    """One, and all that this process may use."""
    return tuple(sorted({1, len(os.sched_getaffinity(0))}))


def all_cells(models: Sequence[str], batches: Sequence[int], threads: Sequence[int]) -> list[Cell]:
    """Threads vary slowest, so that an unfinished sweep has whole columns."""
    return [Cell(model, batch, count) for count in threads for model in models for batch in batches]
