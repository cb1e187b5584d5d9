"""Ops that rml-graph lacks fail the export by every way in, all at once, by the names that they have there."""

import numpy as np
import pytest
from rml_export import ExportError, export_jax, export_torch

X = np.full((2, 3), 0.5, np.float32)


def export_from_torch(path, **options):
    import torch

    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.digamma(x) + torch.lgamma(x)

    export_torch(Model(), (torch.from_numpy(X),), path, **options)


def export_from_jax(path, **options):
    import jax

    export_jax(lambda _, x: jax.lax.digamma(x) + jax.lax.lgamma(x), (), (X,), path, **options)


def export_from_tf(path, **options):
    import tensorflow as tf
    from rml_export import export_tf

    export_tf(lambda x: tf.math.digamma(x) + tf.math.lgamma(x), (X,), path, **options)


def export_angles_from_tf(path, **options):
    """XLA writes digamma and lgamma out as arithmetic, which has a way."""
    import tensorflow as tf
    from rml_export import export_tf

    export_tf(lambda x: tf.atan2(x, x) + tf.tan(x), (X,), path, **options)


@pytest.mark.parametrize(
    ("export", "via", "names"),
    [
        (export_from_torch, "direct", ("op aten.digamma", "op aten.lgamma")),
        (export_from_jax, "direct", ("primitive digamma", "primitive lgamma")),
        (export_from_tf, "direct", ("op Digamma", "op Lgamma")),
        (export_from_torch, "stablehlo", ("op aten.digamma", "op aten.lgamma")),
        (export_from_jax, "stablehlo", ("operation chlo.digamma", "operation chlo.lgamma")),
        (export_angles_from_tf, "stablehlo", ("operation stablehlo.atan2", "operation stablehlo.tan")),
    ],
    ids=["torch", "jax", "tf", "stablehlo_torch", "stablehlo_jax", "stablehlo_tf"],
)
def test_all_of_them_are_named_and_nothing_is_written(export, via, names, tmp_path):
    with pytest.raises(ExportError) as error:
        export(tmp_path / "model", **({} if via == "direct" else {"via": via}))
    for name in names:
        assert f"unsupported {name}" in str(error.value)
    assert list(tmp_path.iterdir()) == []
