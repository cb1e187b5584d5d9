"""Every route that can express a case of cases.py gives its answer: the framework, the NumPy reference, the engine."""

import numpy as np
import pytest
from rml_export.export import ExportOptions, export_model
from rml_export.golden import difference
from rml_export.verify import ReferenceRunner

from tests.exporter.input_kinds.cases import CASES, Case
from tests.exporter.input_kinds.routes import ROUTES, engine


def check(case: Case, who: str, got: list[np.ndarray]) -> None:
    assert len(got) == len(case.answers)
    for index, (result, answer) in enumerate(zip(got, case.answers, strict=True)):
        text = difference(result, answer, case.atol, case.rtol)
        assert text is None, f"{who}, output {index}: {text}"


@pytest.mark.parametrize("route", ROUTES)
def test_every_case_has_a_model_or_a_reason(route):
    models, absent = ROUTES[route].MODELS, ROUTES[route].ABSENT
    assert set(models) | set(absent) == set(CASES)
    assert not set(models) & set(absent)


@pytest.mark.parametrize(
    ("route", "name"), [(route, name) for route, module in ROUTES.items() for name in module.MODELS]
)
def test_answer(route, name, tmp_path):
    case = CASES[name]
    model = ROUTES[route].front_end(name, case.examples or case.inputs)
    if route.removeprefix("stablehlo_") not in case.own_ways:
        check(case, route, model.run(case.inputs))
    export_model(model, tmp_path / "m", ExportOptions(static=True))
    check(case, "reference", ReferenceRunner().run(tmp_path / "m", case.inputs))
    check(case, "engine", engine().run(tmp_path / "m", case.inputs))
    check(case, "engine without fusion", engine().run(tmp_path / "m", case.inputs, fuse=False))
