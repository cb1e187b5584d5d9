"""Layer norms that are written out, over the last axis or axes:

d * rsqrt(reduce_mean(d * d) + eps), d / sqrt(reduce_mean(d * d) + eps), d = x - reduce_mean(x)   -> layer_norm(x)

with the factors in any order, and a constant weight among them; then layer_norm * weight + bias with constants of the
normalised shape. Also multiplied out, as Keras and tf.nn.batch_normalization have it:

x * m + (bias - mean * m), x * m + ((-mean) * m + bias), m = rsqrt(reduce_mean(d * d) + eps) * weight   -> layer_norm(x)
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
        if node.op in ("add", "sub"):
            fuse_multiplied_out(rewriter, node)
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
    match = match_scale(scale)
    return match if match is not None and match.nodes[0].output is centred else None


def match_scale(scale: Value) -> Match | None:
    """The layer norm whose rsqrt or sqrt this is; its first node is x - mean, its second the mean."""
    root = scale.producer
    shifted = made_by(root.inputs[0], "add") if root is not None else None
    if root is None or shifted is None:
        return None
    for variance, eps in (shifted.inputs, shifted.inputs[::-1]):
        number = number_of(eps)
        spread = made_by(variance, "reduce_mean")
        square = spread.inputs[0].producer if spread is not None else None
        minus = made_by(square.inputs[0], "sub") if square is not None and square.inputs else None
        if number is None or minus is None or is_square(spread.inputs[0], minus.output) is None:
            continue
        x, mean = minus.inputs
        average = made_by(mean, "reduce_mean")
        if average is None or average.inputs[0] is not x or not average.attrs["keep_dims"]:
            continue
        axes = average.attrs["axes"]
        if spread.attrs == average.attrs and axes and axes == tuple(range(x.rank - len(axes), x.rank)):
            return Match(x, axes, number, [minus, average, root, shifted, spread, square])
    return None


def fuse_multiplied_out(rewriter: Rewriter, node: Node) -> None:
    """At the outermost sum (or difference: without a bias)."""
    for scaled, rest in (node.inputs, node.inputs[::-1])[: 2 if node.op == "add" else 1]:
        product = made_by(scaled, "mul")
        for x, m in (product.inputs, product.inputs[::-1]) if product is not None else ():
            match, weight, inside = match_multiplier(m)
            if match is None or match.x is not x:
                continue
            found = shift_of(rest, node.op, m, match.nodes[1].output)
            if found is None:
                continue
            bias, more = found
            replace_all(rewriter, node, match, (weight, bias), [product, *inside, *more])
            return


def match_multiplier(m: Value) -> tuple[Match | None, Value | None, list[Node]]:
    """rsqrt(...) or rsqrt(...) * weight: the layer norm, its weight, and the nodes."""
    if made_by(m, "rsqrt") is not None:
        return match_scale(m), None, []
    product = made_by(m, "mul")
    for scale, weight in (product.inputs, product.inputs[::-1]) if product is not None else ():
        if made_by(scale, "rsqrt") is not None and weight.is_constant:
            return match_scale(scale), weight, [product]
    return None, None, []


def shift_of(rest: Value, op: str, m: Value, mean: Value) -> tuple[Value | None, list[Node]] | None:
    """The bias of what is added (or taken away) besides x * m, if that is the mean's part, and its nodes."""
    plain = mean_part(rest, m, mean, negated=op == "add")
    if plain is not None or op == "sub":
        return (None, plain) if plain is not None else None
    minus, plus = made_by(rest, "sub"), made_by(rest, "add")
    if minus is not None and minus.inputs[0].is_constant:
        part = mean_part(minus.inputs[1], m, mean, negated=False)
        return (minus.inputs[0], [minus, *part]) if part is not None else None
    for part_value, bias in (plus.inputs, plus.inputs[::-1]) if plus is not None else ():
        part = mean_part(part_value, m, mean, negated=True)
        if part is not None and bias.is_constant:
            return bias, [plus, *part]
    return None


def mean_part(value: Value, m: Value, mean: Value, *, negated: bool) -> list[Node] | None:
    """The nodes of mean * m, or of (-mean) * m."""
    product = made_by(value, "mul")
    for factor, other in (product.inputs, product.inputs[::-1]) if product is not None else ():
        minus = made_by(factor, "neg") if negated else None
        source = minus.inputs[0] if minus is not None else factor if not negated else None
        if other is m and source is mean:
            return [product] if minus is None else [product, minus]
    return None


def replace_all(
    rewriter: Rewriter, node: Node, match: Match, scales: tuple[Value | None, Value | None], nodes: list[Node]
) -> None:
    """scales: weight and bias. The mean's readers are all inside."""
    reason = read_elsewhere(rewriter, node, [*nodes, *match.nodes])
    constants = [item for item in scales if item is not None]
    if any(item.shape != normalized_shape(match) for item in constants):
        reason = "the constant has another shape than what is normalised"
    if scales[0] is None and scales[1] is not None:
        reason = "a bias without a weight"
    if reason:
        rewriter.refuse(node, reason)
        return
    inputs = [match.x, *constants]
    rewriter.replace(
        node.output, rewriter.make("layer_norm", inputs, {"axes": match.axes, "eps": match.eps}, node.name, node)
    )


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
