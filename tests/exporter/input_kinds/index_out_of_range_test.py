"""What PyTorch and TensorFlow refuse at run time, the graph refuses as well, with the index.

It reads nothing outside the table.
"""

import pytest
import tensorflow as tf
import torch
from rml_export.export import ExportOptions, export_model
from rml_export.verify.runners import RunError
from torch import nn

from tests.exporter.input_kinds import tf_models, torch_models
from tests.exporter.input_kinds.cases import i32
from tests.exporter.input_kinds.routes import engine

MODELS = {
    "torch embedding": (torch_models, nn.Embedding(7, 2), (7, 100, -1)),
    "torch index": (torch_models, lambda i: torch.arange(3.0)[i.long()], (3, 100, -4)),
    "torch scatter_add": (torch_models, lambda i: torch.zeros(3).scatter_add(0, i.long(), i * 1.0)[:2], (3, 100, -1)),
    "tf scatter_nd": (tf_models, lambda i: tf.scatter_nd(i[:, None], tf.cast(i, tf.float32), [3])[:2], (3, 100, -1)),
    "tf gather": (tf_models, lambda i: tf.gather(tf.constant([[0.0, 1], [2, 3], [4, 5]]), i), (3, 100, -1)),
    "tf gather_nd": (tf_models, lambda i: tf.gather_nd(tf.constant([1.0, 2, 3]), i[:, None]), (3, 100, -1)),
    "keras embedding": (tf_models, tf.keras.layers.Embedding(7, 2), (7, 100, -8)),
}


@pytest.mark.parametrize("name", MODELS)
def test_refused(name, tmp_path):
    models, model, wrong = MODELS[name]
    export_model(models.of(model, (i32([0, 1]),)), tmp_path / "m", ExportOptions())
    for index in wrong:
        with pytest.raises(RunError, match=rf"{index}"):
            engine().run(tmp_path / "m", (i32([1, index]),))
    assert engine().run(tmp_path / "m", (i32([1, 2]),))[0].shape[0] == 2
