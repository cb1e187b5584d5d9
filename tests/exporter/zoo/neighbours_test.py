"""The neighbours of the zoo: the committed fixtures are what is made today, and one file serves any batch.

The frameworks' definitions are held together by their golden files (tests/engine/exec/cross_framework_test.cc), so that
PyTorch, the quickest to run at a new batch, answers for all of them here.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch  # noqa: F401 - before the other frameworks, whose libraries it does not bear
from rml_export.evaluate import evaluate
from rml_export.golden import difference, read_golden
from rml_export.reader import read_graph
from rml_export.writer import file_paths
from rml_export.zoo import NEIGHBOURS, ROUTES, export_zoo, front_end
from rml_export.zoo.inputs import inputs

from tests.cross.engine import ROOT, run_graph

FIXTURES = ROOT / "tests" / "fixtures"
BATCHES = (1, 2, 3, 7, 64)
# An export takes up to ten seconds: ./dev test makes those of one route, ./dev test --full all of them.
EXPORTED = [route if route == "torch" else pytest.param(route, marks=pytest.mark.slow) for route in ROUTES]


@cache
def answers(model: str, batch: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Inputs, and what PyTorch makes of them."""
    arrays = list(inputs(model, "tiny", batch, seed=batch).values())
    return arrays, front_end("torch", model, "tiny", 2).run(arrays)


@pytest.mark.parametrize("model", NEIGHBOURS)
@pytest.mark.parametrize("route", EXPORTED)
def test_fixture_is_what_is_made_today(route: str, model: str, tmp_path: Path) -> None:
    """Graph and weights byte by byte; golden outputs, which another CPU may round otherwise, within the tolerance."""
    name = f"{route}_{model}"
    export_zoo(route, model, "tiny", 2, tmp_path / name)
    for made, committed in zip(file_paths(tmp_path / name)[:2], file_paths(FIXTURES / name)[:2], strict=True):
        assert made.read_bytes() == committed.read_bytes(), f"{committed.name}: run exporter/make_graph_fixtures.py"


@pytest.mark.parametrize("model", NEIGHBOURS)
@pytest.mark.parametrize("route", ROUTES)
def test_references_and_executor_give_the_numbers_at_any_batch(route: str, model: str, tmp_path: Path) -> None:
    path = FIXTURES / f"{route}_{model}"
    graph = read_graph(path)
    golden = read_golden(file_paths(path)[2])
    assert golden.tolerance.atol == 1e-5 and golden.tolerance.rtol == 0.0
    for got, want in zip(evaluate(graph, golden.inputs), golden.outputs, strict=True):
        assert difference(got, want, 1e-5, 0.0) is None
    for batch in BATCHES:
        arrays, wanted = answers(model, batch)
        executed = run_graph(path.with_suffix(".json"), arrays, tmp_path, "--batch", str(batch))
        for got, run, want in zip(evaluate(graph, arrays), executed, wanted, strict=True):
            assert difference(got, want, 1e-5, 0.0) is None, f"references at batch {batch}"
            assert difference(run, want, 1e-5, 0.0) is None, f"executor at batch {batch}"


@pytest.mark.parametrize("model", NEIGHBOURS)
@pytest.mark.parametrize("route", ROUTES)
def test_rows_are_independent(route: str, model: str) -> None:
    graph = read_graph(FIXTURES / f"{route}_{model}")
    assert graph.batch_range == (1, 65536)
    assert all(value.rows for value in (*graph.inputs, *graph.outputs))


@pytest.mark.slow
@pytest.mark.parametrize("model", NEIGHBOURS)
@pytest.mark.parametrize("route", ("jax", "tf"))
def test_the_other_frameworks_agree_at_any_batch(route: str, model: str) -> None:
    framework = front_end(route, model, "tiny", 2)
    for batch in BATCHES:
        arrays, wanted = answers(model, batch)
        for got, want in zip(framework.run(arrays), wanted, strict=True):
            assert difference(got, want, 1e-5, 0.0) is None, f"batch {batch}"
