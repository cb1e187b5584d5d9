"""worker.py: the process of one engine and one cell. Commands come in and answers go out as lines of JSON.

    {"seconds": 0.05}  ->  {"us": 41.2}, {"error": "output 0 is off by 0.3; ..."}

The first line out says {"ready": true} once the engine has run, with the expected result. Its process is bound to as
many CPUs as the cell has threads before anything of the engine is imported.
"""

import ctypes
import json
import os
import signal
import sys
import time
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, TextIO

import numpy as np

from loadtest.bench.cells import Cell
from loadtest.bench.files import Files, read_data

PR_SET_PDEATHSIG = 1  # of prctl(2)
WARM_SECONDS = 0.3
WARM_CALLS = 50


class Worker:
    """A prepared engine, what it should give, and the clock."""

    def __init__(self, engine: Any, expected: list[np.ndarray]) -> None:
        self.engine, self.expected = engine, expected

    def warm(self) -> None:
        end = time.perf_counter() + WARM_SECONDS
        for _ in range(WARM_CALLS):
            self.engine.run()
            if time.perf_counter() > end:
                break

    def sample(self, seconds: float) -> float:
        if hasattr(self.engine, "sample_us"):
            return self.engine.sample_us(seconds)
        self.engine.run()  # another engine has had the caches since, and the pages of a stopped process are cold
        return sample_us(self.engine.run, seconds)

    def difference(self) -> str:
        return difference(self.engine.outputs(), self.expected)


def sample_us(run: Any, seconds: float) -> float:
    """The median of single calls, for at least `seconds` and at least one call."""
    times = []
    begin = now = time.perf_counter()
    while now - begin < seconds:
        run()
        then, now = now, time.perf_counter()
        times.append(now - then)
    return 1e6 * median(times)


def difference(outputs: list[np.ndarray], expected: list[np.ndarray]) -> str:
    """What is wrong with the outputs; empty if within 1e-4 + 1e-4 * max|x|, as everything of the bench size."""
    if len(outputs) != len(expected):
        return f"{len(outputs)} outputs; expected {len(expected)}"
    for i, (got, want) in enumerate(zip(outputs, expected, strict=True)):
        if got.shape != want.shape:
            return f"output {i} has shape {list(got.shape)}; expected {list(want.shape)}"
        error = float(np.max(np.abs(got - want), initial=0.0))
        allowed = 1e-4 + 1e-4 * float(np.max(np.abs(want), initial=0.0))
        if not error <= allowed:
            return f"output {i} is off by {error:.3g}; allowed is {allowed:.3g}"
    return ""


def serve(worker: Worker, commands: TextIO, answers: TextIO) -> None:
    """Answers every command until there are no more. After each sample the outputs are compared again."""

    def answer(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    worker.warm()
    wrong = worker.difference()
    answer({"error": wrong} if wrong else {"ready": True})
    for line in commands:
        us = worker.sample(json.loads(line)["seconds"])
        wrong = worker.difference()
        answer({"error": wrong} if wrong else {"us": us})


def main() -> None:
    module, route, root, model, batch, threads = sys.argv[1:]
    # A sweep that is killed must not leave stopped processes behind.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # What frameworks print must not get between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    cell = Cell(model, int(batch), int(threads))
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: cell.threads])
    files = Files(Path(root))
    inputs, expected = read_data(files.data(cell.model, cell.batch))
    engine = import_module(f"loadtest.bench.peers.{module}").prepare(cell, inputs, files, route)
    serve(Worker(engine, expected), sys.stdin, answers)


if __name__ == "__main__":
    main()
