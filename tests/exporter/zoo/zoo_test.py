"""The zoo: shared weights, every tiny model exports and matches, the committed fixtures are what is made today."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from rml_export.evaluate import evaluate
from rml_export.golden import difference, read_golden
from rml_export.reader import read_graph
from rml_export.writer import file_paths
from rml_export.zoo import ALL_MODELS, CONFIGS, MODELS, ROUTES, SIZES, TOKEN_MODELS, export_zoo, front_end
from rml_export.zoo.configs import OUTPUTS
from rml_export.zoo.inputs import SPECS, inputs
from rml_export.zoo.jax_zoo import FUNCTIONS as JAX_FUNCTIONS
from rml_export.zoo.tf_zoo import FUNCTIONS as TF_FUNCTIONS
from rml_export.zoo.tf_zoo import KERAS
from rml_export.zoo.torch_zoo import MODULES
from rml_export.zoo.weights import ALL_PARAMETERS, weights

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "tests" / "fixtures"

# How many nodes a direct export of each model may have: a larger graph means that a clean-up was lost. TensorFlow's
# layernorm_gelu is what the others' is: layer_norm, matmul, add, gelu, matmul, add.
MOST_NODES = {  # torch, jax, tf
    "mlp": (8, 8, 8), "cnn": (10, 19, 12), "transformer_block": (32, 42, 30), "layernorm_gelu": (6, 6, 6),
    "vit": (77, 95, 70), "encoder": (71, 96, 66), "tiny_gpt": (71, 98, 64), "rnn": (46, 42, 41),
    "lstm": (106, 102, 101), "ssm": (27, 34, 28), "autoencoder": (14, 14, 14), "vae": (20, 20, 20),
    "gan_generator": (9, 9, 9), "diffusion_mlp": (14, 14, 16), "unet": (23, 29, 34), "gcn": (14, 11, 7),
    "two_tower": (12, 12, 12), "clip": (21, 30, 22), "moe": (57, 63, 45),
}  # fmt: skip


def test_tables_cover_the_same_models():
    models = (MODULES, JAX_FUNCTIONS, {**TF_FUNCTIONS, **KERAS})
    for table in (CONFIGS, OUTPUTS, SPECS, ALL_PARAMETERS, *models):
        assert tuple(table) == ALL_MODELS
    assert tuple(MOST_NODES) == MODELS
    assert len(MODELS) == 19


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("model", ALL_MODELS)
def test_weights_are_those_of_the_module(model, size):
    drawn = weights(model, size)
    module = MODULES[model](CONFIGS[model][size])
    state = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    learnt = {name: shape for name, shape in state.items() if not name.endswith("num_batches_tracked")}
    assert learnt == {name: array.shape for name, array in drawn.items()}
    assert all(np.isfinite(array).all() and array.dtype == np.float32 for array in drawn.values())
    again = weights(model, size)
    assert all((again[name] == array).all() for name, array in drawn.items())


@pytest.mark.parametrize("model", ALL_MODELS)
def test_inputs(model):
    arrays = inputs(model, "tiny", 3)
    assert all(len(array) == 3 for array in arrays.values())
    assert (model in TOKEN_MODELS) == (len(arrays) == 1 and "tokens" in arrays)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("route", ROUTES)
def test_fixture_is_what_is_made_today(route, model, tmp_path):
    """Graph and weights byte by byte; golden outputs, which another CPU may round otherwise, within the tolerance."""
    name = f"{route}_{model}"
    export_zoo(route, model, "tiny", 2, tmp_path / name)
    for made, committed in zip(file_paths(tmp_path / name)[:2], file_paths(FIXTURES / name)[:2], strict=True):
        assert made.read_bytes() == committed.read_bytes(), f"{committed.name}: run exporter/make_graph_fixtures.py"
    golden = read_golden(file_paths(FIXTURES / name)[2])
    assert golden.tolerance.atol == 1e-5 and golden.tolerance.rtol == 0.0
    for got, want in zip(evaluate(read_graph(FIXTURES / name), golden.inputs), golden.outputs, strict=True):
        assert difference(got, want, 1e-5, 1e-4) is None


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("route", ROUTES)
def test_fixture_matches_its_framework_at_other_batches(route, model):
    """One file, any batch: the numbers that the framework gives, for small, large and zero inputs."""
    graph = read_graph(FIXTURES / f"{route}_{model}")
    if not route.startswith("stablehlo_"):
        assert len(graph.nodes) <= MOST_NODES[model][[name for name in ROUTES if "_" not in name].index(route)]
    framework = front_end(route, model, "tiny", 2)
    for batch, scale in ((1, 1.0), (3, 10.0), (7, 0.0), (64, 1.0)):
        arrays = inputs(model, "tiny", batch, seed=1)
        arrays |= {name: x * np.float32(scale) for name, x in arrays.items() if x.dtype == np.float32}
        if (model == "moe" and scale == 0.0 and route.endswith("torch")) or (model == "clip" and scale == 0.0):
            continue  # torch.topk picks other ones among equals; 0 / 0
        values = list(arrays.values())
        for got, want in zip(evaluate(graph, values), framework.run(values), strict=True):
            assert difference(got, want, 1e-5, 1e-4) is None


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("route", ROUTES)
def test_rows_are_independent_but_for_similarities(route, model):
    graph = read_graph(FIXTURES / f"{route}_{model}")
    assert graph.batch_range == (1, 65536)
    assert all(value.rows for value in graph.inputs)
    assert all(output.rows == (model != "clip") for output in graph.outputs)


def test_demo_models_match_their_golden_files():
    folders = sorted((ROOT / "models").glob("*/1"))
    assert [folder.parent.name for folder in folders] == ["cnn", "lstm", "mlp", "transformer_block"]
    for folder in folders:
        golden = read_golden(folder / "golden.safetensors")
        for got, want in zip(evaluate(read_graph(folder / "model"), golden.inputs), golden.outputs, strict=True):
            assert difference(got, want, 1e-5, 1e-4) is None


def test_an_lstm_step_has_sixteen_nodes():
    graph = read_graph(FIXTURES / "torch_lstm")
    products = [index for index, node in enumerate(graph.nodes) if node.op == "matmul"]
    steps = [graph.nodes[a:b] for a, b in pairwise(products[1:-1])]
    assert all(len(step) == 16 for step in steps)
    assert sorted(node.op for node in steps[0]) == sorted(
        ["matmul", "add", "add", *["slice"] * 4, *["sigmoid"] * 3, "tanh", "tanh", *["mul"] * 3, "add"]
    )
