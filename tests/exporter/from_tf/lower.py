"""Lowers a function of tensors and compares the graph with TensorFlow: what the tables of this folder share."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from rml_export.export import Export
from rml_export.from_tf import lower_tf

from tests.exporter.comparing import assert_agrees


def check(fn: Callable[..., Any], *inputs: np.ndarray, others: Sequence[tuple] = (), static: bool = True) -> Export:
    """Lowers, runs the passes, and compares the graph with TensorFlow on these inputs and on others alike
    (static=False: of any batch)."""
    export = lower_tf(fn, inputs, static=static)
    for case in (inputs, *others):
        assert_agrees(export, case, tf.nest.flatten(fn(*(tf.constant(array) for array in case))))
    return export
