"""Ours inside a Python process: `import rml`, into the same output arrays every time."""

import numpy as np

import rml
from loadtest.bench.cells import Cell
from loadtest.bench.files import Files


class InProcess:
    def __init__(self, model: rml.Model, inputs: list[np.ndarray]) -> None:
        self._model, self._inputs = model, inputs
        self._outputs = list(model.run(*inputs))

    def run(self) -> None:
        self._model.run(*self._inputs, out=self._outputs)

    def outputs(self) -> list[np.ndarray]:
        return self._outputs


def prepare(cell: Cell, inputs: list[np.ndarray], files: Files, route: str) -> InProcess:
    return InProcess(rml.load(files.graph(route, cell.model), threads=cell.threads), inputs)
