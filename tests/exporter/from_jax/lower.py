"""Lowers a function of arrays and compares the graph with JAX: what the tables of this folder share."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from rml_export.canonical import canonical
from rml_export.evaluate import evaluate
from rml_export.export import Export
from rml_export.from_jax import lower_jax
from rml_export.golden import difference


def check(fn: Callable[..., Any], *inputs: Any, params: Any = (), others: Sequence[tuple] = ()) -> Export:
    """Lowers fn(*inputs) (fn(params, *inputs) with params), and compares on these inputs and on others alike."""
    full = fn if params else lambda _, *args: fn(*args)
    export = lower_jax(full, params, inputs, static=True)
    for case in (inputs, *others):
        wanted = [canonical(np.asarray(leaf)) for leaf in jax.tree.leaves(full(params, *case))]
        got = evaluate(export.graph, [canonical(np.asarray(leaf)) for leaf in jax.tree.leaves(case)])
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
