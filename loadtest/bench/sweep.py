"""A sweep over cells: starts the engines of a cell, times them in rounds, keeps the result, goes on."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from loadtest.bench.cells import Cell
from loadtest.bench.peers import OURS, OURS_FROM_PYTHON, Engine
from loadtest.bench.progress import Progress
from loadtest.bench.rounds import EngineError, time_in_rounds
from loadtest.bench.storage import CellResult, Storage, remaining


class Started(Protocol):
    def sample(self, seconds: float) -> float: ...
    def close(self) -> None: ...


@dataclass(frozen=True)
class Plan:
    cells: Sequence[Cell]
    engines: Sequence[Engine]
    machine: dict[str, Any]
    rounds: int
    seconds: float  # of one sample
    retry_errors: bool = False


def sweep(plan: Plan, storage: Storage, start: Callable[[Engine, Cell], Started], progress: Progress) -> None:
    """Measures what storage does not have yet. `start` raises EngineError for an engine that cannot be had."""
    for cell in cells_to_do(plan, storage):
        progress.begin(cell.name)
        storage.append(measure(plan, cell, start, progress.say))
    progress.end()


def cells_to_do(plan: Plan, storage: Storage) -> list[Cell]:
    names = [engine.name for engine in plan.engines]
    return remaining(plan.cells, storage.load(plan.machine), names, plan.retry_errors)


def measure(plan: Plan, cell: Cell, start: Callable[[Engine, Cell], Started], say: Callable[[str], None]) -> CellResult:
    started: dict[str, Started] = {}
    result = CellResult(cell, plan.machine)
    try:
        for engine in plan.engines:
            say(f"starting {engine.name}")
            try:
                started[engine.name] = start(engine, cell)
            except EngineError as error:
                result.errors[engine.name] = str(error)
        times = time_in_rounds(started, plan.rounds, plan.seconds, (OURS, OURS_FROM_PYTHON), say)
    finally:
        close_all(started.values())
    result.times_us = times.times_us
    result.errors |= times.errors
    return result


def close_all(started: Iterable[Started]) -> None:
    for engine in started:
        engine.close()
