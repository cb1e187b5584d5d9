"""broadcast_to, and reshapes that only add or drop leading axes of size 1, whose readers all broadcast anyway."""

from rml_export.dims import Dim
from rml_export.graph import Node
from rml_export.op_table import BROADCASTING_OPS
from rml_export.passes.rewriting import Rewriter, reads_alike

_SDPA_MASK = 3
_SCALES = ("mul", "div", "maximum")


def run(rewriter: Rewriter) -> None:
    for node in list(rewriter.graph.nodes):
        if not is_broadcast(node) or rewriter.is_dead(node):
            continue
        if reason := why_not(rewriter, node):
            rewriter.refuse(node, reason)
        else:
            rewriter.replace(node.output, node.inputs[0])


def is_broadcast(node: Node) -> bool:
    """broadcast_to, or a reshape between shapes that differ only in axes of size 1 in front."""
    if node.op == "broadcast_to":
        return True
    return node.op in ("reshape", "squeeze", "unsqueeze") and _core(node.inputs[0].shape) == _core(node.output.shape)


def _core(shape: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """The shape without leading axes of size 1."""
    first = next((axis for axis, dim in enumerate(shape) if dim != 1), len(shape))
    return shape[first:]


def why_not(rewriter: Rewriter, node: Node) -> str | None:
    if node.output in rewriter.outputs:
        return "is a graph output"
    if restores_axes(node):
        return "it puts the axes of a reduction back, which can keep them"
    for reader in rewriter.readers.get(node.output, ()):
        if reader.op == "sdpa" and [value is node.output for value in reader.inputs].index(True) == _SDPA_MASK:
            continue
        if reader.op not in BROADCASTING_OPS:
            return f"a reader, {reader.op}, does not broadcast"
        if not reads_alike(reader, node.output, node.inputs[0].shape):
            return f"a reader, {reader.op}, has its shape from this broadcast"
    return None


def restores_axes(node: Node) -> bool:
    """Whether a reshape gives a reduction its axes back, a number in between: of one row they look like new axes in
    front. The fusing passes know means and softmaxes by them."""
    source = node.inputs[0].producer
    if source is not None and source.op in _SCALES:
        values = [value for value in source.inputs if not value.is_constant]
        source = values[0].producer if len(values) == 1 else None
    if node.op == "broadcast_to" or source is None or not source.op.startswith("reduce_") or source.attrs["keep_dims"]:
        return False
    axes = source.attrs["axes"]
    return node.output.shape == tuple(1 if i in axes else dim for i, dim in enumerate(source.inputs[0].shape))
