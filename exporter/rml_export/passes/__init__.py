"""Clean-up passes over a built graph, run in order until none of them changes anything.

A pass is one file: a pattern, a check that says why not, a rewrite. None of them changes a bit of any output: there is
no algebra here (x * 0, x - x and x + 0 stay, because of NaN, infinities and -0).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rml_export.graph import Graph
from rml_export.passes import (
    drop_implicit_broadcasts,
    eliminate_common_subexpressions,
    eliminate_dead_code,
    share_identical_constants,
    shrink_broadcast_constants,
    simplify_shape_ops,
    unbatch_matmul_weights,
)
from rml_export.passes.rewriting import PassFn, Refusal, Rewriter

PASSES: dict[str, PassFn] = {
    "simplify_shape_ops": simplify_shape_ops.run,
    "drop_implicit_broadcasts": drop_implicit_broadcasts.run,
    "shrink_broadcast_constants": shrink_broadcast_constants.run,
    "unbatch_matmul_weights": unbatch_matmul_weights.run,
    "eliminate_common_subexpressions": eliminate_common_subexpressions.run,
    "share_identical_constants": share_identical_constants.run,
    "eliminate_dead_code": eliminate_dead_code.run,
}
_MAX_ROUNDS = 100


@dataclass
class PassReport:
    """Matches per pass over all rounds, and the refusals of the last round."""

    matches: dict[str, int] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)
    rounds: int = 0


def run_pass(graph: Graph, name: str) -> Rewriter:
    """Runs one pass once."""
    rewriter = Rewriter(graph, name)
    PASSES[name](rewriter)
    rewriter.finish()
    return rewriter


def run_passes(graph: Graph, skip: Sequence[str] = ()) -> PassReport:
    """Runs all passes but the skipped ones to a fixed point. KeyError for an unknown name in `skip`."""
    unknown = set(skip) - set(PASSES)
    if unknown:
        raise KeyError(f"no pass named {sorted(unknown)}; there are {', '.join(PASSES)}")
    report = PassReport({name: 0 for name in PASSES if name not in skip})
    while report.rounds < _MAX_ROUNDS:
        report.rounds += 1
        report.refusals = []
        before = sum(report.matches.values())
        for name in report.matches:
            rewriter = run_pass(graph, name)
            report.matches[name] += rewriter.matches
            report.refusals += rewriter.refusals
        if sum(report.matches.values()) == before:
            return report
    raise RuntimeError(f"the passes did not settle in {_MAX_ROUNDS} rounds: {report.matches}")
