"""The frameworks, run live, against each other and against rml on every route's export: all results agree pair by pair.

The exports are the committed fixtures, for any batch; tests/exporter/zoo holds them to what is exported today.
"""

import os
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from rml_export.zoo import MODELS, ROUTES, export_zoo

from tests.cross.cases import CASES, Case, arrays
from tests.cross.engine import ROOT, run_graph
from tests.cross.frameworks import FRAMEWORKS, framework_of, run_framework

Results = dict[str, list[np.ndarray]]  # by where they come from

# torch.topk takes other ones among equal experts than JAX, TensorFlow and rml, which take the first. What rml makes of
# PyTorch's export must still agree with all others.
KNOWN_DIVERGENCE = {("moe", "zeros"): "torch"}

# RML_CROSS_BENCH=1 adds the bench sizes; ./dev test --full runs them too.
BENCH_MARKS = () if os.environ.get("RML_CROSS_BENCH") == "1" else (pytest.mark.slow,)


def fixture(route: str, model: str) -> Path:
    return ROOT / "tests/fixtures" / f"{route}_{model}.json"


def all_results(model: str, case: Case, folder: Path) -> Results:
    given = arrays(model, "tiny", case)
    results = {f"rml on {route}": run_graph(fixture(route, model), given, folder) for route in ROUTES}
    left_out = KNOWN_DIVERGENCE.get((model, case.name))
    return results | {name: run_framework(name, model, given) for name in FRAMEWORKS if name != left_out}


def expect_agreement(results: Results, atol: float, rtol: float) -> None:
    """|a - b| <= atol + rtol * |b| for every pair and element."""
    for name, outputs in results.items():
        assert not any(np.isnan(output).any() for output in outputs), f"{name} gives NaN"
    for (name, outputs), (other, wanted) in combinations(results.items(), 2):
        for index, (a, b) in enumerate(zip(outputs, wanted, strict=True)):
            assert a.shape == b.shape and a.dtype == b.dtype, f"{name} and {other}, output {index}"
            excess = np.abs(a.astype(np.float64) - b) - (atol + rtol * np.abs(b))
            assert excess.max() <= 0, f"{name} and {other}, output {index}: {excess.max()} beyond the tolerance"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("model", MODELS)
def test_all_results_agree(model, case, tmp_path):
    expect_agreement(all_results(model, case, tmp_path), 1e-5, 1e-5)


@pytest.mark.parametrize("batch", [1, 2, 3, 7, 64])
@pytest.mark.parametrize("model", MODELS)
def test_one_file_gives_the_frameworks_numbers_at_any_batch(model, batch, tmp_path):
    given = arrays(model, "tiny", Case("any_batch", batch))
    wanted = {framework: run_framework(framework, model, given) for framework in FRAMEWORKS}
    for route in ROUTES:
        got = run_graph(fixture(route, model), given, tmp_path, "--batch", str(batch))
        for output, want in zip(got, wanted[framework_of(route)], strict=True):
            np.testing.assert_allclose(output, want, rtol=0, atol=1e-5, equal_nan=False, err_msg=route)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("route", ROUTES)
def test_runs_repeat_bit_for_bit(route, model, tmp_path):
    given = arrays(model, "tiny", CASES[0])
    runs = [run_graph(fixture(route, model), given, tmp_path, "--threads", threads) for threads in ("1", "1", "4")]
    for other in runs[1:]:
        for a, b in zip(runs[0], other, strict=True):
            assert a.tobytes() == b.tobytes()


def test_the_known_divergence_is_one(tmp_path):
    for (model, name), framework in KNOWN_DIVERGENCE.items():
        case = next(case for case in CASES if case.name == name)
        given = arrays(model, "tiny", case)
        results = all_results(model, case, tmp_path) | {framework: run_framework(framework, model, given)}
        with pytest.raises(AssertionError, match=rf"and {framework}, output 0"):
            expect_agreement(results, 1e-5, 1e-5)


@pytest.mark.parametrize("model", [pytest.param(model, marks=BENCH_MARKS) for model in MODELS])
def test_bench_size_agrees(model, tmp_path):
    given = arrays(model, "bench", CASES[1])
    results = {name: run_framework(name, model, given, "bench") for name in FRAMEWORKS}
    for route in ROUTES:
        export_zoo(route, model, "bench", CASES[1].batch, tmp_path / "model", static=True)
        one, four = (run_graph(tmp_path / "model.json", given, tmp_path, "--threads", count) for count in ("1", "4"))
        assert [output.tobytes() for output in one] == [output.tobytes() for output in four]
        results[f"rml on {route}"] = one
    expect_agreement(results, 1e-4, 1e-4)
