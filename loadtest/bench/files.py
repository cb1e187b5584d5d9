"""Where the files of a benchmark lie, and the inputs with the expected outputs of a model at a batch."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file


@dataclass(frozen=True)
class Files:
    root: Path

    @property
    def results(self) -> Path:
        return self.root / "results.jsonl"

    @property
    def graphs(self) -> Path:
        """ROUTE_MODEL.json with its weights: also a folder for executor_benchmark's RML_GRAPH_DIR."""
        return self.root / "graphs"

    def graph(self, route: str, model: str) -> Path:
        return self.graphs / f"{route}_{model}.json"

    def data(self, model: str, batch: int) -> Path:
        return self.root / "data" / f"{model}_b{batch}.safetensors"

    def onnx(self, model: str, batch: int) -> Path:
        return self.root / "onnx" / f"{model}_b{batch}.onnx"


def write_data(path: Path, inputs: list[np.ndarray], outputs: list[np.ndarray]) -> None:
    """Tensors input.0, ... and output.0, ..., as rml-graph-run reads them; the file appears whole."""
    tensors = {f"input.{i}": np.ascontiguousarray(array) for i, array in enumerate(inputs)}
    tensors |= {f"output.{i}": np.ascontiguousarray(array) for i, array in enumerate(outputs)}
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    save_file(tensors, part)
    part.rename(path)


def read_data(path: Path) -> tuple[list[np.ndarray], list[np.ndarray]]:
    tensors = load_file(path)

    def ordered(kind: str) -> list[np.ndarray]:
        return [tensors[f"{kind}.{i}"] for i in range(sum(key.startswith(f"{kind}.") for key in tensors))]

    return ordered("input"), ordered("output")
