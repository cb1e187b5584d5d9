"""Whole exports: errors that list everything, names, tied weights, constants, and what is left on disk."""

import json
import warnings

import numpy as np
import pytest
import torch
from rml_export import ExportError, export_torch
from rml_export.evaluate import evaluate
from rml_export.from_torch import lower_torch
from rml_export.from_torch import table as lowerings
from rml_export.golden import read_golden
from rml_export.reader import read_graph
from safetensors.numpy import load_file
from torch import nn

from tests.exporter.from_torch.lower import check, integers, module_of, numbers


def test_files(tmp_path):
    export_torch(nn.Linear(3, 2), (numbers(2, 3),), tmp_path / "model")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["golden.safetensors", "model.json", "model.safetensors"]
    graph, golden = read_graph(tmp_path / "model"), read_golden(tmp_path / "golden.safetensors")
    np.testing.assert_allclose(evaluate(graph, golden.inputs)[0], golden.outputs[0], rtol=1e-5)
    assert (golden.tolerance.atol, golden.tolerance.rtol) == (1e-4, 1e-4)
    assert json.loads((tmp_path / "model.json").read_text())["producer"] == "rml_export 0.1 (torch 2.13.0)"


class Unsupported(nn.Module):
    def forward(self, x):
        y = torch.cumprod(x, 1)
        z = torch.lgamma(y) + torch.cumprod(x, 0)
        return (
            torch.special.i0(z) + torch.rand(2, 3) + nn.functional.max_pool2d(x[None, None], 1, return_indices=True)[1]
        )


def test_all_unsupported_ops_are_listed_and_nothing_is_written(tmp_path):
    with pytest.raises(ExportError) as error:
        export_torch(Unsupported(), (numbers(2, 3),), tmp_path / "deep" / "model")
    text = str(error.value)
    assert len(error.value.problems) == 5
    assert "aten.cumprod.default: rml-graph has no op for it" in text and "(and 1 more)" in text
    assert "export_test.py:" in text and "y = torch.cumprod(x, 1)" in text
    for part in (
        "aten.lgamma.default",
        "aten.i0.default",
        "aten.rand.default: its result is random",
        "result 1 of aten.max_",
    ):
        assert part in text
    assert not list(tmp_path.iterdir())


UNSUPPORTED = {
    "boolean index": (lambda x: x[x > 0] * 2, "(?s)a boolean index.*its shape is unknown"),
    "conv3d": (nn.Conv3d(2, 2, 1), "3-D convolutions"),
    "divisor": (nn.AvgPool2d(2, divisor_override=3), "divisor_override"),
    "round to decimals": (lambda x: torch.round(x, decimals=2), "aten.round.decimals"),
    "pad with inf": (lambda x: nn.functional.pad(x, (1, 1), value=torch.inf), "finite"),
    "bitwise of integers": (lambda x: x.long() & 3, "booleans only"),
    "narrow integers": (lambda x: (x > 0).to(torch.uint8) * 2, r"aten\.mul\.Tensor: arithmetic of uint8"),
    "narrowed integers": (lambda x: x.int().to(torch.int8), "_to_copy.default: a conversion from int32 to int8"),
    "integer product": (lambda x: x.long() @ x.long().mT, "products of integers"),
    "dropout in attention": (
        lambda x: nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.5),
        "dropout",
    ),
}
_SHAPES = {"conv3d": (1, 2, 2, 2, 2), "divisor": (1, 1, 4, 4)}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_unsupported(name):
    item, text = UNSUPPORTED[name]
    torch.manual_seed(0)
    with pytest.raises(ExportError, match=text):
        lower_torch(module_of(item), (numbers(*_SHAPES.get(name, (2, 3))),), static=True)


def test_control_flow_on_data_is_told_by_its_line():
    with pytest.raises(ExportError, match=r"control flow or shapes depend on its inputs at export_test.py:\d+: lower_"):
        lower_torch(module_of(lambda x: x if x.sum() > 0 else -x), (numbers(3),), static=True)


def test_a_model_that_cannot_be_traced():
    with pytest.raises(ExportError, match=r"torch\.export cannot trace the model: RuntimeError: .*\[2, 5\] X \[4, 3\]"):
        lower_torch(nn.Linear(4, 3), (numbers(2, 5),), static=True)


NO_ARRAYS = {
    "sparse": (lambda: torch.eye(3).to_sparse(), "input 0 is a sparse_coo tensor; expected a dense one"),
    "quantized": (lambda: torch.quantize_per_tensor(torch.ones(3), 1.0, 0, torch.qint8), "input 0 is a quantized"),
    "meta": (lambda: torch.ones(3, device="meta"), "input 0 is on the device 'meta'"),
    "complex": (lambda: torch.ones(3, dtype=torch.complex64), "input 0 has dtype complex64"),
}


@pytest.mark.parametrize("name", NO_ARRAYS)
def test_inputs_that_are_no_arrays(name):
    make, text = NO_ARRAYS[name]
    with warnings.catch_warnings(), pytest.raises(ExportError, match=text):
        warnings.simplefilter("ignore")  # torch's, of quantized tensors
        lower_torch(nn.Identity(), (make(),), static=True)


def test_numbers_that_numpy_does_not_know():
    layer = nn.Linear(3, 2, dtype=torch.bfloat16)
    nn.init.ones_(layer.weight)
    nn.init.zeros_(layer.bias)
    export = lower_torch(layer, (torch.ones(2, 3, dtype=torch.bfloat16),), static=True)
    assert [value.dtype for value in export.graph.inputs] == ["f32"]
    assert (export.outputs[0] == 3).all()


def test_a_model_that_returns_no_tensors():
    with pytest.raises(ExportError, match="the model returns no tensors"):
        lower_torch(module_of(lambda x: None), (numbers(2),), static=True)


def test_ops_with_effects_are_refused():
    with pytest.raises(ExportError, match=r"aten.linalg_inv_ex.default: rml-graph has no op (.|\n)*an effect besides"):
        lower_torch(module_of(torch.linalg.inv), (torch.eye(3),), static=True)


def test_memory_that_is_filled_later():
    """Circular padding fills empty memory part by part; what was there before would differ between batches."""
    export = lower_torch(module_of(lambda x: nn.functional.pad(x, (1, 1), mode="circular")), (numbers(2, 3, 4),))
    assert export.graph.batch_range is not None


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        return x + 1


def test_a_model_with_state_is_refused():
    with pytest.raises(ExportError, match=r"writes to its buffers or inputs: .*calls"):
        lower_torch(Counter(), (numbers(2),), static=True)


def test_large_integers():
    text = r"aten.add.Tensor: a constant holds 4294967296, which does not fit into int32 at lower.py:"
    with pytest.raises(ExportError, match=text) as error:
        lower_torch(module_of(lambda i: torch.bitwise_and(i + 2**32, 3)), (integers(3),), static=True)
    assert len(error.value.problems) == 2
    check(lambda i: i[:, 0 : 2**62], integers(2, 3))


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(7, 4)
        self.head = nn.Linear(4, 7, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        return self.head(self.embedding(tokens))


def test_tied_weights_are_stored_once(tmp_path):
    result = export_torch(Tied(), (integers(2, 3, low=0, high=7),), tmp_path / "m")
    stored = load_file(result.files.weights_path)
    assert [name for name in stored if not name.startswith("__pad.")] == ["embedding.weight"]
    assert [node.op for node in result.export.graph.nodes] == ["gather", "transpose", "matmul"]


def test_one_layer_used_twice_is_stored_once(tmp_path):
    layer = nn.Linear(4, 4)
    result = export_torch(nn.Sequential(layer, nn.ReLU(), layer), (numbers(2, 4),), tmp_path / "m")
    assert sorted(n for n in load_file(result.files.weights_path) if "pad" not in n) == ["0.bias", "0.weight.T"]


class Buffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("kept", numbers(30))
        self.register_buffer("dropped", numbers(30, seed=1), persistent=False)
        self.view = nn.Parameter(numbers(30, 2, seed=2).T)
        self.plain = numbers(30, seed=3)

    def forward(self, x):
        return (x + self.kept) * self.dropped + self.view[1] + self.plain


def test_buffers_and_views_are_constants(tmp_path):
    export = check(Buffers(), numbers(2, 30))
    names = {value.name for value in export.graph.constants()}
    assert {"kept", "dropped", "view.select"} <= names
    export_torch(Buffers(), (numbers(2, 30),), tmp_path / "m")
    np.testing.assert_array_equal(load_file(tmp_path / "m.safetensors")["view.select"], numbers(30, 2, seed=2).T[1])


def test_names():
    module = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.ReLU(), nn.Linear(3, 2)))
    export = lower_torch(module, (numbers(1, 3),), static=True)
    assert [node.name for node in export.graph.nodes] == ["0", "0", "1.0", "1.1", "1.1"]
    export = lower_torch(
        module_of(lambda a, b: {"sum": a + b, "product": a * b}), (numbers(2), numbers(2)), static=True
    )
    assert [output.name for output in export.graph.outputs] == ["sum", "product"]
    options = {"input_names": ["left", "right"], "output_names": ["y"]}
    export = lower_torch(module_of(lambda a, b: a - b), (numbers(2), numbers(2)), **options, static=True)
    assert [value.name for value in export.graph.inputs] == ["left", "right"]
    assert export.graph.outputs[0].name == "y"
    with pytest.raises(ExportError, match="2 output names for 1 outputs"):
        lower_torch(module_of(lambda a: a + 1), (numbers(2),), output_names=["y", "z"], static=True)
    with pytest.raises(ExportError, match="2 input names for 1 inputs"):
        lower_torch(module_of(lambda a: a + 1), (numbers(2),), input_names=["y", "z"], static=True)


def test_training_mode_is_left_as_it_was():
    module = nn.Sequential(nn.Dropout(0.5), nn.BatchNorm1d(3))
    module[0].eval()
    export = lower_torch(module, (numbers(4, 3),), static=True)
    assert (module.training, module[0].training, module[1].training) == (True, False, True)
    assert [node.op for node in export.graph.nodes] == ["mul", "add"]


def test_inputs_that_are_not_tensors_and_inputs_not_read():
    export = lower_torch(module_of(lambda a, scale, b: a * scale), (numbers(2), 3, numbers(4)), static=True)
    assert [value.shape for value in export.graph.inputs] == [(2,), (4,)]


def test_expanded_parameters_stay_one_slice():
    class Token(nn.Module):
        def __init__(self):
            super().__init__()
            self.cls = nn.Parameter(numbers(1, 1, 8))

        def forward(self, x):
            return torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1)

    export = check(Token(), numbers(4, 3, 8))
    assert [node.op for node in export.graph.nodes] == ["broadcast_to", "concat"]


def test_a_wrong_lowering_is_named(monkeypatch):
    aten = torch.ops.aten
    monkeypatch.setitem(lowerings.LOWERINGS, aten.tanh.default, lambda c, x: c.op("sin", x))
    with pytest.raises(ExportError, match=r"differs from torch: .*first at aten.tanh.default in module '1'"):
        lower_torch(nn.Sequential(nn.ReLU(), nn.Tanh(), nn.ReLU()), (numbers(4),), static=True)
    monkeypatch.setitem(lowerings.LOWERINGS, aten.tanh.default, lambda c, x: c.op("unsqueeze", x, axes=(0,)))
    with pytest.raises(ExportError, match=r"was lowered to f32\[1, 4\], torch has f32\[4\]"):
        lower_torch(nn.Tanh(), (numbers(4),), static=True)
