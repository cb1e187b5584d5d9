"""Runs many graphs through the engine in one process: run_graphs (tests/examples/graph_run/run_graphs.cc)."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rml_export.graph import Graph
from rml_export.safetensors_file import read_safetensors, serialize
from rml_export.writer import write_graph

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("RML_BIN_DIR", ROOT / "build/release/bin")) / "run_graphs"


@dataclass
class _Job:
    graph: Path
    inputs: Path
    outputs: Path


class EngineRuns:
    """Graphs and their inputs are written as they come; run() then runs all of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.jobs: dict[str, _Job] = {}

    def add(self, name: str, graph: Graph, inputs: Sequence[np.ndarray]) -> None:
        """A graph to run under this name on these inputs."""
        stem = f"{len(self.jobs):04}"
        written = write_graph(graph, self.folder / stem)
        job = _Job(written.json_path, self.folder / f"{stem}.in.safetensors", self.folder / f"{stem}.out.safetensors")
        job.inputs.write_bytes(serialize({f"input.{i}": array for i, array in enumerate(inputs)}))
        self.jobs[name] = job

    def run(self) -> dict[str, list[np.ndarray] | str]:
        """The outputs by name, or the engine's message."""
        assert COMMAND.exists(), (
            f"{COMMAND} is not built; build the C++ tests first, or say where they are by RML_BIN_DIR"
        )
        lines = ["\t".join(map(str, (job.graph, job.inputs, job.outputs))) + "\n" for job in self.jobs.values()]
        listed = self.folder / "list"
        listed.write_text("".join(lines))
        done = subprocess.run([COMMAND, listed], capture_output=True, text=True, check=False)
        told = done.stdout.splitlines()
        assert done.returncode == 0 and len(told) == len(self.jobs), (
            f"run_graphs ended with exit code {done.returncode} after {len(told)} of {len(self.jobs)} graphs: "
            f"{done.stderr}{list(self.jobs)[len(told) : len(told) + 1]}"
        )
        results = zip(self.jobs.items(), told, strict=True)
        return {name: read_outputs(job.outputs) if text == "ok" else text for (name, job), text in results}


def read_outputs(path: Path) -> list[np.ndarray]:
    outputs, _ = read_safetensors(path)
    return [outputs[f"output.{i}"] for i in range(len(outputs))]
