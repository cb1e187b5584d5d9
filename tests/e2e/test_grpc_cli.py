"""The real grpc_cli, which knows nothing of rml but what reflection tells it."""

import numpy as np
import pytest
from google.protobuf import text_format

from rml.v1 import inference_pb2 as pb
from tests.e2e.models import golden
from tests.e2e.running_server import GRPC_CLI, run


def grpc_cli(*arguments: str) -> str:
    result = run(GRPC_CLI, *arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_ls_shows_the_services(demo):
    services = grpc_cli("ls", demo.grpc).split()
    assert {"rml.v1.Inference", "grpc.health.v1.Health"} <= set(services)


def test_ls_shows_the_methods(demo):
    methods = grpc_cli("ls", demo.grpc, "rml.v1.Inference", "-l")
    for method in ("Run", "Profile", "ListModels", "GetModel"):
        assert f"rpc {method}(rml.v1.{method}Request) returns (rml.v1.{method}Response)" in methods


def test_type_shows_a_message(demo):
    shown = grpc_cli("type", demo.grpc, "rml.v1.Tensor")
    for field in ("string name = 1", "repeated int64 shape = 3", "bytes raw = 4", "repeated float f32 = 5"):
        assert field in shown


def test_call_with_a_typed_in_tensor(demo):
    reference = golden("mlp")
    elements = ", ".join(f"{value:.9g}" for value in reference.inputs["x"].ravel())
    request = f'model: "mlp" request_id: "typed" inputs {{ name: "x" shape: [2, 12] f32: [{elements}] }}'
    response = text_format.Parse(grpc_cli("call", demo.grpc, "rml.v1.Inference.Run", request), pb.RunResponse())
    (logits,) = response.outputs
    assert (response.request_id, logits.name, list(logits.shape), logits.raw) == ("typed", "logits", [2, 4], b"")
    got = np.array(logits.f32, np.float32).reshape(2, 4)
    np.testing.assert_allclose(got, reference.outputs["logits"], rtol=0, atol=1e-5)


def test_an_error_is_shown(demo):
    result = run(GRPC_CLI, "call", demo.grpc, "rml.v1.Inference.Run", 'model: "nothing"')
    assert result.returncode != 0
    assert "nothing" in result.stderr


@pytest.mark.parametrize("service", ["", "rml.v1.Inference", "mlp"])
def test_health_check(demo, service):
    assert grpc_cli("call", demo.grpc, "grpc.health.v1.Health.Check", f'service: "{service}"') == "status: SERVING\n"


def test_health_check_of_an_unknown_name(demo):
    result = run(GRPC_CLI, "call", demo.grpc, "grpc.health.v1.Health.Check", 'service: "nothing"')
    assert result.returncode != 0
