"""Which of the suite's node cases are taken: those of a graph's dtypes and made of operators of the tiers A and B."""

from collections.abc import Iterable
from pathlib import Path

import onnx
from onnx import TensorProto

from tests.onnx.cases import Case

DTYPES = frozenset({TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64, TensorProto.BOOL})

# Operators that are ops of rml-graph, or expressions of a few of them.
OPERATORS = frozenset((Path(__file__).parent / "operators.txt").read_text(encoding="utf-8").split())


def is_taken(case: Case) -> bool:
    return holds_dtypes(case) and operators(case.model.graph.node) <= OPERATORS


def holds_dtypes(case: Case) -> bool:
    kinds = [item.type for item in (*case.model.graph.input, *case.model.graph.output)]
    return all(kind.HasField("tensor_type") and kind.tensor_type.elem_type in DTYPES for kind in kinds)


def operators(nodes: Iterable[onnx.NodeProto]) -> set[str]:
    """Those of branches too; of another domain than ONNX's with their domain."""
    found = set()
    for node in nodes:
        found.add(f"{node.domain}.{node.op_type}" if node.domain else node.op_type)
        for attribute in node.attribute:
            found |= operators(attribute.g.node)
    return found
