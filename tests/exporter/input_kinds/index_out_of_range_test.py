"""What PyTorch refuses at run time, the graph refuses as well, with the index: it reads nothing outside the table."""

import pytest
import torch
from rml_export.export import ExportOptions, export_model
from rml_export.verify.runners import RunError
from torch import nn

from tests.exporter.input_kinds import torch_models
from tests.exporter.input_kinds.cases import i32
from tests.exporter.input_kinds.routes import engine

MODELS = {
    "embedding": (nn.Embedding(7, 2), (7, 100, -1)),
    "index": (lambda i: torch.arange(3.0)[i.long()], (3, 100, -4)),
}


@pytest.mark.parametrize("name", MODELS)
def test_refused(name, tmp_path):
    model, wrong = MODELS[name]
    export_model(torch_models.of(model, (i32([0, 1]),)), tmp_path / "m", ExportOptions())
    for index in wrong:
        with pytest.raises(RunError, match=rf"{index}"):
            engine().run(tmp_path / "m", (i32([1, index]),))
    assert engine().run(tmp_path / "m", (i32([1, 2]),))[0].shape[0] == 2
