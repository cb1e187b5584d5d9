"""Runs a model in its framework and as a written graph on random inputs at several batches."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rml_export.export import ExportOptions
from rml_export.front_end import FrontEnd, batched_of
from rml_export.golden import Tolerance
from rml_export.reader import read_graph
from rml_export.symbolic import with_batch
from rml_export.verify.first_difference import first_difference
from rml_export.verify.runners import RunError, Runner

BATCHES = (1, 2, 7, 64)
_STATIC_RUNS = 3


class VerificationError(Exception):
    """The graph does not give the framework's numbers; says where it first leaves them."""


@dataclass(frozen=True)
class Verified:
    """batches: of the runs. worst: the largest share of the tolerance that an output used up."""

    runner: str
    batches: tuple[int | None, ...]
    worst: float


def verify(front_end: FrontEnd, path: Path, runner: Runner, options: ExportOptions) -> Verified:
    """Compares the graph file PATH.json, which was exported with these options, with the model.

    Inputs are drawn from the examples, so that ids stay ids. VerificationError names the first node that differs.
    """
    graph = read_graph(path)
    worst, batches = 0.0, []
    for rows, inputs in random_inputs(front_end, graph.batch_range is not None):
        options.stage("verifying" + (f" at batch {rows}" if rows is not None else ""))
        wanted = front_end.run(inputs)
        batches.append(rows)
        try:
            got = runner.run(path, inputs)
        except RunError as error:
            raise VerificationError(f"{runner.name} cannot run the graph: {error}") from error
        for output, result, want in zip(graph.outputs, got, wanted, strict=True):
            text = options.tolerance.difference(result, want)
            if text is not None:
                at = f" at batch {rows}" if rows is not None else ""
                place = first_difference(front_end, path, inputs, runner, options)
                raise VerificationError(
                    f"{runner.name}, output '{output.name}'{at} differs from {front_end.framework}: {text}\n  {place}"
                )
            worst = max(worst, used_share(result, want, options.tolerance))
    return Verified(runner.name, tuple(batches), worst)


def random_inputs(front_end: FrontEnd, any_batch: bool) -> Iterator[tuple[int | None, list[np.ndarray]]]:
    """Batch (None: fixed) and inputs of each run."""
    examples = front_end.examples
    if any_batch:
        batched = batched_of(front_end)
        for seed, rows in enumerate(BATCHES):
            yield rows, with_batch(examples, batched, rows, seed=100 + seed)
        return
    for seed in range(_STATIC_RUNS):
        redrawn = (
            with_batch([array], [True], array.shape[0], seed=100 + seed)[0] if array.ndim and array.size else array
            for array in examples
        )
        yield None, list(redrawn)


def used_share(got: np.ndarray, want: np.ndarray, tolerance: Tolerance) -> float:
    """The largest difference over the one allowed; 0 where both are not finite."""
    finite = np.isfinite(want)
    if not finite.any():
        return 0.0
    error = np.abs(got[finite].astype(np.float64) - want[finite]).max()
    allowed = tolerance.allowed(want)
    return float(error / allowed) if allowed else 0.0
