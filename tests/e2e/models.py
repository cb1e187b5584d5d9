"""The models to serve: those that come with rml, and the fixtures as a model repository."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rml_export.safetensors_file import read_safetensors

from tests.e2e.running_server import ROOT, graph

FIXTURES = ROOT / "tests/fixtures"
BUNDLED = sorted(path.name for path in (ROOT / "models").iterdir())
TORCH = sorted(path.name.removesuffix(".golden.safetensors") for path in FIXTURES.glob("torch_*.golden.safetensors"))


@dataclass(frozen=True)
class Golden:
    """A model's golden file by the names of its inputs and outputs, and the files it stands in."""

    graph: Path
    file: Path
    inputs: dict[str, np.ndarray]
    outputs: dict[str, np.ndarray]


def read_golden(graph_path: Path, golden_path: Path) -> Golden:
    tensors, _ = read_safetensors(golden_path)
    model = graph(graph_path)
    return Golden(
        graph=graph_path,
        file=golden_path,
        inputs={info["name"]: tensors[f"input.{i}"] for i, info in enumerate(model["inputs"])},
        outputs={info["name"]: tensors[f"output.{i}"] for i, info in enumerate(model["outputs"])},
    )


def golden(name: str) -> Golden:
    """Of a bundled model or a fixture."""
    if name in BUNDLED:
        folder = ROOT / "models" / name / "1"
        return read_golden(folder / "model.json", folder / "golden.safetensors")
    return read_golden(FIXTURES / f"{name}.json", FIXTURES / f"{name}.golden.safetensors")


def add_static(repository: Path, name: str) -> Path:
    """A bundled model with its batch fixed at two rows, as an export with --static has it; its folder."""
    folder = repository / name / "1"
    shutil.copytree(ROOT / "models" / name / "1", folder)
    text = (folder / "model.json").read_text()
    lines = [
        line for line in text.replace('"B",', "2,").replace(',"rows":true', "").splitlines() if "symbols" not in line
    ]
    (folder / "model.json").write_text("\n".join(lines) + "\n")
    return folder


def add_fixture(repository: Path, fixture: str, name: str | None = None) -> Path:
    """Copies a fixture into a repository as version 1; its folder."""
    folder = repository / (name or fixture) / "1"
    folder.mkdir(parents=True)
    for suffix, target in (
        (".json", "model.json"),
        (".safetensors", "model.safetensors"),
        (".golden.safetensors", "golden.safetensors"),
    ):
        shutil.copy(FIXTURES / f"{fixture}{suffix}", folder / target)
    return folder
