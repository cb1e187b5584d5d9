"""TensorFlow through XLA: the same function with jit_compile."""

import numpy as np

from loadtest.bench.cells import Cell
from loadtest.bench.files import Files
from loadtest.bench.peers.tf_function import Function


def prepare(cell: Cell, inputs: list[np.ndarray], files: Files, route: str) -> Function:
    return Function(cell, inputs, xla=True)
