"""Imports cases and runs them: by the NumPy reference, and by the engine, all of them in one process."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from rml_export.canonical import canonical
from rml_export.errors import ExportError
from rml_export.evaluate import evaluate
from rml_export.export import ExportOptions, lower_checked
from rml_export.from_onnx import OnnxModel
from rml_export.golden import Tolerance, difference
from rml_export.graph import Graph

from tests.exporter.engine_runs import EngineRuns
from tests.onnx.cases import Case
from tests.onnx.fixed_inputs import fixed

Outcomes = dict[str, str | None]  # by case: None where it passes, else what went wrong


class SuiteModel(OnnxModel):
    """A case as the exporter takes a model; its own outputs are those that the suite expects."""

    def __init__(self, case: Case) -> None:
        model, self.given = fixed(case)
        super().__init__(model, self.given, runtime="reference")
        self.expected = [canonical(item, f"output {i}") for i, item in enumerate(case.outputs)]

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        return self.expected


def run_cases(cases: Iterable[Case], folder: Path) -> Outcomes:
    outcomes: Outcomes = {}
    engine = EngineRuns(folder)
    waiting: dict[str, tuple[Case, list[np.ndarray]]] = {}
    for case in cases:
        try:
            model, graph = imported(case)
            with np.errstate(all="ignore"):
                wrong = compared(case, model.expected, evaluate(graph, model.examples), "reference")
        except ExportError as error:
            outcomes[case.name] = f"import: {error}"
            continue
        outcomes[case.name] = wrong
        if wrong is None:
            engine.add(case.name, graph, model.examples)
            waiting[case.name] = case, model.expected
    for name, results in engine.run().items():
        case, expected = waiting[name]
        outcomes[name] = (
            f"engine: {results}" if isinstance(results, str) else compared(case, expected, results, "engine")
        )
    return outcomes


def imported(case: Case) -> tuple[SuiteModel, Graph]:
    """The graph after the clean-up passes."""
    if any(item is None for item in (*case.inputs, *case.outputs)):
        raise ExportError("inputs or outputs that are no tensors")
    model = SuiteModel(case)
    options = ExportOptions(static=True, tolerance=Tolerance(case.atol, case.rtol))
    lowered, _ = lower_checked(model, model.examples, options)
    return model, lowered.graph


def compared(case: Case, expected: Sequence[np.ndarray], results: Sequence[np.ndarray], where: str) -> str | None:
    """None if all outputs are as close as the suite asks for."""
    for index, (got, want) in enumerate(zip(results, expected, strict=True)):
        text = difference(got, want, case.atol, case.rtol)
        if text is not None:
            return f"{where}: output {index}: {text}"
    return None
