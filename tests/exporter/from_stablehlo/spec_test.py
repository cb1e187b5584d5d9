"""The specification's examples through the importer, the NumPy reference and the engine."""

from pathlib import Path

import numpy as np
import pytest
from rml_export.canonical import canonical
from rml_export.errors import ExportError
from rml_export.evaluate import evaluate
from rml_export.from_stablehlo import lower_stablehlo
from rml_export.from_stablehlo.module import main_block, parse, tensor_type
from rml_export.golden import difference

from tests.exporter.engine_runs import EngineRuns
from tests.exporter.from_stablehlo.spec_cases import BINARY, UNARY, SpecCase
from tests.exporter.from_stablehlo.spec_structures import ARITHMETIC, CONTROL, SHAPES

CASES: dict[str, SpecCase] = {**UNARY, **BINARY, **SHAPES, **ARITHMETIC, **CONTROL}
TAKEN = [name for name, case in CASES.items() if not case.refused]


def arguments(case: SpecCase) -> list[np.ndarray]:
    """The inputs in the module's dtypes."""
    module = parse(case.text())  # lives as long as its block is looked at
    kinds = [tensor_type(item.type) for item in main_block(module).arguments]
    return [np.array(values, kind.dtype) for values, kind in zip(case.inputs, kinds, strict=True)]


def wanted(case: SpecCase) -> list[np.ndarray]:
    """The results as the graph holds them."""
    dtypes = [np.int32 if item.rstrip(">")[-3:] in ("i32", "i64") else np.float32 for item in case.results.split(";")]
    with np.errstate(over="ignore"):
        return [np.array(values, dtype) for values, dtype in zip(case.outputs, dtypes, strict=True)]


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[np.ndarray] | str]]:
    """By name what the reference and the engine compute; the importer compares its graph with XLA itself."""
    reference: dict[str, list[np.ndarray] | str] = {}
    failed: dict[str, list[np.ndarray] | str] = {}
    engine = EngineRuns(Path(tmp_path_factory.mktemp("spec")))
    for name in TAKEN:
        inputs = arguments(CASES[name])
        try:
            graph = lower_stablehlo(CASES[name].text(), inputs).graph
        except ExportError as error:
            failed[name] = str(error)
            continue
        arrays = [canonical(item) for item in inputs]
        reference[name] = evaluate(graph, arrays)
        engine.add(name, graph, arrays)
    return {"reference": reference | failed, "engine": engine.run() | failed}


@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize("where", ["reference", "engine"])
def test_gives_the_specified_results(computed: dict, where: str, name: str) -> None:
    results = computed[where][name]
    assert isinstance(results, list), results
    for got, want in zip(results, wanted(CASES[name]), strict=True):
        assert difference(got, want, atol=3e-7, rtol=1e-6) is None


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.refused])
def test_refuses_with_the_reason(name: str) -> None:
    with pytest.raises(ExportError, match=CASES[name].refused):
        lower_stablehlo(CASES[name].text(), arguments(CASES[name]))


def test_there_are_forty_examples() -> None:
    assert len(TAKEN) >= 40
