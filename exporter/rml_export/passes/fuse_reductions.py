"""Means and softmaxes that are written out.

reduce_sum(x) / n, reduce_sum(x) * (1 / n), n the number of elements summed   -> reduce_mean(x)
e / reduce_sum(e), e = exp(x - reduce_max(x)), over one axis                   -> softmax(x)
(x - reduce_max(x)) - log(reduce_sum(exp(x - reduce_max(x))))                  -> log_softmax(x)

The maximum may be guarded as JAX does it: maximum(-inf, max), before its axis is put back.
"""

from math import prod

import numpy as np

from rml_export.graph import Node, Value
from rml_export.passes.matching import is_number, made_by, read_elsewhere
from rml_export.passes.rewriting import Rewriter


def run(rewriter: Rewriter) -> None:
    for node in list(rewriter.graph.nodes):
        if rewriter.is_dead(node):
            continue
        if node.op in ("div", "mul"):
            fuse_mean(rewriter, node)
        if node.op in ("div", "mul"):
            fuse_softmax(rewriter, node)
        elif node.op == "sub":
            fuse_log_softmax(rewriter, node)


def fuse_mean(rewriter: Rewriter, node: Node) -> None:
    for total, divisor in ((0, 1), (1, 0)) if node.op == "mul" else ((0, 1),):
        source = made_by(node.inputs[total], "reduce_sum")
        if source is None or source.output.dtype != "f32":
            continue
        count = prod(source.inputs[0].shape[axis] for axis in source.attrs["axes"])
        wanted = float(count) if node.op == "div" else float(np.float32(1) / np.float32(max(count, 1)))
        if count == 0 or not is_number(node.inputs[divisor], wanted) or node.output.shape != source.output.shape:
            continue
        if not rewriter.sole_reader(source.output):
            rewriter.refuse(node, "the sum has other readers")
            return
        mean = rewriter.make("reduce_mean", source.inputs, dict(source.attrs), node.name or source.name, node)
        rewriter.replace(node.output, mean)
        return


def fuse_softmax(rewriter: Rewriter, node: Node) -> None:
    for top, bottom in ((0, 1), (1, 0)) if node.op == "mul" else ((0, 1),):
        inner: list[Node] = []
        below = node.inputs[bottom]
        if node.op == "mul":
            inverse = made_by(below, "reciprocal")
            if inverse is None:
                continue
            inner.append(inverse)
            below = inverse.inputs[0]
        total = made_by(below, "reduce_sum")
        if total is None or total.inputs[0] is not node.inputs[top] or not one_kept_axis(total):
            continue
        found = exp_of_shifted(node.inputs[top], total.attrs["axes"][0])
        if found is None:
            continue
        x, nodes = found
        if reason := read_elsewhere(rewriter, node, [*inner, total, *nodes]):
            rewriter.refuse(node, reason)
            return
        attrs = {"axis": total.attrs["axes"][0]}
        rewriter.replace(node.output, rewriter.make("softmax", [x], attrs, node.name, node))
        return


def fuse_log_softmax(rewriter: Rewriter, node: Node) -> None:
    log = made_by(node.inputs[1], "log")
    total = made_by(log.inputs[0], "reduce_sum") if log is not None else None
    if log is None or total is None or not one_kept_axis(total):
        return
    axis = total.attrs["axes"][0]
    found = exp_of_shifted(total.inputs[0], axis)
    if found is None:
        return
    x, nodes = found
    if nodes[0].inputs[0] is not node.inputs[0]:
        return
    if reason := read_elsewhere(rewriter, node, [log, total, *nodes]):
        rewriter.refuse(node, reason)
        return
    rewriter.replace(node.output, rewriter.make("log_softmax", [x], {"axis": axis}, node.name, node))


def one_kept_axis(node: Node) -> bool:
    return len(node.attrs["axes"]) == 1 and node.attrs["keep_dims"]


def exp_of_shifted(value: Value, axis: int) -> tuple[Value, list[Node]] | None:
    """x and the nodes of exp(x - max x) along the axis, the exp first."""
    exp = made_by(value, "exp")
    shifted = made_by(exp.inputs[0], "sub") if exp is not None else None
    if exp is None or shifted is None:
        return None
    x, largest = shifted.inputs
    if largest.shape != tuple(1 if i == axis else dim for i, dim in enumerate(x.shape)):
        return None
    nodes = [exp, shifted]
    while (node := largest.producer) is not None and node.op in ("maximum", "reshape", "unsqueeze"):
        others = [item for item in node.inputs if not is_number(item, -np.inf)]
        if len(others) != 1:
            return None
        nodes.append(node)
        largest = others[0]
    peak = made_by(largest, "reduce_max")
    if peak is None or peak.inputs[0] is not x or peak.attrs["axes"] != (axis,):
        return None
    return x, [*nodes, peak]
