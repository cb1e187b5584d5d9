"""The products of an unrolled loop's steps become one product over all steps.

reshape(slice(X, axis, [t, t + 1])) @ W for several t, with one X, one axis and one constant matrix W
    -> P = X @ W once, and reshape(slice(P, axis, [t, t + 1])) for each step

The sums stay the same ones: every element of P is the dot product that the step computed. A slice may also name axes
that it keeps whole.
"""

from dataclasses import dataclass

from rml_export.graph import Node, Value
from rml_export.passes.matching import made_by
from rml_export.passes.rewriting import Rewriter


@dataclass(frozen=True)
class Step:
    """One product, and the slice of X that it multiplies."""

    product: Node
    x: Value
    axis: int
    time: int


def run(rewriter: Rewriter) -> None:
    groups: dict[tuple, list[Step]] = {}
    for node in rewriter.graph.nodes:
        step = match_step(rewriter, node)
        if step is not None:
            groups.setdefault((step.x, step.axis, node.inputs[1]), []).append(step)
    for group in groups.values():
        if len(group) < 2:
            rewriter.refuse(group[0].product, "only one step multiplies by this weight")
        else:
            hoist(rewriter, group)


def match_step(rewriter: Rewriter, node: Node) -> Step | None:
    if node.op != "matmul" or rewriter.is_dead(node):
        return None
    left, weight = node.inputs
    if not weight.is_constant or weight.rank != 2:
        return None
    flat = left.producer
    cut = flat if flat is not None and flat.op == "slice" else None
    if flat is not None and flat.op in ("reshape", "squeeze"):
        cut = made_by(flat.inputs[0], "slice")
    if cut is None:
        return None
    found = one_step(cut)
    if found is None:
        return None
    x = cut.inputs[0]
    axis, time = found
    without = x.shape[:axis] + x.shape[axis + 1 :]
    kept = (*without[:axis], 1, *without[axis:])
    if axis == x.rank - 1 or left.shape not in (without, kept) or x.shape[-1] != weight.shape[0]:
        return None
    return Step(node, x, axis, time)


def one_step(cut: Node) -> tuple[int, int] | None:
    """(axis, t) of a slice that takes element t of one axis and keeps the others whole."""
    found = None
    attrs = cut.attrs
    for axis, start, step in zip(attrs["axes"], attrs["starts"], attrs["steps"], strict=True):
        size, kept = cut.inputs[0].shape[axis], cut.output.shape[axis]
        if size == kept and step == 1:
            continue
        if kept != 1 or found is not None:
            return None
        found = axis, start if start >= 0 else start + size
    return found


def hoist(rewriter: Rewriter, group: list[Step]) -> None:
    first = group[0]
    weight = first.product.inputs[1]
    whole = rewriter.make("matmul", [first.x, weight], {}, first.product.name, first.product)
    for step in group:
        node = step.product
        attrs = {"axes": (step.axis,), "starts": (step.time,), "ends": (step.time + 1,), "steps": (1,)}
        part = rewriter.make("slice", [whole], attrs, node.name, node)
        if part.shape != node.output.shape:
            part = rewriter.make("reshape", [part], {"shape": node.output.shape}, node.name, node)
        rewriter.replace(node.output, part)
