"""Shape ops that do nothing, or do in two steps what one can.

reshape(x) to x's shape, transpose by the identity, whole slice, cast to the same type ...  -> x
reshape(reshape(x)), also with squeeze and unsqueeze                                        -> reshape(x)
transpose(transpose(x, p), q)                                                               -> transpose(x, p[q])
reshape or unsqueeze of a reduction back to the rank of its input                           -> keep_dims reduction
"""

from rml_export.graph import Node, Value
from rml_export.passes.rewriting import Rewriter

_RESHAPES = frozenset({"reshape", "squeeze", "unsqueeze"})


def run(rewriter: Rewriter) -> None:
    for node in list(rewriter.graph.nodes):
        if is_identity(node):
            if reason := why_not_drop(rewriter, node):
                rewriter.refuse(node, reason)
            else:
                rewriter.replace(node.output, node.inputs[0])
        elif rewriter.is_dead(node):
            continue
        elif (combined := combine(rewriter, node)) is not None:
            rewriter.replace(node.output, combined)


def is_identity(node: Node) -> bool:
    """Whether the node's output is its first input, bit for bit."""
    source, attrs = node.inputs[0], node.attrs
    if len(node.outputs) != 1 or (source.dtype, source.shape) != (node.output.dtype, node.output.shape):
        return False
    if node.op in _RESHAPES or node.op in ("broadcast_to", "cast", "pad"):
        return True  # pads are not negative, so an equal shape means none
    if node.op == "transpose":
        return attrs["perm"] == tuple(range(source.rank))
    if node.op == "slice":
        return all(step > 0 for step in attrs["steps"])
    if node.op == "concat":
        return len(node.inputs) == 1
    return node.op.startswith("reduce_") and not attrs["axes"]


def why_not_drop(rewriter: Rewriter, node: Node) -> str | None:
    """A graph output must be made by a node."""
    if node.output in rewriter.outputs and node.inputs[0].producer is None:
        return "the output is a graph output and the input is not computed"
    return None


def combine(rewriter: Rewriter, node: Node) -> Value | None:
    """The value that does the node's and its producer's work in one, or None."""
    source = node.inputs[0]
    inner = source.producer
    if inner is None:
        return None
    if undoes(node, inner) and (inner.inputs[0].producer is not None or node.output not in rewriter.outputs):
        return inner.inputs[0]
    if node.op in _RESHAPES and inner.op in _RESHAPES:
        return rewriter.make("reshape", inner.inputs, {"shape": node.output.shape}, node.name or inner.name, node)
    if node.op == "transpose" and inner.op == "transpose":
        perm = tuple(inner.attrs["perm"][axis] for axis in node.attrs["perm"])
        return rewriter.make("transpose", inner.inputs, {"perm": perm}, node.name or inner.name, node)
    if node.op in _RESHAPES and inner.op.startswith("reduce_") and not inner.attrs["keep_dims"]:
        (reduced,) = inner.inputs
        kept = tuple(1 if axis in inner.attrs["axes"] else dim for axis, dim in enumerate(reduced.shape))
        if kept != node.output.shape:
            return None
        if not rewriter.sole_reader(source):
            rewriter.refuse(node, "the reduction has other readers")
            return None
        return rewriter.make(inner.op, inner.inputs, {**inner.attrs, "keep_dims": True}, inner.name, node)
    return None


def undoes(node: Node, inner: Node) -> bool:
    """Whether the node makes its producer's input again."""
    if node.op == "transpose" and inner.op == "transpose":
        return all(inner.attrs["perm"][axis] == place for place, axis in enumerate(node.attrs["perm"]))
    return node.op in _RESHAPES and inner.op in _RESHAPES and node.output.shape == inner.inputs[0].shape
