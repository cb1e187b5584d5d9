"""Results on disk: one line of JSON per cell, appended as soon as it is measured, so that a sweep can be resumed.

What was measured on another CPU model or with other versions stays in the file and is not mixed with what is new.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadtest.bench.cells import Cell


@dataclass
class CellResult:
    """times_us[engine][i]: microseconds per call in round i; pairs are equal i. errors[engine]: why it has none."""

    cell: Cell
    machine: dict[str, Any]  # cpu: its model; versions: by engine
    times_us: dict[str, list[float]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def covers(self, engines: Iterable[str], retry_errors: bool) -> bool:
        """Whether it says something about each engine: times, or an error unless these are to be tried again."""
        said = self.times_us.keys() if retry_errors else self.times_us.keys() | self.errors.keys()
        return said >= set(engines)


class Storage:
    """The file of one or more sweeps. Not thread-safe."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, result: CellResult) -> None:
        """Written whole before it returns. A line that a crash left unfinished is ended first."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(
            {
                "cell": vars(result.cell),
                "machine": result.machine,
                "times_us": result.times_us,
                "errors": result.errors,
            }
        )
        with self.path.open("ab+") as file:
            if file.tell() > 0:
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":
                    file.write(b"\n")
            file.write(line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def load(self, machine: dict[str, Any]) -> list[CellResult]:
        """The results of comparable machines; unfinished lines count as not there."""
        results = []
        for line in self.path.read_text().splitlines() if self.path.exists() else []:
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue
            if comparable(record["machine"], machine):
                cell = Cell(**record["cell"])
                results.append(CellResult(cell, record["machine"], record["times_us"], record["errors"]))
        return results


def comparable(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Equal CPU models, and equal versions of every engine that both have."""
    shared = one["versions"].keys() & other["versions"].keys()
    return one["cpu"] == other["cpu"] and all(one["versions"][name] == other["versions"][name] for name in shared)


def remaining(
    cells: Iterable[Cell], done: Iterable[CellResult], engines: Iterable[str], retry_errors: bool
) -> list[Cell]:
    """The cells that no result covers for all engines, in their order."""
    wanted = list(engines)
    covered = {result.cell for result in done if result.covers(wanted, retry_errors)}
    return [cell for cell in cells if cell not in covered]
