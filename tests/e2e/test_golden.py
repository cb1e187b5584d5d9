"""Every model through the server: the framework's numbers, and the same bits as the executor without a server."""

import json

import numpy as np
import pytest
from rml_export.safetensors_file import read_safetensors

from rml.v1 import inference_pb2 as pb
from tests.e2e.models import BUNDLED, TORCH, golden
from tests.e2e.running_server import run

TOLERANCE = 1e-5


@pytest.fixture
def server_of(request):
    """Starts each of the two servers only when a model of its is asked for."""
    return lambda model: request.getfixturevalue("demo" if model in BUNDLED else "fixtures")


def test_there_are_models():
    assert len(BUNDLED) >= 3
    assert len(TORCH) >= 19


@pytest.mark.parametrize("model", BUNDLED + TORCH)
def test_the_server_computes_what_the_framework_did(server_of, model, tmp_path):
    reference = golden(model)
    with server_of(model).client() as client:
        outputs = client.run(model, reference.inputs).outputs
    assert list(outputs) == list(reference.outputs)
    for name, expected in reference.outputs.items():
        assert outputs[name].dtype == expected.dtype
        np.testing.assert_allclose(outputs[name], expected, rtol=0, atol=TOLERANCE, err_msg=name)

    alone = tmp_path / "alone.safetensors"
    result = run("rml-graph-run", reference.graph, "--inputs", reference.file, "--output", alone)
    assert result.returncode == 0, result.stderr
    tensors, _ = read_safetensors(alone)
    for i, output in enumerate(outputs.values()):
        assert output.tobytes() == tensors[f"output.{i}"].tobytes()


@pytest.mark.parametrize("flags", [(), ("--no-fusion",)], ids=["fused", "unfused"])
@pytest.mark.parametrize("model", TORCH)
def test_graph_run_computes_what_the_framework_did(model, flags):
    for isa in ("portable", "avx2", "avx512"):
        result = run("rml-graph-run", golden(model).graph, "--check", "--tolerance", "1e-5", *flags, RML_ISA=isa)
        if isa != "portable" and "is not supported here" in result.stderr:
            continue
        assert result.returncode == 0, result.stderr
        assert json.loads(result.stdout)["max_abs_error"] <= TOLERANCE


@pytest.mark.parametrize("model", BUNDLED + TORCH)
def test_models_are_listed_as_verified(server_of, model):
    with server_of(model).client() as client:
        info = client.get_model(model)
    assert info.state == pb.READY, info.reason
    assert info.verified
    assert info.golden_max_error <= TOLERANCE
    assert info.memory.total > 0
    assert [tensor.name for tensor in info.inputs] == list(golden(model).inputs)
    assert [tensor.name for tensor in info.outputs] == list(golden(model).outputs)


@pytest.mark.parametrize("model", BUNDLED)
def test_profile_covers_the_run(client, model):
    profile = client.profile(model, iterations=20)
    assert (profile.iterations, profile.source) == (20, pb.GOLDEN)
    assert profile.rows
    assert sum(row.share for row in profile.rows) == pytest.approx(1)
    seconds = [row.seconds for row in profile.rows]
    assert seconds == sorted(seconds, reverse=True)
    assert profile.wall_seconds > 0
