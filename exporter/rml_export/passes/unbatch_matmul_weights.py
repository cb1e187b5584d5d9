"""A weight of rank > 2 whose matrices are all equal becomes one matrix: one product, not a batch of them.

It is a constant, or the broadcast_to of a matrix, as torch-mlir spells a linear layer.
"""

import numpy as np

from rml_export.graph import Node, Value
from rml_export.passes.matching import made_by
from rml_export.passes.rewriting import Rewriter


def run(rewriter: Rewriter) -> None:
    for node in rewriter.graph.nodes:
        if node.op != "matmul" or node.inputs[1].rank < 3:
            continue
        weight = node.inputs[1]
        spread = made_by(weight, "broadcast_to")
        if not weight.is_constant and (spread is None or spread.inputs[0].shape[-2:] != weight.shape[-2:]):
            continue
        if reason := why_not(node):
            rewriter.refuse(node, reason)
            continue
        rewriter.replace_in(
            node, weight, one_matrix(rewriter, node, spread.inputs[0] if spread is not None else weight)
        )


def one_matrix(rewriter: Rewriter, node: Node, weight: Value) -> Value:
    """The matrix that is repeated, or is there once behind axes of size 1."""
    if weight.rank == 2:
        return weight
    if not weight.is_constant:
        return rewriter.make("reshape", [weight], {"shape": weight.shape[-2:]}, node.name, node)
    matrix = np.ascontiguousarray(weight.data[(0,) * (weight.rank - 2)])
    kept = weight.name if len(rewriter.readers[weight]) == 1 and matrix.size == weight.data.size else None
    return Value("f32", matrix.shape, matrix, kept, is_constant=True)


def why_not(node: Node) -> str | None:
    left, weight = node.inputs
    if left is weight:
        return "both operands are this weight"
    spread = made_by(weight, "broadcast_to")
    if spread is not None and any(dim != 1 for dim in spread.inputs[0].shape[:-2]):
        return "the weight's matrices differ"
    if weight.is_constant:
        if weight.data.size == 0:
            return "the weight is empty"
        bits = weight.data.view(np.int32).reshape(-1, *weight.shape[-2:])
        if (bits != bits[0]).any():
            return "the weight's matrices differ"
    if left.rank < 2 or left.shape[:-1] != node.output.shape[:-1]:
        return "the output has its shape from the weight's batch"
    return None
