"""PyTorch's compiler with all that it has for CPUs: frozen weights and autotuned products."""

import numpy as np
import torch
from torch._inductor import config

from loadtest.bench.cells import Cell
from loadtest.bench.files import Files
from loadtest.bench.peers.torch_eager import TorchModule


def prepare(cell: Cell, inputs: list[np.ndarray], files: Files, route: str) -> TorchModule:
    config.freezing = True
    return TorchModule(cell, inputs, lambda module: torch.compile(module, mode="max-autotune"))
