"""NumPy reference of every op: REFERENCE[op](inputs, attrs) -> tuple of outputs.

Inputs are float32 or int32 arrays, attributes are complete and made of plain Python values (ints, tuples, floats).
Functions compute in float64 where more exactness than float32 costs nothing, and return canonical arrays. What they
define is what a graph file means: NaN rules, padding, ties, wrap-around.
"""

from collections.abc import Callable, Sequence

import numpy as np

from rml_export.graph import Attrs
from rml_export.reference import (
    attention,
    convolution,
    elementwise,
    indexing,
    layout,
    linear,
    normalization,
    pooling,
    reduction,
    resizing,
)

ReferenceFn = Callable[[Sequence[np.ndarray], Attrs], tuple[np.ndarray, ...]]

REFERENCE: dict[str, ReferenceFn] = {
    **elementwise.REFERENCE,
    **normalization.REFERENCE,
    **reduction.REFERENCE,
    **linear.REFERENCE,
    **convolution.REFERENCE,
    **pooling.REFERENCE,
    **resizing.REFERENCE,
    **attention.REFERENCE,
    **indexing.REFERENCE,
    **layout.REFERENCE,
}

__all__ = ["REFERENCE", "ReferenceFn", "run_reference"]


def run_reference(op: str, inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    """Runs one op; warnings of NumPy about NaN and overflow are part of the semantics and kept quiet."""
    with np.errstate(all="ignore"):
        outputs = REFERENCE[op](inputs, attrs)
    return tuple(np.ascontiguousarray(output).reshape(output.shape) for output in outputs)
