"""JAX, compiled ahead of time, inputs and weights on the device. Its pool is as large as the CPUs it is bound to."""

from typing import Any

import jax
import numpy as np
from rml_export.zoo import jax_zoo

from loadtest.bench.cells import Cell
from loadtest.bench.files import Files


class Compiled:
    def __init__(self, cell: Cell, inputs: list[np.ndarray]) -> None:
        function, weights = jax_zoo.build(cell.model, "bench")
        self._arguments = jax.device_put((weights, *inputs))
        self._call = jax.jit(function).lower(*self._arguments).compile()
        self._result: Any = None

    def run(self) -> None:
        self._result = jax.block_until_ready(self._call(*self._arguments))

    def outputs(self) -> list[np.ndarray]:
        return [np.asarray(array) for array in jax.tree.leaves(self._result)]


def prepare(cell: Cell, inputs: list[np.ndarray], files: Files, route: str) -> Compiled:
    return Compiled(cell, inputs)
