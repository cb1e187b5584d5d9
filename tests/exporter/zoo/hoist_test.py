"""The unrolled recurrences of the zoo: their steps' input projections are one product, and every bit stays."""

import pytest
from rml_export.evaluate import evaluate
from rml_export.export import ExportOptions, lower_model
from rml_export.graph import count_by_op
from rml_export.zoo import CONFIGS, ROUTES, front_end
from rml_export.zoo.inputs import inputs

UNROLLED = [route for route in ROUTES if "torch" not in route]  # torch.export has the one product from the start


@pytest.mark.parametrize("model", ["rnn", "lstm"])
@pytest.mark.parametrize("route", UNROLLED)
def test_steps_share_one_projection(route, model):
    steps = CONFIGS[model]["tiny"]["seq"]
    made = front_end(route, model, "tiny", 2)
    hoisted = lower_model(made, ExportOptions(static=True)).graph
    plain = lower_model(made, ExportOptions(static=True, skip_passes=["hoist_step_projections"])).graph
    # Beside the projections: the recurrent products of all steps but the first, whose state is zero, and the head.
    assert count_by_op(hoisted)["matmul"] == 1 + (steps - 1) + 1
    assert count_by_op(plain)["matmul"] == steps + (steps - 1) + 1
    given = list(inputs(model, "tiny", 2, seed=5).values())
    for a, b in zip(evaluate(hoisted, given), evaluate(plain, given), strict=True):
        assert a.tobytes() == b.tobytes()
