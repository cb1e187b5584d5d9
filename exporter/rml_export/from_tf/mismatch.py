"""Finds the first operation at which an export and TensorFlow disagree, for the error text."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rml_export.canonical import canonical
from rml_export.from_tf.frozen import Frozen, in_order
from rml_export.golden import Tolerance
from rml_export.graph import Value


def first_mismatch(frozen: Frozen, known: Mapping[str, Any], inputs: Sequence[Any], tolerance: Tolerance) -> str:
    """Runs the frozen function for all its inner values and compares them in order."""
    function = frozen.function
    tensors = [tensor for operation in in_order(function.graph) for tensor in operation.outputs]
    compared = [tensor for tensor in tensors if isinstance(known.get(tensor.name), Value)]
    fed = [tensor.name for tensor in function.inputs]
    results = function.prune(fed, [tensor.name for tensor in compared])(*inputs)
    for tensor, result in zip(compared, results, strict=True):
        text = tolerance.difference(known[tensor.name].example, canonical(np.asarray(result)))
        if text is not None:
            line = frozen.lines.get(tensor.op.name)
            where = f" at {line}" if line else ""
            return f"first at {tensor.op.type} '{tensor.op.name}'{where}: {text}"
    return "no single operation differs by more than the tolerance"
