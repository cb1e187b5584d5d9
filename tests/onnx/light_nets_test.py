"""Nine well-known nets at their real size (224 x 224) through importer, NumPy reference and engine."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from rml_export.golden import difference

from tests.exporter.engine_runs import EngineRuns
from tests.onnx.cases import LIGHT, light_case
from tests.onnx.outcomes import imported

SLOW = ("vgg19", "zfnet512")  # half a gigabyte of weights


def test_there_are_nine() -> None:
    assert len(LIGHT) == 9


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow if n in SLOW else ()) for n in LIGHT])
def test_gives_the_expected_outputs(name: str) -> None:
    """The import compares the reference's outputs with the expected ones; here it is the engine's turn."""
    case = light_case(name)
    model, graph = imported(case)
    with TemporaryDirectory() as folder:  # tmp_path would keep hundreds of megabytes
        engine = EngineRuns(Path(folder))
        engine.add(name, graph, model.examples)
        (results,) = engine.run().values()
    assert isinstance(results, list), results
    for got, want in zip(results, model.expected, strict=True):
        assert difference(got, want, case.atol, case.rtol) is None
