"""broadcast_to, and reshapes that only prepend axes of size 1, whose readers all broadcast by themselves."""

from rml_export.graph import Node
from rml_export.op_table import BROADCASTING_OPS
from rml_export.passes.rewriting import Rewriter, reads_alike

_SDPA_MASK = 3


def run(rewriter: Rewriter) -> None:
    for node in list(rewriter.graph.nodes):
        if not is_broadcast(node) or not (rewriter.readers.get(node.output) or node.output in rewriter.outputs):
            continue
        if reason := why_not(rewriter, node):
            rewriter.refuse(node, reason)
        else:
            rewriter.replace(node.output, node.inputs[0])


def is_broadcast(node: Node) -> bool:
    """broadcast_to, or the input with size-1 axes in front."""
    if node.op == "broadcast_to":
        return True
    if node.op not in ("reshape", "unsqueeze"):
        return False
    source, shape = node.inputs[0].shape, node.output.shape
    added = len(shape) - len(source)
    return added > 0 and shape[added:] == source and all(dim == 1 for dim in shape[:added])


def why_not(rewriter: Rewriter, node: Node) -> str | None:
    if node.output in rewriter.outputs:
        return "is a graph output"
    for reader in rewriter.readers.get(node.output, ()):
        if reader.op == "sdpa" and [value is node.output for value in reader.inputs].index(True) == _SDPA_MASK:
            continue
        if reader.op not in BROADCASTING_OPS:
            return f"a reader, {reader.op}, does not broadcast"
        if not reads_alike(reader, node.output, node.inputs[0].shape):
            return f"a reader, {reader.op}, has its shape from this broadcast"
    return None
