"""f(transpose(x)) becomes transpose(f(x)), so that a transpose meets its inverse further down and both go.

f is elementwise (with constants permuted to match, or several operands transposed alike), a pad, a concat, or a
reduction that leaves the other axes in order. Only a transpose with one reader moves.
"""

from collections.abc import Callable, Sequence

import numpy as np

from rml_export.graph import Attrs, Node, Value
from rml_export.op_table import BROADCASTING_OPS, UNARY_OPS
from rml_export.passes.matching import made_by
from rml_export.passes.rewriting import Rewriter

Perm = tuple[int, ...]


def run(rewriter: Rewriter) -> None:
    for node in list(rewriter.graph.nodes):
        move = MOVES.get(node.op)
        if move is None or rewriter.is_dead(node):
            continue
        perm = common_perm(node)
        if perm is None:
            continue
        if reason := why_not(rewriter, node):
            rewriter.refuse(node, reason)
        else:
            move(rewriter, node, perm)


def common_perm(node: Node) -> Perm | None:
    """The permutation of all operands that are no constants; None if there is none, or not one for all."""
    transposes = [made_by(value, "transpose") for value in node.inputs if not value.is_constant]
    perms = {item.attrs["perm"] if item is not None else None for item in transposes}
    return perms.pop() if len(perms) == 1 else None


def why_not(rewriter: Rewriter, node: Node) -> str | None:
    for value in node.inputs:
        if value.is_constant:
            continue
        if value in rewriter.outputs:
            return "the transpose is a graph output"
        if any(reader is not node for reader in rewriter.readers[value]):
            return "the transpose has other readers"
    return None


def inverse(perm: Perm) -> Perm:
    return tuple(perm.index(axis) for axis in range(len(perm)))


def untransposed(rewriter: Rewriter, node: Node, perm: Perm) -> list[Value] | None:
    """The operands as they are before the transpose; constants permuted (one that nothing else reads keeps its name).
    None if an operand broadcasts over leading axes."""
    result = []
    for value in node.inputs:
        if not value.is_constant:
            if value.rank != len(perm):
                return None
            result.append(value.producer.inputs[0])
            continue
        if value.data.size == 1 and value.rank <= len(perm):
            result.append(value)
            continue
        full = value.data.reshape((1,) * (len(perm) - value.rank) + value.data.shape)
        data = np.ascontiguousarray(full.transpose(inverse(perm)))
        name = value.name if len(rewriter.readers[value]) == 1 else None
        result.append(Value(value.dtype, data.shape, data, name, is_constant=True))
    return result


def finish(rewriter: Rewriter, node: Node, inputs: Sequence[Value], attrs: Attrs, perm: Perm) -> None:
    inner = rewriter.make(node.op, inputs, attrs, node.name, node)
    outer = rewriter.make("transpose", [inner], {"perm": perm}, node.name, node)
    rewriter.replace(node.output, outer)


def elementwise(rewriter: Rewriter, node: Node, perm: Perm) -> None:
    if node.output.rank != len(perm):
        return
    inputs = untransposed(rewriter, node, perm)
    if inputs is not None:
        finish(rewriter, node, inputs, dict(node.attrs), perm)


def concat(rewriter: Rewriter, node: Node, perm: Perm) -> None:
    if any(value.is_constant for value in node.inputs):
        return
    inputs = [value.producer.inputs[0] for value in node.inputs]
    finish(rewriter, node, inputs, {"axis": perm[node.attrs["axis"]]}, perm)


def pad(rewriter: Rewriter, node: Node, perm: Perm) -> None:
    order = inverse(perm)
    attrs = dict(node.attrs)
    for name in ("before", "after"):
        attrs[name] = tuple(node.attrs[name][axis] for axis in order)
    finish(rewriter, node, [node.inputs[0].producer.inputs[0]], attrs, perm)


def reduction(rewriter: Rewriter, node: Node, perm: Perm) -> None:
    axes = tuple(sorted(perm[axis] for axis in node.attrs["axes"]))
    attrs = {**node.attrs, "axes": axes}
    inputs = [node.inputs[0].producer.inputs[0]]
    if node.attrs["keep_dims"]:
        finish(rewriter, node, inputs, attrs, perm)
        return
    kept = [axis for axis in perm if axis not in axes]
    if kept != sorted(kept):
        rewriter.refuse(node, "the axes that stay change their order")
        return
    rewriter.replace(node.output, rewriter.make(node.op, inputs, attrs, node.name, node))


Move = Callable[[Rewriter, Node, Perm], None]

MOVES: dict[str, Move] = {
    **{op: elementwise for op in [*UNARY_OPS, *BROADCASTING_OPS]},
    **{op: reduction for op in ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod")},
    "concat": concat,
    "pad": pad,
}
