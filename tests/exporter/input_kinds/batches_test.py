"""Other batches than the exported one: right, or an error that names the place (pytorch#150842, rf-detr#949)."""

import numpy as np
import pytest
from rml_export import ExportError
from rml_export.export import ExportOptions, export_model

from tests.exporter.input_kinds.cases import drawn
from tests.exporter.input_kinds.routes import ROUTES, engine

X = drawn(2, 6, 2, 3)


def every(table: str) -> list[tuple[str, str]]:
    return [(route, name) for route, module in ROUTES.items() for name in getattr(module, table)]


@pytest.mark.parametrize(("route", "name"), every("SHUFFLES"))
def test_channel_shuffle(route, name, tmp_path):
    models = ROUTES[route]
    export_model(models.of(models.SHUFFLES[name], (X,)), tmp_path / "m", ExportOptions())
    for rows in (1, 2, 7):
        x = drawn(rows, 6, 2, 3, seed=rows)
        (got,) = engine().run(tmp_path / "m", (x,))
        np.testing.assert_array_equal(got, x[:, [0, 2, 4, 1, 3, 5]])


@pytest.mark.parametrize(("route", "name"), every("BAKED_IN"))
def test_a_batch_that_is_part_of_the_model(route, name, tmp_path):
    models = ROUTES[route]
    with pytest.raises(ExportError, match="no graph for any batch; a static one") as error:
        export_model(models.of(models.BAKED_IN[name], (X,)), tmp_path / "m", ExportOptions())
    assert len(error.value.problems) > 1 and any(word in error.value.problems[1] for word in ("shape", "constant"))
    assert not list(tmp_path.iterdir())
    export_model(models.of(models.BAKED_IN[name], (X,)), tmp_path / "m", ExportOptions(static=True))
