"""REFERENCE against the engine's references on random graphs, node by node on the same inputs.

The command rml-random-graphs (tests/engine/random) writes the graphs, their inputs, the value of every node and how
much each element may differ; case_file.h and node_tolerance.h there say what the files hold.
"""

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from rml_export.dims import BatchMultiple, dim_at
from rml_export.graph import Node
from rml_export.op_table import OPS
from rml_export.reader import read_graph
from rml_export.reference import run_reference
from rml_export.safetensors_file import read_safetensors

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("RML_BIN_DIR", ROOT / "build/release/bin")) / "rml-random-graphs"
REGRESSIONS = sorted((ROOT / "tests/engine/random/regressions").glob("*.json"))
SMALLEST_NORMAL = np.float32(2.0**-126)


def run_command(*arguments: object) -> None:
    assert COMMAND.exists(), "build the C++ tests first, or say where they are by RML_BIN_DIR"
    subprocess.run([COMMAND, *map(str, arguments)], check=True)


def flushed(array: np.ndarray) -> np.ndarray:
    """Subnormal numbers as zeros of their sign, as the engine sees them."""
    if array.dtype != np.float32:
        return array
    return np.where(np.abs(array) < SMALLEST_NORMAL, np.copysign(np.float32(0), array), array)


def attrs_at(attrs: dict, rows: int) -> dict:
    def at(value):
        if isinstance(value, tuple):
            return tuple(dim_at(dim, rows) for dim in value)
        return dim_at(value, rows) if isinstance(value, BatchMultiple) else value

    return {name: at(value) for name, value in attrs.items()}


class Case:
    """A graph that the command wrote, with its values by id."""

    def __init__(self, path: Path):
        file = json.loads(path.read_text())
        self.graph = read_graph(path)
        self.nodes = list(zip(self.graph.nodes, file["nodes"], strict=True))
        inputs, _ = read_safetensors(path.with_suffix(".inputs.safetensors"))
        tensors, metadata = read_safetensors(path.with_suffix(".values.safetensors"))
        self.rows = int(metadata["rows"])
        self.agreement = {
            int(number): kind for kind in ("bits", "values") for number in metadata[kind].split(",") if number
        }
        self.bounds = {int(name[6:]): array for name, array in tensors.items() if name.startswith("bound.")}
        self.values = {int(name[6:]): array for name, array in tensors.items() if name.startswith("value.")}
        for index, entry in enumerate(file["inputs"]):
            self.values[entry["id"]] = inputs[f"input.{index}"]
        for node, entry in self.nodes:
            for value, number in zip(node.inputs, entry["in"], strict=True):
                if value.is_constant:
                    self.values[number] = value.data


def disagreement(case: Case, number: int, got: np.ndarray) -> str:
    """What is wrong with `got` as output `number`; empty if nothing is."""
    want = flushed(case.values[number])
    got = flushed(got)
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{list(got.shape)}, expected {want.dtype}{list(want.shape)}"
    wrong = ~((got == want) | (np.isnan(got) & np.isnan(want)))
    if number in case.bounds:
        bounds = case.bounds[number].astype(np.float64)
        difference = np.abs(finite(got) - finite(want))
        wrong &= ~(difference <= bounds) & ~(bounds < 0)
        wrong |= (np.isinf(got) & np.isinf(want) & (got != want)) & ~(bounds < 0)
    elif case.agreement[number] == "bits" and want.dtype == np.float32:
        wrong |= (got == 0) & (want == 0) & (np.signbit(got) != np.signbit(want))
    if not wrong.any():
        return ""
    at = tuple(index[0] for index in np.nonzero(wrong)) if wrong.ndim else ()
    within = f" within {case.bounds[number][at]}" if number in case.bounds else ""
    return f"{got[at]!r} at {tuple(map(int, at))}, expected {want[at]!r}{within}"


def finite(array: np.ndarray) -> np.ndarray:
    """In float64, with infinities as 2^128: what rounds to them."""
    wide = array.astype(np.float64)
    return np.where(np.isinf(wide), np.copysign(2.0**128, wide), wide)


def disagreements(case: Case, node: Node, entry: dict, inputs: list[np.ndarray]) -> list[str]:
    """What is wrong with the node's outputs, one text for each that is."""
    try:
        outputs = run_reference(node.op, inputs, attrs_at(node.attrs, case.rows))
    except (ValueError, IndexError, TypeError) as error:
        return [f"{type(error).__name__}: {error}"]
    texts = [disagreement(case, number, output) for number, output in zip(entry["out"], outputs, strict=True)]
    return [text for text in texts if text]


def check_cases(paths: list[Path]) -> Counter:
    """Runs every node of the cases. Fails with the first few disagreements of each op; returns nodes by op."""
    wrong: dict[str, list[str]] = {}
    nodes: Counter = Counter()
    for path in paths:
        case = Case(path)
        for node, entry in case.nodes:
            nodes[node.op] += 1
            inputs = [flushed(case.values[number]) for number in entry["in"]]
            for what in disagreements(case, node, entry, inputs):
                shapes = [f"{array.dtype}{list(array.shape)}" for array in inputs]
                wrong.setdefault(node.op, []).append(f"{path.stem}: {shapes} {node.attrs}: {what}")
    lines = [f"{op}: {line}" for op, some in wrong.items() for line in some[:3]]
    assert not lines, "\n".join(lines)
    return nodes


def test_reference_agrees_on_random_graphs(tmp_path):
    run_command("--seed", 0, "--count", 128, "--write", tmp_path)
    paths = sorted(tmp_path.glob("*.json"))
    assert len(paths) == 128
    nodes = check_cases(paths)
    assert set(nodes) == set(OPS)


def test_reference_agrees_on_regressions(tmp_path):
    for path in REGRESSIONS:
        run_command("--replay", path, "--write", tmp_path)
    check_cases(sorted(tmp_path.glob("*.json")))


@pytest.mark.slow
def test_reference_agrees_on_many_random_graphs(tmp_path):
    run_command("--seed", 1024, "--count", 3000, "--write", tmp_path)
    check_cases(sorted(tmp_path.glob("*.json")))
