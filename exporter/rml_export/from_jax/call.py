"""What a lowering function sees: one equation of a jaxpr, its parameters, and the builder."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rml_export.array_call import ArrayCall, ConstantPool, Operand, canonical_dtype
from rml_export.builder import Builder
from rml_export.graph import Value

__all__ = ["Call", "ConstantPool", "LoweringFn", "Operand", "Table", "canonical_dtype"]


class Call(ArrayCall):
    """One equation."""

    def __init__(self, builder: Builder, pool: ConstantPool, eqn: Any, name: str) -> None:
        super().__init__(builder, pool, name)
        self.eqn = eqn
        self.params: dict[str, Any] = eqn.params

    @property
    def record(self) -> tuple[tuple[int, ...], Any]:
        aval = self.eqn.outvars[0].aval
        return tuple(aval.shape), aval.dtype

    def arg_dtype(self, index: int) -> np.dtype:
        """JAX's dtype of an argument."""
        return np.dtype(self.eqn.invars[index].aval.dtype)


Lowered = Value | tuple[Value, ...]
LoweringFn = Callable[..., Lowered]
Table = dict[str, LoweringFn]
