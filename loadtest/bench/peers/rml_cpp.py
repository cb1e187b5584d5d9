"""Ours as a C++ program runs it: rml-graph-run times its own calls."""

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from loadtest.bench.cells import Cell
from loadtest.bench.files import Files

PROGRAM = Path("build/release/bin/rml-graph-run")
MIN_CALLS = 5
MAX_CALLS = 20000


class GraphRun:
    """A process per sample: it loads, warms up and times; only the last counts."""

    def __init__(self, cell: Cell, files: Files, route: str) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._output = Path(self._folder.name) / "outputs.safetensors"
        self._command = [
            str(PROGRAM),
            str(files.graph(route, cell.model)),
            *("--inputs", str(files.data(cell.model, cell.batch))),
            *("--output", str(self._output)),
            *("--threads", str(cell.threads)),
        ]
        self._call_us = 0.0

    def run(self) -> None:
        self._call_us = self._bench(MIN_CALLS)

    def sample_us(self, seconds: float) -> float:
        calls = min(MAX_CALLS, max(MIN_CALLS, int(seconds * 1e6 / self._call_us)))
        return self._bench(calls)

    def outputs(self) -> list[np.ndarray]:
        tensors = load_file(self._output)
        return [tensors[f"output.{i}"] for i in range(len(tensors))]

    def _bench(self, calls: int) -> float:
        command = [*self._command, "--bench", str(calls), "--warmup", str(min(calls, 10))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return json.loads(done.stdout)["median_us"]


def prepare(cell: Cell, inputs: list[np.ndarray], files: Files, route: str) -> GraphRun:
    return GraphRun(cell, files, route)
