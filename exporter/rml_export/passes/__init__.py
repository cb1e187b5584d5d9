"""Clean-up passes over a built graph, run in order until none of them changes anything.

A pass is one file: a pattern, a check that says why not, a rewrite. The passes that move shapes about do not change a
bit of any output; those named fuse_ put one op in the place of several and change rounding only, never NaN, infinities
or signs. There is no algebra here: x * 0, x - x and x + 0 stay.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rml_export.graph import Graph
from rml_export.passes import (
    drop_implicit_broadcasts,
    eliminate_common_subexpressions,
    eliminate_dead_code,
    fold_index_wraps,
    fuse_layer_norm,
    fuse_pointwise_chains,
    fuse_reductions,
    hoist_step_projections,
    share_identical_constants,
    shrink_broadcast_constants,
    simplify_shape_ops,
    sink_transposes,
    unbatch_matmul_weights,
)
from rml_export.passes.rewriting import PassFn, Refusal, Rewriter

PASSES: dict[str, PassFn] = {
    "simplify_shape_ops": simplify_shape_ops.run,
    "sink_transposes": sink_transposes.run,
    "drop_implicit_broadcasts": drop_implicit_broadcasts.run,
    "shrink_broadcast_constants": shrink_broadcast_constants.run,
    "unbatch_matmul_weights": unbatch_matmul_weights.run,
    "hoist_step_projections": hoist_step_projections.run,
    "fold_index_wraps": fold_index_wraps.run,
    "fuse_reductions": fuse_reductions.run,
    "eliminate_common_subexpressions": eliminate_common_subexpressions.run,
    "fuse_layer_norm": fuse_layer_norm.run,
    "fuse_pointwise_chains": fuse_pointwise_chains.run,
    "eliminate_dead_code": eliminate_dead_code.run,
    # After dead code: a constant that only dead nodes read may have left its name to a copy of another shape.
    "share_identical_constants": share_identical_constants.run,
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
