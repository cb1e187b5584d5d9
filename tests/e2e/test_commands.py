"""Exit codes and output of every command, as a person or a script meets them."""

import json

import numpy as np
import pytest
from rml_export.safetensors_file import read_safetensors

from tests.e2e.models import BUNDLED, add_static, golden
from tests.e2e.running_server import ROOT, run

PROGRAMS = ["rml-server", "rml", "rml-graph-run", "rml-loadtest", "rml-bare-server"]
RML = ["run", "profile", "models", "inspect"]
GOLDEN = ROOT / "models/mlp/1/golden.safetensors"


@pytest.fixture
def rml(demo):
    return lambda *arguments: run("rml", *arguments, RML_SERVER=demo.grpc)


@pytest.mark.parametrize("program", PROGRAMS)
def test_help_and_version(program):
    shown = run(program, "--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert program in shown.stdout


def test_version_of_the_server():
    shown = run("rml-server", "--version")
    assert shown.returncode == 0
    assert "isa" in shown.stdout


@pytest.mark.parametrize("command", RML)
def test_help_of_subcommands(command):
    shown = run("rml", command, "--help")
    assert shown.returncode == 0
    assert f"Usage: rml {command}" in shown.stdout


@pytest.mark.parametrize("program", PROGRAMS)
def test_unknown_flags_are_usage_errors(program):
    result = run(program, "--nothing")
    assert result.returncode == 2
    assert result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [(), ("nothing",), ("run",), ("run", "mlp", "--random", "--inputs", "x"), ("profile", "mlp", "--iterations", "0")],
    ids=str,
)
def test_usage_errors_of_rml(rml, arguments):
    result = rml(*arguments)
    assert result.returncode == 2
    assert result.stderr


@pytest.mark.parametrize("model", BUNDLED)
def test_run_check(rml, model):
    result = rml("run", model, "--check", golden(model).file)
    assert result.returncode == 0, result.stderr
    assert "equal to" in result.stdout


def test_run_output(rml, tmp_path):
    output = tmp_path / "y.safetensors"
    result = rml("run", "mlp", "--inputs", GOLDEN, "--output", output)
    assert result.returncode == 0, result.stderr
    tensors, _ = read_safetensors(output)
    np.testing.assert_allclose(tensors["output.0"], golden("mlp").outputs["logits"], rtol=0, atol=1e-5)


def test_run_tells_when_it_is_not_equal(rml, tmp_path):
    wrong = tmp_path / "wrong.safetensors"
    data = bytearray(GOLDEN.read_bytes())
    data[-1] ^= 0x40  # the exponent of the last element of output.0
    wrong.write_bytes(data)
    result = rml("run", "mlp", "--check", wrong)
    assert result.returncode == 1
    assert "largest error 3.06e+38, tolerance 1e-05" in result.stdout


def test_run_random_is_the_same_for_the_same_seed(rml, tmp_path):
    def outputs(name, seed):
        path = tmp_path / name
        assert rml("run", "mlp", "--random", "--seed", seed, "--output", path).returncode == 0
        return path.read_bytes()

    assert outputs("first", "1") == outputs("again", "1") != outputs("other", "2")


def test_json(rml):
    result = json.loads(rml("--json", "run", "mlp", "--random").stdout)
    assert (result["model"], result["version"]) == ("mlp", 1)
    [output] = result["outputs"]
    assert (output["name"], output["dtype"], output["shape"]) == ("logits", "f32", [1, 4])


def test_json_has_all_elements(rml):
    [output] = json.loads(rml("--json", "run", "mlp", "--inputs", GOLDEN).stdout)["outputs"]
    elements = np.array(output["elements"], np.float32).reshape(output["shape"])
    np.testing.assert_allclose(elements, golden("mlp").outputs["logits"], rtol=0, atol=1e-5)


def test_profile(rml):
    result = rml("profile", "transformer_block", "--iterations", "3")
    assert result.returncode == 0, result.stderr
    assert "sdpa" in result.stdout
    assert "of peak" in result.stdout.splitlines()[2]


@pytest.fixture
def static(start, tmp_path):
    """The command against a server whose model takes two rows, always: neither 1 nor a number to choose."""
    add_static(tmp_path / "models", "mlp")
    server = start("--model-repository", tmp_path / "models")
    return lambda *arguments: run("rml", *arguments, RML_SERVER=server.grpc)


def test_fixed_shapes_have_no_row_count(static, tmp_path):
    graph = tmp_path / "models/mlp/1/model.json"
    shown = static("profile", "mlp", "--iterations", "1").stdout
    assert "; fixed shapes, inputs: golden" in shown
    assert json.loads(static("--json", "profile", "mlp", "--iterations", "1").stdout)["row_count"] == "0"
    assert "Steps (shapes are fixed)" in run("rml", "inspect", graph).stdout
    inspected = json.loads(run("rml", "--json", "inspect", graph).stdout)
    assert (inspected["rows"], inspected["min_rows"], inspected["max_rows"]) == (0, 0, 0)


@pytest.mark.parametrize("command", ["run", "profile", "inspect"])
def test_fixed_shapes_take_no_batch(static, tmp_path, command):
    target = tmp_path / "models/mlp/1/model.json" if command == "inspect" else "mlp"
    result = static(command, target, "--batch", "2", *(["--random"] if command == "run" else []))
    assert result.returncode == 1
    assert "shapes are fixed" in result.stderr


def test_models(rml):
    result = rml("models")
    assert result.returncode == 0, result.stderr
    assert all(model in result.stdout for model in BUNDLED)


def test_inspect_needs_no_server():
    result = run("rml", "inspect", golden("mlp").graph)
    assert result.returncode == 0, result.stderr
    assert "matmul" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [("run", "nothing", "--random"), ("profile", "nothing"), ("run", "mlp", "--inputs", "missing.safetensors")],
    ids=str,
)
def test_failures_of_rml(rml, arguments):
    result = rml(*arguments)
    assert result.returncode == 1
    assert arguments[-1] in result.stderr or arguments[1] in result.stderr


def test_no_server():
    result = run("rml", "--server", "127.0.0.1:1", "models")
    assert result.returncode == 3
    assert "127.0.0.1:1" in result.stderr


def test_graph_run_of_a_missing_file():
    result = run("rml-graph-run", "missing.json")
    assert result.returncode == 2
    assert "missing.json" in result.stderr
