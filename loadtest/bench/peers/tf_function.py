"""TensorFlow's graph of a model, as a concrete function."""

from typing import Any

import numpy as np
import tensorflow as tf
from rml_export.zoo import tf_zoo

from loadtest.bench.cells import Cell
from loadtest.bench.files import Files


class Function:
    def __init__(self, cell: Cell, inputs: list[np.ndarray], xla: bool) -> None:
        tf.config.threading.set_intra_op_parallelism_threads(cell.threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)
        self._inputs = [tf.constant(array) for array in inputs]
        function = tf.function(tf_zoo.build(cell.model, "bench"), jit_compile=xla)
        self._call = function.get_concrete_function(*self._inputs)
        self._result: Any = None

    def run(self) -> None:
        self._result = self._call(*self._inputs)

    def outputs(self) -> list[np.ndarray]:
        return [tensor.numpy() for tensor in tf.nest.flatten(self._result)]


def prepare(cell: Cell, inputs: list[np.ndarray], files: Files, route: str) -> Function:
    return Function(cell, inputs, xla=False)
