"""A constant weight of rank > 2 whose matrices are all equal becomes one matrix: one product, not a batch of them."""

import numpy as np

from rml_export.graph import Node, Value
from rml_export.passes.rewriting import Rewriter


def run(rewriter: Rewriter) -> None:
    for node in rewriter.graph.nodes:
        if node.op != "matmul" or not node.inputs[1].is_constant or node.inputs[1].rank < 3:
            continue
        if reason := why_not(node):
            rewriter.refuse(node, reason)
            continue
        weight = node.inputs[1]
        matrix = np.ascontiguousarray(weight.data[(0,) * (weight.rank - 2)])
        rewriter.replace_in(node, weight, Value("f32", matrix.shape, matrix, is_constant=True))


def why_not(node: Node) -> str | None:
    left, weight = node.inputs
    if weight.data.size == 0:
        return "the weight is empty"
    if left is weight:
        return "both operands are this weight"
    bits = weight.data.view(np.int32).reshape(-1, *weight.shape[-2:])
    if (bits != bits[0]).any():
        return "the weight's matrices differ"
    if left.rank < 2 or left.shape[:-1] != node.output.shape[:-1]:
        return "the output has its shape from the weight's batch"
    return None
