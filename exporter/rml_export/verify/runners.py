"""What runs a written graph file: the engine (the program rml-graph-run), or the exporter's NumPy reference."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from rml_export.evaluate import evaluate
from rml_export.reader import read_graph
from rml_export.safetensors_file import read_safetensors, serialize

PROGRAM = "rml-graph-run"
VARIABLE = "RML_GRAPH_RUN"


class RunError(Exception):
    """The file cannot be run; says why."""


class Runner(Protocol):
    """name: for messages. fuses: whether nodes may be run several in one, which `fuse=False` forbids."""

    name: str
    fuses: bool

    def run(self, path: Path, inputs: Sequence[np.ndarray], fuse: bool = True) -> list[np.ndarray]:
        """The outputs of the graph file PATH.json. RunError if it cannot be read or run."""
        ...


class EngineRunner:
    """rml-graph-run, in a process of its own."""

    fuses = True

    def __init__(self, program: Path) -> None:
        self.program = program
        self.name = f"the engine ({program})"

    def run(self, path: Path, inputs: Sequence[np.ndarray], fuse: bool = True) -> list[np.ndarray]:
        with tempfile.TemporaryDirectory(prefix="rml-verify-") as folder:
            given, made = Path(folder) / "inputs.safetensors", Path(folder) / "outputs.safetensors"
            given.write_bytes(serialize({f"input.{i}": array for i, array in enumerate(inputs)}))
            command = [self.program, path, "--inputs", given, "--output", made, *([] if fuse else ["--no-fusion"])]
            try:
                done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
            except OSError as error:
                raise RunError(f"{self.program} cannot be started: {error.strerror}") from error
            if done.returncode != 0:
                raise RunError(done.stderr.strip() or f"{self.program} ended with exit code {done.returncode}")
            tensors, _ = read_safetensors(made)
        return [tensors[f"output.{i}"] for i in range(len(tensors))]


class ReferenceRunner:
    """The exporter's own ops in NumPy, which say what each op means: slow, and no test of the engine."""

    name = "the NumPy reference"
    fuses = False

    def run(self, path: Path, inputs: Sequence[np.ndarray], fuse: bool = True) -> list[np.ndarray]:
        try:
            return evaluate(read_graph(path), inputs)
        except (ValueError, IndexError, KeyError) as error:
            raise RunError(f"{path}: {error}") from error


def find_engine() -> Path | None:
    """$RML_GRAPH_RUN, else from PATH, else the newest build in the source tree that this file stands in."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named) if Path(named).is_file() else None
    installed = shutil.which(PROGRAM)
    if installed:
        return Path(installed)
    built = Path(__file__).resolve().parents[3].glob(f"build/*/bin/{PROGRAM}")
    return max(built, key=lambda path: path.stat().st_mtime, default=None)


def engine_advice() -> str:
    """Why find_engine() found none, and what to do."""
    named = os.environ.get(VARIABLE)
    if named:
        return f"the environment variable {VARIABLE} names '{named}', which is no file"
    return f"{PROGRAM} is neither in PATH nor in build/*/bin; build it (./dev build {PROGRAM}) or name it in {VARIABLE}"
