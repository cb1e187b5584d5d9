"""Integers of other widths, which a graph holds as int32: what would wrap around elsewhere than there is refused.

64-bit integers are taken, as every framework counts and indexes with them: what fits into int32 gives the same numbers.
"""

from typing import Any

import numpy as np

from rml_export.errors import ExportError
from rml_export.graph import Value

NARROW = frozenset({"int8", "uint8", "int16", "uint16", "uint32", "uint64"})
_ARITHMETIC = frozenset(
    {"add", "sub", "mul", "neg", "abs", "pow", "reduce_sum", "reduce_prod", "matmul", "cumsum", "scatter_add"}
)
_BELOW_ZERO = frozenset({"sub", "neg"})  # all that is refused of the wide ones, which reach beyond int32 otherwise
_MOVES = frozenset({"reshape", "transpose", "squeeze", "unsqueeze"})


def check_arithmetic(dtype: Any, value: Any) -> None:
    """ExportError if the framework computes `value`, of this NumPy dtype there, by arithmetic that wraps around."""
    node = value.producer if isinstance(value, Value) else None
    while node is not None and node.op in _MOVES:
        node = node.inputs[0].producer
    name = np.dtype(dtype).name
    refused = _BELOW_ZERO if name in ("uint32", "uint64") else _ARITHMETIC
    if name in NARROW and node is not None and node.op in refused:
        raise ExportError(f"arithmetic of {name}, which wraps around elsewhere than int32: convert to int32 before it")


def check_conversion(source: Any, target: Any) -> None:
    """ExportError if an integer may lose bits that int32 keeps. Out of range, floats become anything anywhere."""
    was, becomes = np.dtype(source), np.dtype(target)
    if becomes.name in NARROW and was.kind in "iu" and not np.can_cast(was, becomes):
        raise ExportError(f"a conversion from {was} to {becomes}, which may lose bits that int32 keeps")
