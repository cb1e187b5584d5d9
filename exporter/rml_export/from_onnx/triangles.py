"""Triangular parts of matrices."""

import numpy as np

from rml_export.from_onnx.call import Call, Operand, Table
from rml_export.graph import Value


def triangle(c: Call, x: Operand, k: Operand | None = None) -> Value:
    """Zeros below (upper) or above the k-th diagonal."""
    value, is_upper = c.value(x), bool(c.attr("upper", 1))
    diagonal = int(c.known(k, "a diagonal").reshape(())) if k is not None else 0
    rows, columns = value.shape[-2:]
    distance = np.arange(columns)[None, :] - np.arange(rows)[:, None]
    kept = distance >= diagonal if is_upper else distance <= diagonal
    return c("where", c.constant(kept), value, c.number(0))


TABLE: Table = {"Trilu": triangle}
