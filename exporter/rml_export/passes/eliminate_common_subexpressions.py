"""Nodes that apply the same op with the same attributes to the same values become one."""

from rml_export.graph import Node
from rml_export.passes.rewriting import Rewriter


def run(rewriter: Rewriter) -> None:
    seen: dict[tuple, Node] = {}
    for node in rewriter.graph.nodes:
        first = seen.setdefault(key(node), node)
        if first is node or rewriter.is_dead(node):
            continue
        for old, new in zip(node.outputs, first.outputs, strict=True):
            rewriter.replace(old, new)


def key(node: Node) -> tuple:
    """Equal for nodes that compute the same. Inputs count by identity: equal constants are another pass's work."""
    attrs = tuple((name, type(value).__name__, repr(value)) for name, value in sorted(node.attrs.items()))
    return node.op, attrs, tuple(id(value) for value in node.inputs)
