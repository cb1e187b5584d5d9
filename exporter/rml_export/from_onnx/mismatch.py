"""Finds the first node at which an import and the model's own runtime disagree, for the error text."""

from collections.abc import Mapping

import numpy as np

from rml_export.canonical import canonical
from rml_export.from_onnx.lowering import Lowering
from rml_export.from_onnx.record import Tensor
from rml_export.from_onnx.runtime import Runtime
from rml_export.golden import Tolerance
from rml_export.graph import Value


def first_mismatch(lowering: Lowering, runtime: Runtime, inputs: Mapping[str, np.ndarray], tolerance: Tolerance) -> str:
    """Runs the model for all its inner values and compares them in order. Functions and branches count as one node."""
    makers = [(name, node) for node in lowering.model.proto.graph.node for name in node.output]
    compared = []
    for name, node in makers:
        item = lowering.known.get(name)
        if isinstance(item, Tensor) and isinstance(item.operand, Value):
            compared.append((name, node, item.operand))
    results = runtime.run(inputs, [name for name, _, _ in compared])
    for (name, node, value), result in zip(compared, results, strict=True):
        text = tolerance.difference(value.example, canonical(result))
        if text is not None:
            return f"first at {node.op_type} '{node.name or name}': {text}"
    return "no single node differs by more than the tolerance"
