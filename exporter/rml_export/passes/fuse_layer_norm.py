"""Layer norms that are written out, over the last axis or axes:

d * rsqrt(reduce_mean(d * d) + eps), d / sqrt(reduce_mean(d * d) + eps), d = x - reduce_mean(x)   -> layer_norm(x)

with the factors in any order, and a constant weight among them; then layer_norm * weight + bias with constants of the
normalised shape.
"""

from dataclasses import dataclass, field

from rml_export.graph import Node, Value
from rml_export.passes.matching import factors, is_square, made_by, number_of, read_elsewhere
from rml_export.passes.rewriting import Rewriter


@dataclass
class Match:
    """x, the normalised axes, eps, and the nodes that the layer norm replaces (the root apart)."""

    x: Value
    axes: tuple[int, ...]
    eps: float
    nodes: list[Node] = field(default_factory=list)


def run(rewriter: Rewriter) -> None:
    for node in list(rewriter.graph.nodes):
        if rewriter.is_dead(node):
            continue
        if node.op in ("mul", "div"):
            fuse_core(rewriter, node)
        if node.op in ("mul", "add"):
            fold_scale(rewriter, node)


def fuse_core(rewriter: Rewriter, node: Node) -> None:
    nodes: list[Node] = []
    if node.op == "mul":
        parts = factors(node.output, rewriter, nodes)
        scales = [part for part in parts if made_by(part, "rsqrt") is not None]
        weights = [part for part in parts if part.is_constant]
    else:
        parts = list(node.inputs)
        scales = [part for part in parts[1:] if made_by(part, "sqrt") is not None]
        weights = []
    rest = [part for part in parts if part not in scales and part not in weights]
    if len(scales) != 1 or len(weights) > 1 or len(rest) != 1 or len(parts) != 2 + len(weights):
        return
    match = match_norm(rest[0], scales[0])
    if match is None:
        return
    inside = [item for item in [*nodes, *match.nodes] if item is not node]
    reason = read_elsewhere(rewriter, node, inside)
    weight = weights[0] if weights else None
    if weight is not None and weight.shape != normalized_shape(match):
        reason = "the weight has another shape than what is normalised"
    if reason:
        rewriter.refuse(node, reason)
        return
    inputs = [match.x] if weight is None else [match.x, weight]
    attrs = {"axes": match.axes, "eps": match.eps}
    rewriter.replace(node.output, rewriter.make("layer_norm", inputs, attrs, node.name, node))


def match_norm(centred: Value, scale: Value) -> Match | None:
    """The layer norm that centred * scale (scale an rsqrt) or centred / scale (a sqrt) is."""
    minus, root = made_by(centred, "sub"), scale.producer
    shifted = made_by(root.inputs[0], "add") if root is not None else None
    if minus is None or root is None or shifted is None:
        return None
    x, mean = minus.inputs
    average = made_by(mean, "reduce_mean")
    if average is None or average.inputs[0] is not x or not average.attrs["keep_dims"]:
        return None
    axes = average.attrs["axes"]
    if axes != tuple(range(x.rank - len(axes), x.rank)) or not axes:
        return None
    for variance, eps in (shifted.inputs, shifted.inputs[::-1]):
        number = number_of(eps)
        spread = made_by(variance, "reduce_mean")
        if number is None or spread is None or spread.attrs != average.attrs:
            continue
        square = is_square(spread.inputs[0], centred)
        if square is not None:
            return Match(x, axes, number, [minus, root, shifted, average, spread, square])
    return None


def normalized_shape(match: Match) -> tuple:
    return tuple(match.x.shape[axis] for axis in match.axes)


def fold_scale(rewriter: Rewriter, node: Node) -> None:
    """layer_norm(x) * weight, and layer_norm(x, weight) + bias."""
    for index in (0, 1):
        norm, other = made_by(node.inputs[index], "layer_norm"), node.inputs[1 - index]
        wanted = 1 if node.op == "mul" else 2
        if norm is None or not other.is_constant or len(norm.inputs) != wanted:
            continue
        x = norm.inputs[0]
        if other.shape != tuple(x.shape[axis] for axis in norm.attrs["axes"]):
            rewriter.refuse(node, "the constant has another shape than what is normalised")
            return
        if not rewriter.sole_reader(norm.output):
            rewriter.refuse(node, "the layer norm has other readers")
            return
        folded = rewriter.make("layer_norm", [*norm.inputs, other], dict(norm.attrs), norm.name or node.name, node)
        rewriter.replace(node.output, folded)
        return
