"""An op that rml-graph lacks fails the export in every framework, by the framework's own name for it."""

import numpy as np
import pytest
from rml_export import ExportError, export_jax, export_torch

X = np.full((2, 3), 0.5, np.float32)


def export_from_torch(path):
    import torch

    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.digamma(x) + torch.i0(x)

    export_torch(Model(), (torch.from_numpy(X),), path)


def export_from_jax(path):
    import jax

    export_jax(lambda _, x: jax.lax.digamma(x) + jax.lax.bessel_i0e_p.bind(x), (), (X,), path)


@pytest.mark.parametrize(
    ("export", "names"),
    [
        (export_from_torch, ("op aten.digamma", "op aten.i0")),
        (export_from_jax, ("primitive digamma", "primitive bessel_i0e")),
    ],
    ids=["torch", "jax"],
)
def test_all_of_them_are_named_and_nothing_is_written(export, names, tmp_path):
    with pytest.raises(ExportError) as error:
        export(tmp_path / "model")
    for name in names:
        assert f"unsupported {name}" in str(error.value)
    assert list(tmp_path.iterdir()) == []
