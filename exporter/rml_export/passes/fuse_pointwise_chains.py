"""Chains of elementwise nodes that compute gelu, erf or sigmoid become that op, however they are spelt.

0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))                      -> gelu, tanh
0.5 x (1 + erf(x / sqrt 2)), 0.5 x erfc(-x / sqrt 2)                  -> gelu, exact
the rational polynomials that compilers put in erf's and erfc's place -> erf, or gelu around them
1 / (1 + exp(-x))                                                    -> sigmoid

A chain is known by its values: it is evaluated on a grid with tails, zeros, infinities and NaN, and must be within a
few ulp of the op everywhere. (A chain with 1 + erf cancels below zero: there it may be off by some 1e-7 |x|, where the
op is exact.) This takes every order of factors and every polynomial for what it is, where a pattern would know a few.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from rml_export.graph import Attrs, Node, Value
from rml_export.op_table import BROADCASTING_OPS, UNARY_OPS
from rml_export.passes.matching import number_of, read_elsewhere
from rml_export.passes.rewriting import Rewriter
from rml_export.reference import run_reference

_ELEMENTWISE = UNARY_OPS | BROADCASTING_OPS
_ROOTS = frozenset({"mul", "div", "add", "sub", "where", "clamp", "minimum", "maximum", "reciprocal", "neg"})
_MAX_NODES = 160  # the longest spelling seen is erfc by three polynomials, about 90


@dataclass(frozen=True)
class Target:
    """An op, and by how much a chain may differ from it: ulps of the value, plus `slack` times max(|x|, 1)."""

    op: str
    attrs: tuple[tuple[str, str], ...]
    ulps: float
    slack: float

    def attributes(self) -> Attrs:
        return dict(self.attrs)


TARGETS = (
    Target("gelu", (("approximate", "none"),), 8, 1.5e-7),
    Target("gelu", (("approximate", "tanh"),), 8, 1.5e-7),
    Target("erf", (), 6, 6e-8),
    Target("sigmoid", (), 4, 0),
)


def run(rewriter: Rewriter) -> None:
    order = {node: number for number, node in enumerate(rewriter.graph.nodes)}
    for node in reversed(list(order)):  # whole chains before the shorter ones inside them
        if node.op in _ROOTS and node.output.dtype == "f32" and not rewriter.is_dead(node):
            fuse(rewriter, node, order)


def fuse(rewriter: Rewriter, root: Node, order: Mapping[Node, int]) -> None:
    for x, nodes in chains(root, order):
        target = known_function(x, nodes)
        if target is None:
            continue
        if reason := read_elsewhere(rewriter, root, nodes):
            rewriter.refuse(root, f"computes {target.op}, but {reason}")
            return
        rewriter.replace(root.output, rewriter.make(target.op, [x], target.attributes(), root.name, root))
        return


def chains(root: Node, order: Mapping[Node, int]) -> Iterator[tuple[Value, list[Node]]]:
    """Every (x, nodes), the shortest first, such that the nodes (in order of execution, the last is root) read x and
    numbers only."""
    nodes: dict[Node, None] = {}
    frontier: dict[Value, None] = {root.output: None}
    while len(nodes) < _MAX_NODES:
        if len(frontier) == 1 and len(nodes) > 1:
            (x,) = frontier
            if x.shape == root.output.shape and x.dtype == "f32":
                yield x, sorted(nodes, key=order.__getitem__)
        producers = [value.producer for value in frontier if value.producer in order]
        if not producers:
            return  # inputs, or nodes made in this run, which the next round sees
        latest = max(producers, key=order.__getitem__)
        if latest.op not in _ELEMENTWISE or latest.output.shape != root.output.shape or latest.output.dtype != "f32":
            return
        nodes[latest] = None
        del frontier[latest.output]
        for value in latest.inputs:
            if value.is_constant and number_of(value) is None:
                return
            if not value.is_constant:
                frontier[value] = None


def known_function(x: Value, nodes: Sequence[Node]) -> Target | None:
    """The op whose values the chain has everywhere on the grid."""
    if not _may_be(x, nodes):
        return None
    grid = _grid()
    got = evaluate_chain(x, nodes, grid)
    return next((target for target in TARGETS if agrees(got, grid, target)), None)


def _may_be(x: Value, nodes: Sequence[Node]) -> bool:
    """A look at a few points, because most chains are something else."""
    points = np.array([-1.5, 0.5, 2.0], np.float32)
    got = evaluate_chain(x, nodes, points)
    return any(agrees(got, points, target) for target in TARGETS)


def agrees(got: np.ndarray, grid: np.ndarray, target: Target) -> bool:
    (want,) = run_reference(target.op, [grid], target.attributes())
    finite = np.isfinite(want)
    if not np.array_equal(got[~finite], want[~finite], equal_nan=True) or not np.isfinite(got[finite]).all():
        return False
    ulp = np.spacing(np.abs(want[finite])) + np.finfo(np.float32).tiny  # subnormals count as zeros
    allowed = target.ulps * ulp + _slack(grid[finite], target.slack)
    return bool((np.abs(got[finite].astype(np.float64) - want[finite]) <= allowed).all())


def _slack(x: np.ndarray, slack: float) -> np.ndarray:
    size = np.maximum(np.abs(x.astype(np.float64)), 1)
    return np.where(np.isinf(size), 0, slack * np.where(np.isinf(size), 1, size))


def evaluate_chain(x: Value, nodes: Sequence[Node], points: np.ndarray) -> np.ndarray:
    """The chain's values for x = points."""
    known = {x: points}
    for node in nodes:
        inputs = [
            np.full(points.shape, value.data.reshape(-1)[0], value.data.dtype) if value.is_constant else known[value]
            for value in node.inputs
        ]
        (known[node.output],) = run_reference(node.op, inputs, node.attrs)
    return known[nodes[-1].output]


@cache
def _grid() -> np.ndarray:
    dense = np.linspace(-12, 12, 4801)
    small = np.logspace(-30, 0, 61)
    large = np.array([13, 20, 50, 88, 100, 1e4, 1e10, 1e30, 1e38])
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan])
    return np.concatenate([dense, small, -small, large, -large, special]).astype(np.float32)
