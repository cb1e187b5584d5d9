"""PyTorch's compiler as it is switched on: torch.compile()."""

import numpy as np
import torch

from loadtest.bench.cells import Cell
from loadtest.bench.files import Files
from loadtest.bench.peers.torch_eager import TorchModule


def prepare(cell: Cell, inputs: list[np.ndarray], files: Files, route: str) -> TorchModule:
    return TorchModule(cell, inputs, torch.compile)
