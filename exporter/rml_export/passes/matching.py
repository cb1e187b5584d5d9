"""What the fusing passes share: constants that are one number, products of several factors, and whose nodes may go."""

from collections.abc import Iterable

import numpy as np

from rml_export.graph import Node, Value
from rml_export.passes.rewriting import Rewriter


def number_of(value: Value) -> float | None:
    """The number that all elements of a constant are; None for another value. NaN is no number."""
    if not value.is_constant or value.data.size == 0:
        return None
    first = value.data.reshape(-1)[0]
    return float(first) if (value.data == first).all() else None


def is_number(value: Value, wanted: float) -> bool:
    """Whether all elements of a constant are this number, rounded to float32."""
    number = number_of(value)
    return number is not None and np.float32(number) == np.float32(wanted)


def made_by(value: Value, op: str) -> Node | None:
    """The node that makes the value, if it is of this op."""
    node = value.producer
    return node if node is not None and node.op == op else None


def factors(value: Value, rewriter: Rewriter, nodes: list[Node]) -> list[Value]:
    """The factors of a product, whatever the order of multiplication; inner products must have one reader. The mul
    nodes are appended to `nodes`."""
    node = made_by(value, "mul")
    if node is None:
        return [value]
    nodes.append(node)
    result: list[Value] = []
    for part in node.inputs:
        result += factors(part, rewriter, nodes) if rewriter.sole_reader(part) else [part]
    return result


def is_square(value: Value, of: Value) -> Node | None:
    """The node that makes `of * of` or `of ** 2`."""
    node = value.producer
    if node is None:
        return None
    if node.op == "mul" and node.inputs[0] is of and node.inputs[1] is of:
        return node
    return node if node.op == "pow" and node.inputs[0] is of and is_number(node.inputs[1], 2.0) else None


def read_elsewhere(rewriter: Rewriter, root: Node, nodes: Iterable[Node]) -> str | None:
    """Why the nodes under `root` cannot go with it: one of their values is an output or has a reader outside."""
    inside = {root, *nodes}
    for node in inside:
        for value in node.outputs:
            if node is root:
                continue
            if value in rewriter.outputs:
                return f"the {node.op} inside is a graph output"
            if any(reader not in inside for reader in rewriter.readers.get(value, ())):
                return f"the {node.op} inside has other readers"
    return None
