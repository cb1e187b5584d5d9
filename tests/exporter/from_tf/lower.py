"""Lowers a function of tensors and compares the graph with TensorFlow: what the tables of this folder share."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from rml_export.canonical import canonical
from rml_export.evaluate import evaluate
from rml_export.export import Export
from rml_export.from_tf import lower_tf
from rml_export.golden import difference


def check(fn: Callable[..., Any], *inputs: np.ndarray, others: Sequence[tuple] = ()) -> Export:
    """Lowers, runs the passes, and compares the graph with TensorFlow on these inputs and on others alike."""
    export = lower_tf(fn, inputs, static=True)
    for case in (inputs, *others):
        results = fn(*(tf.constant(array) for array in case))
        wanted = [canonical(np.asarray(leaf)) for leaf in tf.nest.flatten(results)]
        got = evaluate(export.graph, [canonical(array) for array in case])
        assert len(got) == len(wanted)
        for index, (left, right) in enumerate(zip(got, wanted, strict=True)):
            text = difference(left, right, 1e-5, 1e-4)
            assert text is None, f"output {index}: {text}"
    return export


def numbers(*shape: int, seed: int = 0, low: float = -3.0, high: float = 3.0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


def integers(*shape: int, low: int = -9, high: int = 10, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(low, high, shape, dtype=np.int32)


SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-6, -1e-6, 20.0, -20.0, 88.0, -88.0, np.inf, -np.inf, np.nan], np.float32
)
