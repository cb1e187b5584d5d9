"""Lowers a function of tensors and compares the graph with TensorFlow: what the tables of this folder share."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from rml_export.export import Export
from rml_export.from_tf import lower_tf

from tests.exporter.comparing import assert_agrees


def check(fn: Callable[..., Any], *inputs: np.ndarray, others: Sequence[tuple] = ()) -> Export:
    """Lowers, runs the passes, and compares the graph with TensorFlow on these inputs and on others alike."""
    export = lower_tf(fn, inputs, static=True)
    for case in (inputs, *others):
        assert_agrees(export, case, tf.nest.flatten(fn(*(tf.constant(array) for array in case))))
    return export
