"""gather(data, where(i < 0, i + n, i)), n the size of the axis, becomes a gather that wraps by itself; so does
gather_elements. A reshape of the index stays.

That is how JAX and TensorFlow spell negative indices.
"""

from rml_export.graph import Node, Value
from rml_export.passes.matching import is_number, made_by
from rml_export.passes.rewriting import Rewriter


def run(rewriter: Rewriter) -> None:
    for node in list(rewriter.graph.nodes):
        if node.op not in ("gather", "gather_elements") or node.attrs["wrap"] or rewriter.is_dead(node):
            continue
        given = node.inputs[1]
        flat = made_by(given, "reshape")
        index = wrapped_index(flat.inputs[0] if flat is not None else given, node.inputs[0].shape[node.attrs["axis"]])
        if index is not None:
            if index.shape != given.shape:
                index = rewriter.make("reshape", [index], {"shape": given.shape}, node.name, node)
            attrs = {**node.attrs, "wrap": True}
            rewriter.replace(node.output, rewriter.make(node.op, [node.inputs[0], index], attrs, node.name, node))


def wrapped_index(value: Value, size: int) -> Value | None:
    """The i of where(i < 0, i + size, i); None if it is something else."""
    choice = made_by(value, "where")
    if choice is None:
        return None
    condition, wrapped, plain = choice.inputs
    below = made_by(condition, "lt")
    added = made_by(wrapped, "add")
    if below is None or added is None or below.inputs[0] is not plain or not is_number(below.inputs[1], 0):
        return None
    return plain if is_sum(added, plain, size) else None


def is_sum(node: Node, value: Value, number: int) -> bool:
    a, b = node.inputs
    return (a is value and is_number(b, number)) or (b is value and is_number(a, number))
