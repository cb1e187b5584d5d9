"""Lowers a function of arrays and compares the graph with JAX: what the tables of this folder share."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
from rml_export.export import Export
from rml_export.from_jax import lower_jax

from tests.exporter.comparing import assert_agrees


def check(
    fn: Callable[..., Any], *inputs: Any, params: Any = (), others: Sequence[tuple] = (), static: bool = True
) -> Export:
    """Lowers fn(*inputs) (fn(params, *inputs) with params), and compares on these inputs and on others alike
    (static=False: of any batch)."""
    full = fn if params else lambda _, *args: fn(*args)
    export = lower_jax(full, params, inputs, static=static)
    for case in (inputs, *others):
        assert_agrees(export, jax.tree.leaves(case), jax.tree.leaves(full(params, *case)))
    return export
