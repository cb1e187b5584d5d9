"""Dimensions of a graph: a plain integer, or a multiple of the batch symbol B ("B", "64*B" in files)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_PATTERN = re.compile(r"(?:([1-9][0-9]*)\*)?B")


@dataclass(frozen=True)
class BatchMultiple:
    """factor * B, factor >= 1."""

    factor: int

    def at(self, rows: int) -> int:
        """The integer for a batch of `rows`."""
        return self.factor * rows

    def __str__(self) -> str:
        return "B" if self.factor == 1 else f"{self.factor}*B"


Dim = int | BatchMultiple


def parse_dim(text: int | str) -> Dim:
    """The dim that a file's integer or string stands for. ValueError for anything else."""
    if isinstance(text, int) and not isinstance(text, bool):
        return text
    match = _PATTERN.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f'expected an integer, "B" or "<factor>*B", got {text!r}')
    return BatchMultiple(int(match.group(1) or 1))


def dim_at(dim: Dim, rows: int) -> int:
    """The dim as an integer for a batch of `rows`."""
    return dim.at(rows) if isinstance(dim, BatchMultiple) else dim


def shape_at(shape: Sequence[Dim], rows: int) -> tuple[int, ...]:
    """The shape in integers for a batch of `rows`."""
    return tuple(dim_at(dim, rows) for dim in shape)
