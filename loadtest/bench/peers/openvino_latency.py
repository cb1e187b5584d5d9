"""OpenVINO on PyTorch's ONNX export: f32, latency hint, one stream, tensors that are set once."""

import numpy as np
import openvino as ov

from loadtest.bench.cells import Cell
from loadtest.bench.files import Files


class Request:
    def __init__(self, cell: Cell, inputs: list[np.ndarray], path: str) -> None:
        settings = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "f32",
            "INFERENCE_NUM_THREADS": cell.threads,
            "NUM_STREAMS": 1,
        }
        compiled = ov.Core().compile_model(path, "CPU", settings)
        self._request = compiled.create_infer_request()
        self._tensors = [ov.Tensor(array, shared_memory=True) for array in inputs]
        for i, tensor in enumerate(self._tensors):
            self._request.set_input_tensor(i, tensor)
        self._count = len(compiled.outputs)

    def run(self) -> None:
        self._request.infer(share_inputs=True, share_outputs=True)

    def outputs(self) -> list[np.ndarray]:
        return [self._request.get_output_tensor(i).data for i in range(self._count)]


def prepare(cell: Cell, inputs: list[np.ndarray], files: Files, route: str) -> Request:
    return Request(cell, inputs, str(files.onnx(cell.model, cell.batch)))
