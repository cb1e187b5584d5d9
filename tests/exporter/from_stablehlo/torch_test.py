"""PyTorch through torch-mlir: numbers, names, what is refused and how, and the process that torch-mlir runs in."""

import numpy as np
import pytest
import torch
from rml_export import ExportError, export_torch
from rml_export.evaluate import evaluate
from rml_export.from_stablehlo.torch_mlir import WORKER
from rml_export.from_torch import lower_torch
from rml_export.golden import difference
from rml_export.graph import count_by_op
from rml_export.reader import read_graph
from torch import nn
from torch.nn import functional

from tests.exporter.comparing import integers, numbers


class Apply(nn.Module):
    """A function as a module."""

    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, *inputs):
        return self.fn(*inputs)


def check(module: nn.Module, *inputs: np.ndarray):
    tensors = tuple(torch.from_numpy(array) for array in inputs)
    export = lower_torch(module, tensors, via="stablehlo", static=True)
    for got, want in zip(evaluate(export.graph, inputs), export.outputs, strict=True):
        assert difference(got, want, 1e-5, 1e-4) is None
    return export


FULLY_MASKED = torch.tensor([[True, False, True], [False, False, False]])
FUNCTIONS = {
    "gelu": (functional.gelu, {"gelu": 1}),
    "gelu_tanh": (lambda x: functional.gelu(x, approximate="tanh"), {"gelu": 1}),
    "softmax": (lambda x: functional.softmax(x, -1), {"softmax": 1}),
    "log_softmax": (lambda x: functional.log_softmax(x, -1), {"log_softmax": 1}),
    "sigmoid": (torch.sigmoid, {"sigmoid": 1}),
    "mean": (lambda x: x.mean(-1), {"reduce_mean": 1}),
    "clamp": (lambda x: x.clamp(-1, 1), {"clamp": 1}),
    "argmax": (lambda x: x.argmax(-1), {"argmax": 1}),
    "sort": (lambda x: torch.sort(x)[0], {"top_k": 1}),
    "flip": (lambda x: x.flip(1), {"slice": 1}),
    "take": (lambda x: x[:, [0, 2]], {"gather": 1}),
    "cumsum": (lambda x: torch.cumsum(x, 1), {"cumsum": 1}),
    "square": (lambda x: x**2, {"mul": 1}),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    fn, counts = FUNCTIONS[name]
    export = check(Apply(fn), numbers(4, 3))
    assert counts is None or count_by_op(export.graph) == counts


def test_gelu_keeps_its_tail():
    """Relatively: torch-mlir's polynomial, as torch itself, loses it."""
    x = np.array([-10, -6, -5, -4, -1], np.float32)
    (got,) = evaluate(
        lower_torch(Apply(functional.gelu), (torch.from_numpy(x),), via="stablehlo", static=True).graph, [x]
    )
    wide = torch.from_numpy(x.astype(np.float64))
    np.testing.assert_allclose(got, 0.5 * wide * torch.special.erfc(-wide / 2**0.5), rtol=1e-5)


LAYERS = {
    "linear": (nn.Linear(5, 7), (2, 3, 5), {"matmul": 1, "add": 1}),
    "layer_norm": (nn.LayerNorm(5), (2, 3, 5), {"layer_norm": 1}),
    "conv": (nn.Conv2d(3, 4, 3, stride=2, padding=1, groups=1), (2, 3, 8, 8), {"conv2d": 1, "add": 1}),
    "conv_transpose": (nn.ConvTranspose2d(4, 6, 3, 2, 1, 1, groups=2), (2, 4, 5, 4), {"conv_transpose2d": 1, "add": 1}),
    "depthwise": (nn.Conv2d(4, 8, 3, groups=4, dilation=2, bias=False), (2, 4, 9, 9), {"conv2d": 1}),
    "max_pool": (nn.MaxPool2d(3, 2, 1), (2, 3, 8, 8), {"max_pool2d": 1}),
    "upsample": (nn.Upsample(scale_factor=2), (2, 3, 4, 5), {"reshape": 2, "broadcast_to": 1}),
    "batch_norm": (nn.BatchNorm2d(3), (2, 3, 4, 4), None),
    "group_norm": (nn.GroupNorm(2, 4), (2, 4, 3, 3), None),
    "lstm": (nn.LSTM(3, 4, batch_first=True), (2, 4, 3), None),
    "gru": (nn.GRU(3, 4, batch_first=True), (2, 4, 3), None),
    "attention": (nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), (2, 5, 8), None),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name):
    layer, shape, counts = LAYERS[name]
    export = check(layer, numbers(*shape))
    assert counts is None or count_by_op(export.graph) == counts


PLACES = torch.tensor([0, 2, 2, 1])


@pytest.mark.parametrize(
    "fn",
    [
        lambda x, i: x.scatter_add(1, i.long(), x),
        lambda x, i: torch.zeros_like(x[:, :3]).scatter_add(2, i.long()[:, :2], x),
        lambda x, i: torch.zeros_like(x).index_add(1, PLACES, x) + i,
    ],
    ids=["scatter_add", "last axis", "index_add"],
)
def test_sums_along_one_axis_for_any_batch(fn):
    """torch-mlir writes an index for every axis, of which all but one are counted."""
    indices = torch.from_numpy(integers(2, 4, 5, low=0, high=4))
    graph = lower_torch(Apply(fn), (torch.from_numpy(numbers(2, 4, 5)), indices), via="stablehlo").graph
    assert graph.outputs[0].rows and count_by_op(graph)["scatter_add"] == 1
    x, i = numbers(5, 4, 5, seed=3), integers(5, 4, 5, low=0, high=4, seed=4)
    want = fn(torch.from_numpy(x), torch.from_numpy(i)).numpy()
    np.testing.assert_allclose(evaluate(graph, (x, i))[0], want, rtol=1e-5, atol=1e-5)


def test_a_fully_masked_row_of_attention_is_zero():
    def attend(q, k, v):
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=FULLY_MASKED)

    export = check(Apply(attend), numbers(1, 2, 4), numbers(1, 3, 4, seed=1), numbers(1, 3, 4, seed=2))
    assert (export.outputs[0][0, 1] == 0).all()


class Tied(nn.Module):
    """Everything that has a name: tied and plain parameters, buffers that are and are not saved, two outputs."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(11, 20)
        self.layers = nn.ModuleList([nn.Linear(20, 20)])
        self.head = nn.Linear(20, 11, bias=False)
        self.head.weight = self.embedding.weight
        self.register_buffer("scale", torch.from_numpy(numbers(20)))
        self.register_buffer("shift", torch.from_numpy(numbers(20, seed=1)), persistent=False)

    def forward(self, tokens, unused):
        hidden = torch.tanh(self.layers[0](self.embedding(tokens) * self.scale + self.shift))
        return {"logits": self.head(hidden), "hidden": hidden}


def test_names(tmp_path):
    tokens = torch.arange(6).reshape(2, 3)
    export_torch(Tied(), (tokens, torch.ones(2, 4)), tmp_path / "m", via="stablehlo")
    graph = read_graph(tmp_path / "m")
    assert [value.name for value in graph.inputs] == ["tokens", "unused"]
    assert [output.name for output in graph.outputs] == ["logits", "hidden"]
    names = {value.name.removesuffix(".transpose") for value in graph.constants()}
    assert names == {"embedding.weight", "layers.0.weight", "layers.0.bias", "scale", "shift"}
    assert graph.batch_range == (1, 65536)
    assert all(output.rows for output in graph.outputs)


def test_names_that_are_asked_for():
    inputs = (torch.ones(2, 3), torch.ones(2, 3))
    module = Apply(lambda a, b: (a + b, a - b))
    names = {"input_names": ["p", "q"], "output_names": ["sum", "difference"]}
    graph = lower_torch(module, inputs, via="stablehlo", **names).graph
    assert [value.name for value in graph.inputs] == ["p", "q"]
    assert [output.name for output in graph.outputs] == ["sum", "difference"]
    with pytest.raises(ExportError, match="1 input names for 2 inputs: p"):
        lower_torch(module, inputs, via="stablehlo", input_names=["p"])
    with pytest.raises(ExportError, match="1 output names for 2 outputs"):
        lower_torch(module, inputs, via="stablehlo", output_names=["p"])


class Inner(nn.Module):
    def forward(self, x):
        return torch.special.i1(x) + torch.special.i1(x * 2)


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        return torch.cummax(self.inner(x), 1)[0]


def test_all_that_torch_mlir_cannot_lower(tmp_path):
    with pytest.raises(ExportError) as caught:
        export_torch(Outer(), (torch.ones(4, 3),), tmp_path / "m", via="stablehlo")
    first, second = caught.value.problems
    assert first.startswith("unsupported op aten.special_i1.default: torch-mlir cannot lower it to StableHLO")
    assert "in module 'inner' at torch_test.py:" in first and "return torch.special.i1(x)" in first
    assert second.startswith("unsupported op aten.cummax.default: torch-mlir cannot lower it")
    assert list(tmp_path.iterdir()) == []


def test_what_the_importer_cannot_lower_has_the_line_of_the_model():
    with pytest.raises(ExportError, match=r"unsupported operation stablehlo.atan2: .* at torch_test.py:\d+"):
        check(Apply(lambda x: torch.atan2(x, x)), numbers(4, 3))


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x):
        self.seen += 1
        return x + self.seen


def test_computed_indices_that_may_be_negative():
    # Refused whatever the examples hold: with these, torch-mlir's graph would pass the comparison.
    with pytest.raises(
        ExportError, match=r"aten.index.Tensor: torch-mlir does not count the negative .* torch_test.py:\d+"
    ):
        lower_torch(Apply(lambda x, i: x[i + 1]), (torch.zeros(5), torch.tensor([0, 2])), via="stablehlo", static=True)


@pytest.mark.parametrize("fn", [lambda x: x[:, [0, -1]], lambda x: x[:, torch.tensor([0, -2]).int()]])
def test_constant_indices_that_are_negative(fn):
    with pytest.raises(ExportError, match=r"aten.index.Tensor: .* negative ones of constant indices .* torch_test.py:"):
        lower_torch(Apply(fn), (torch.zeros(3, 4),), via="stablehlo", static=True)


@pytest.mark.parametrize(
    "fn", [lambda x: x[0, x.argmax(1)], lambda x: x[0, torch.topk(x, 2)[1]], lambda x: x[:, [2, 0]]]
)
def test_indices_that_are_positions_or_constants(fn):
    check(Apply(fn), numbers(3, 4))


def test_a_module_that_writes_to_its_buffers():
    with pytest.raises(
        ExportError, match="the model writes to its buffers or inputs: seen; a served model has no state"
    ):
        check(Counting(), numbers(4, 3))


def test_an_input_that_is_no_tensor():
    with pytest.raises(ExportError, match="input 'inputs_1' is no tensor"):
        lower_torch(Apply(lambda x, n: x * n), (torch.ones(2, 3), 3), via="stablehlo", static=True)


def test_control_flow_on_data_is_told_by_its_line():
    with pytest.raises(ExportError, match=r"control flow or shapes depend on its inputs at torch_test.py:\d+: check"):
        check(Apply(lambda x: x if x.sum() > 0 else -x), numbers(4, 3))


def test_the_process_is_started_again_when_it_is_gone():
    check(Apply(torch.tanh), numbers(4, 3))
    WORKER.process.kill()
    WORKER.process.wait()
    with pytest.raises(ExportError, match="torch-mlir's process ended with -9"):
        check(Apply(torch.tanh), numbers(4, 3))
    check(Apply(torch.tanh), numbers(4, 3))


def test_parameters_that_numpy_does_not_know():
    layer = nn.Linear(3, 2, dtype=torch.bfloat16)
    export = lower_torch(layer, (torch.zeros(2, 3, dtype=torch.bfloat16),), via="stablehlo", static=True)
    np.testing.assert_array_equal(export.outputs[0][0], layer.bias.detach().float())
