"""Runs an exported graph with rml-graph-run."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rml_export.safetensors_file import read_safetensors, serialize

ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(os.environ.get("RML_BIN_DIR", ROOT / "build/release/bin"))


def run_graph(graph: Path, arrays: Sequence[np.ndarray], folder: Path, *options: str) -> list[np.ndarray]:
    """The outputs for these inputs; `folder` is for the files on the way."""
    given, got = folder / "inputs.safetensors", folder / "outputs.safetensors"
    given.write_bytes(serialize({f"input.{i}": array for i, array in enumerate(arrays)}))
    command = [BINARIES / "rml-graph-run", graph, "--inputs", given, "--output", got, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{graph.name}: {done.stderr}"
    outputs, _ = read_safetensors(got)
    return [outputs[f"output.{i}"] for i in range(len(outputs))]
