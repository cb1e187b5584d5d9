"""Arrays and the comparison that the tables of from_jax and from_tf share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from rml_export.canonical import canonical
from rml_export.evaluate import evaluate
from rml_export.export import Export
from rml_export.golden import difference


def assert_agrees(export: Export, inputs: Sequence[Any], results: Sequence[Any]) -> None:
    """The graph on these inputs, in NumPy, gives the framework's results."""
    wanted = [canonical(np.asarray(result)) for result in results]
    got = evaluate(export.graph, [canonical(np.asarray(array)) for array in inputs])
    assert len(got) == len(wanted)
    for index, (left, right) in enumerate(zip(got, wanted, strict=True)):
        text = difference(left, right, 1e-5, 1e-4)
        assert text is None, f"output {index}: {text}"


def numbers(*shape: int, seed: int = 0, low: float = -3.0, high: float = 3.0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


def integers(*shape: int, low: int = -9, high: int = 10, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(low, high, shape, dtype=np.int32)


SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-6, -1e-6, 20.0, -20.0, 88.0, -88.0, np.inf, -np.inf, np.nan], np.float32
)
