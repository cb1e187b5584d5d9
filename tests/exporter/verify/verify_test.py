"""--verify: framework against engine, and that a damaged graph is told by its first wrong node."""

import os
import shutil
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf
import torch
from rml_export.command_line import main
from rml_export.evaluate import evaluate
from rml_export.export import ExportOptions, export_model
from rml_export.from_jax import JaxModel
from rml_export.from_tf import TfModel
from rml_export.from_torch import TorchModel
from rml_export.reader import read_graph
from rml_export.verify import EngineRunner, ReferenceRunner, VerificationError, find_engine, verify
from torch import nn

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(os.environ.get("RML_BIN_DIR", ROOT / "build/release/bin")) / "rml-graph-run"
X = np.random.default_rng(0).standard_normal((2, 6)).astype(np.float32)


def torch_model() -> TorchModel:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(6, 5), nn.Sigmoid(), nn.Linear(5, 4), nn.Softmax(-1))
    return TorchModel(module, (torch.from_numpy(X),))


def jax_model() -> JaxModel:
    def model(params, x):
        with jax.named_scope("hidden"):
            hidden = jax.nn.sigmoid(x @ params["w"])
        return jax.nn.softmax(hidden @ params["w"].T)

    return JaxModel(model, {"w": X.T @ X[:, :5]}, (jnp.asarray(X),))


def tf_model() -> TfModel:
    w = tf.Variable(X.T @ X[:, :5])
    return TfModel(lambda x: tf.nn.softmax(tf.matmul(tf.sigmoid(tf.matmul(x, w)), w, transpose_b=True)), (X,))


MODELS = {"torch": (torch_model, "'1'"), "jax": (jax_model, "'hidden"), "tf": (tf_model, "'Sigmoid'")}


def runner(name: str) -> EngineRunner | ReferenceRunner:
    assert PROGRAM.exists(), "build the C++ programs first, or say where they are by RML_BIN_DIR"
    return EngineRunner(PROGRAM) if name == "engine" else ReferenceRunner()


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Route -> the model and its file for any batch."""
    result = {}
    for route, (make, _) in MODELS.items():
        result[route] = make(), tmp_path_factory.mktemp(route) / "m"
        export_model(*result[route], ExportOptions())
    return result


def damaged_copy(path: Path, folder: Path, old: str, new: str) -> Path:
    """Graph, weights and golden file in another folder, the graph's text changed."""
    for file in path.parent.iterdir():
        shutil.copy(file, folder / file.name)
    text = path.with_suffix(".json").read_text()
    assert old in text
    (folder / f"{path.name}.json").write_text(text.replace(old, new))
    return folder / path.name


@pytest.mark.parametrize("run_in", ["engine", "reference"])
@pytest.mark.parametrize("route", MODELS)
def test_a_right_graph(route, run_in, exported):
    model, path = exported[route]
    verified = verify(model, path, runner(run_in), ExportOptions())
    assert verified.batches == (1, 2, 7, 64)
    assert 0 < verified.worst < 0.1


@pytest.mark.parametrize("route", MODELS)
def test_a_right_graph_for_one_batch(route, tmp_path):
    model, options = MODELS[route][0](), ExportOptions(static=True)
    export_model(model, tmp_path / "m", options)
    verified = verify(model, tmp_path / "m", runner("engine"), options)
    assert verified.batches == (None,) * 3
    assert 0 < verified.worst < 0.1


@pytest.mark.parametrize("run_in", ["engine", "reference"])
@pytest.mark.parametrize("route", MODELS)
def test_the_node_of_a_damaged_graph_is_named(route, run_in, exported, tmp_path):
    (model, path), place = exported[route], MODELS[route][1]
    number = [node.op for node in read_graph(path).nodes].index("sigmoid")
    damaged = damaged_copy(path, tmp_path, '"op":"sigmoid"', '"op":"tanh"')
    with pytest.raises(VerificationError) as error:
        verify(model, damaged, runner(run_in), ExportOptions())
    message = str(error.value)
    assert "output 'output' at batch 1 differs from " + model.framework in message
    assert f"first at node {number} (tanh; a new export has sigmoid here) in {place}" in message
    assert "off by up to " in message and "allowed 0.000" in message
    assert run_in in message.splitlines()[0]


class Fuses(ReferenceRunner):
    """Gets the last value wrong if nodes may be fused and there is a softmax among them, as a wrong pass would."""

    fuses = True

    def run(self, path, inputs, fuse=True):
        graph = read_graph(path)
        got = evaluate(graph, inputs)
        return [*got[:-1], got[-1] + 1] if fuse and any(node.op == "softmax" for node in graph.nodes) else got


def test_what_is_wrong_only_when_fused_is_found_by_halving(exported):
    with pytest.raises(VerificationError, match=r"only where nodes are fused .* up to node 5 \(softmax\) in '3'"):
        verify(*exported["torch"], Fuses(), ExportOptions())


def test_another_models_file(exported):
    other = TorchModel(nn.Sequential(nn.Linear(6, 4), nn.ReLU()), (torch.from_numpy(X),))
    with pytest.raises(VerificationError, match="the file has 6 nodes where a new export has 3: other models"):
        verify(other, exported["torch"][1], ReferenceRunner(), ExportOptions())


def test_a_file_that_the_engine_refuses(exported, tmp_path):
    model, path = exported["torch"]
    damaged = damaged_copy(path, tmp_path, '"version":1', '"version":1,"extra":1')
    with pytest.raises(VerificationError, match=r"cannot run the graph: .*extra"):
        verify(model, damaged, runner("engine"), ExportOptions())


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "net.py"
    path.write_text("import torch\ndef make():\n    return torch.nn.Linear(4, 3), (torch.ones(2, 4),)\n")
    return f"{path}:make"


def test_command(source, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("RML_GRAPH_RUN", str(PROGRAM))
    assert find_engine() == PROGRAM
    assert main(["torch", source, "--out", str(tmp_path / "repo"), "--verify"]) == 0
    assert f"verified the engine ({PROGRAM}) at batches 1, 2, 7, 64" in capsys.readouterr().out
    assert main(["torch", source, "--out", str(tmp_path / "repo"), "--verify-with", "reference"]) == 0
    assert "verified the NumPy reference at batches" in capsys.readouterr().out


def test_command_with_a_wrong_engine_writes_nothing(source, tmp_path, capsys, monkeypatch):
    right = ReferenceRunner.run
    monkeypatch.setattr(ReferenceRunner, "run", lambda *arguments: [array + 1 for array in right(*arguments)])
    assert main(["torch", source, "--out", str(tmp_path / "repo"), "--verify-with", "reference"]) == 3
    text = capsys.readouterr().err
    assert "verification failed, nothing is written: the NumPy reference, output 'output' at batch 1" in text
    assert "first at node 0 (matmul)" in text
    assert not (tmp_path / "repo").exists()


def test_command_without_an_engine(source, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("RML_GRAPH_RUN", str(tmp_path / "none"))
    assert main(["torch", source, "--out", str(tmp_path / "repo"), "--verify"]) == 2
    text = capsys.readouterr().err
    assert "RML_GRAPH_RUN names '" in text and "which is no file. Without the engine: --verify-with reference" in text
    assert not (tmp_path / "repo").exists()
