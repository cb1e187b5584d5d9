"""ONNX Runtime on PyTorch's ONNX export: all optimisations, I/O binding with outputs that are bound once."""

import numpy as np
import onnxruntime as ort

from loadtest.bench.cells import Cell
from loadtest.bench.files import Files


class Session:
    def __init__(self, cell: Cell, inputs: list[np.ndarray], path: str) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = cell.threads
        options.inter_op_num_threads = 1
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        self._session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        names = [value.name for value in self._session.get_outputs()]
        feed = dict(zip((value.name for value in self._session.get_inputs()), inputs, strict=True))
        results = self._session.run(names, feed)
        self._binding = self._session.io_binding()
        self._values = [ort.OrtValue.ortvalue_from_numpy(array) for array in (*feed.values(), *results)]
        for name, value in zip(feed, self._values, strict=False):
            self._binding.bind_ortvalue_input(name, value)
        self._outputs = self._values[len(feed) :]
        for name, value in zip(names, self._outputs, strict=True):
            self._binding.bind_ortvalue_output(name, value)

    def run(self) -> None:
        self._session.run_with_iobinding(self._binding)

    def outputs(self) -> list[np.ndarray]:
        return [value.numpy() for value in self._outputs]


def prepare(cell: Cell, inputs: list[np.ndarray], files: Files, route: str) -> Session:
    return Session(cell, inputs, str(files.onnx(cell.model, cell.batch)))
