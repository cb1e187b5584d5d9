"""PyTorch without compiling, in inference mode. Modules with convolutions run channels-last."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from rml_export.zoo import torch_zoo

from loadtest.bench.cells import Cell
from loadtest.bench.files import Files


class TorchModule:
    """`transform`: what makes the module fast; it may trace it, so it runs in inference mode too."""

    def __init__(self, cell: Cell, inputs: list[np.ndarray], transform: Callable[[torch.nn.Module], Any]) -> None:
        torch.set_num_threads(cell.threads)
        module = torch_zoo.build(cell.model, "bench")
        tensors = [torch.from_numpy(array) for array in inputs]
        if any(isinstance(child, torch.nn.Conv2d) for child in module.modules()):
            module = module.to(memory_format=torch.channels_last)
            tensors = [x.to(memory_format=torch.channels_last) if x.dim() == 4 else x for x in tensors]
        self._inputs = tensors
        self._mode = torch.inference_mode()
        self._mode.__enter__()  # for the life of the process: entering it for each call would be timed
        self._call = transform(module)
        self._result: Any = None

    def run(self) -> None:
        self._result = self._call(*self._inputs)

    def outputs(self) -> list[np.ndarray]:
        result = self._result if isinstance(self._result, tuple | list) else (self._result,)
        return [tensor.contiguous().numpy() for tensor in result]


def prepare(cell: Cell, inputs: list[np.ndarray], files: Files, route: str) -> TorchModule:
    return TorchModule(cell, inputs, lambda module: module)
