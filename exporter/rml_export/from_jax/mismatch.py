"""Finds the first primitive whose lowering does not give JAX's values, for the error text."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rml_export.builder import Builder
from rml_export.canonical import canonical
from rml_export.from_jax.call import Operand
from rml_export.from_jax.lowering import CALLS, Lowering, scope, source_line
from rml_export.golden import Tolerance
from rml_export.graph import Value

_CONTROL_FLOW = ("scan", "while", "cond")


class MismatchFinder(Lowering):
    """Lowers once more; each primitive also runs in JAX, on the values that the graph has before it."""

    def __init__(self, tolerance: Tolerance) -> None:
        super().__init__(Builder())
        self.tolerance = tolerance
        self.found = ""

    def equation(self, eqn: Any, args: list[Operand], path: str) -> Sequence[Operand]:
        results = super().equation(eqn, args, path)
        name = eqn.primitive.name
        inner = name in CALLS or name in _CONTROL_FLOW
        if self.found or inner or not any(isinstance(item, Value) for item in args):
            return results
        pairs = zip(args, eqn.invars, strict=True)
        arrays = [(x.example if isinstance(x, Value) else x).astype(atom.aval.dtype) for x, atom in pairs]
        made = eqn.primitive.bind(*arrays, **eqn.params)
        for result, want in zip(results, made if eqn.primitive.multiple_results else [made], strict=True):
            text = self.tolerance.difference(result.example, canonical(np.asarray(want)))
            if text is not None and not self.found:
                line, place = source_line(eqn), scope(eqn, path)
                where = (f" in '{place}'" if place else "") + (f" at {line}" if line else "")
                self.found = f"first at {name}{where}: {text}"
        return results
