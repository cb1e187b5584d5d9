"""Requests that do not fit: the code, the words and the fields; and the server goes on."""

from dataclasses import dataclass

import grpc
import numpy as np
import pytest

import rml_client
from rml.v1 import inference_pb2 as pb
from rml.v1 import inference_pb2_grpc
from tests.e2e.models import golden
from tests.e2e.running_server import SECONDS

RAW = np.zeros((2, 12), "<f4").tobytes()
WHO = "model 'mlp' version 1: "


def tensor(**changes):
    """A good input of mlp, but for the changes; a change to None leaves the field out."""
    fields = {"name": "x", "dtype": pb.F32, "shape": [2, 12], "raw": RAW, **changes}
    return pb.Tensor(**{key: value for key, value in fields.items() if value is not None})


@dataclass(frozen=True)
class Case:
    name: str
    message: str  # after WHO
    fields: tuple[str, ...]
    inputs: tuple[pb.Tensor, ...] = (tensor(),)
    outputs: tuple[str, ...] = ()


SHAPE = "; expected f32[B, 12]"
CASES = [
    Case("missing", "input 'x' is missing; expected f32[B, 12]", ("inputs",), ()),
    Case(
        "extra", "input 'y' is unknown; the model's inputs are 'x'", ("inputs[1].name",), (tensor(), tensor(name="y"))
    ),
    Case("duplicate", "input 'x' is given twice", ("inputs[1].name",), (tensor(), tensor())),
    Case("dtype", "input 'x' has dtype i32; expected f32", ("inputs[0].dtype",), (tensor(dtype=pb.I32),)),
    Case("i64", "input 'x' has dtype i64; expected f32", ("inputs[0].dtype",), (tensor(dtype=pb.I64, raw=RAW * 2),)),
    Case("new dtype", "input 'x' has dtype number 77; expected f32", ("inputs[0].dtype",), (tensor(dtype=77),)),
    Case(
        "untyped raw",
        "input 'x' has raw content without a dtype; expected f32",
        ("inputs[0].dtype",),
        (tensor(dtype=None),),
    ),
    Case("rank", "input 'x' has shape [24]" + SHAPE, ("inputs[0].shape",), (tensor(shape=[24]),)),
    Case("scalar", "input 'x' has shape []" + SHAPE, ("inputs[0].shape",), (tensor(shape=[]),)),
    Case("dim", "input 'x' has shape [2, 13]" + SHAPE, ("inputs[0].shape",), (tensor(shape=[2, 13]),)),
    Case("negative", "input 'x' has shape [-2, 12]" + SHAPE, ("inputs[0].shape",), (tensor(shape=[-2, 12]),)),
    Case(
        "huge", f"input 'x' has shape [{2**62}, {2**62}]" + SHAPE, ("inputs[0].shape",), (tensor(shape=[2**62, 2**62]),)
    ),
    Case(
        "short raw",
        "input 'x' has 95 bytes of raw content; expected 96 for f32[2, 12]",
        ("inputs[0].raw",),
        (tensor(raw=RAW[1:]),),
    ),
    Case(
        "long raw",
        "input 'x' has 100 bytes of raw content; expected 96 for f32[2, 12]",
        ("inputs[0].raw",),
        (tensor(raw=RAW + b"0000"),),
    ),
    Case(
        "short list",
        "input 'x' has 2 elements; expected 24 for shape [2, 12]",
        ("inputs[0].f32",),
        (tensor(raw=None, f32=[1, 2]),),
    ),
    Case(
        "no content", "input 'x' has 0 elements; expected 24 for shape [2, 12]", ("inputs[0].raw",), (tensor(raw=None),)
    ),
    Case("two contents", "input 'x' has several contents (raw, f32); expected one", ("inputs[0]",), (tensor(f32=[1]),)),
    Case(
        "wrong list",
        "input 'x' has dtype f32 but its content is a list of i32; expected f32",
        ("inputs[0].dtype",),
        (tensor(raw=None, i32=[1]),),
    ),
    Case("output", "output 'y' is unknown; the model's outputs are 'logits'", ("outputs[0]",), outputs=("y",)),
    Case("output twice", "output 'logits' is asked for twice", ("outputs[1]",), outputs=("logits", "logits")),
    Case(
        "all at once",
        "input 'y' is unknown; the model's inputs are 'x'; input 'x' is missing; expected f32[B, 12]; "
        "output 'z' is unknown; the model's outputs are 'logits'",
        ("inputs[0].name", "inputs", "outputs[0]"),
        (tensor(name="y"),),
        ("z",),
    ),
]


@pytest.fixture
def stub(demo):
    with grpc.insecure_channel(demo.grpc) as channel:
        yield inference_pb2_grpc.InferenceStub(channel)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_invalid_argument(stub, case):
    request = pb.RunRequest(model="mlp", inputs=case.inputs, outputs=case.outputs)
    with pytest.raises(grpc.RpcError) as raised:
        stub.Run(request, timeout=SECONDS)
    error = rml_client.errors.from_rpc_error(raised.value)
    assert isinstance(error, rml_client.InvalidArgument)
    assert error.message == WHO + case.message
    assert tuple(violation.field for violation in error.violations) == case.fields


def test_a_good_request_is_still_answered(client):
    reference = golden("mlp")
    np.testing.assert_allclose(
        client.run("mlp", reference.inputs).outputs["logits"], reference.outputs["logits"], atol=1e-5
    )


@pytest.mark.parametrize("call", ["run", "profile", "get_model"])
def test_unknown_models_and_versions_are_not_found(client, call):
    arguments = ({},) if call == "run" else ()
    with pytest.raises(rml_client.NotFound, match="'nothing'"):
        getattr(client, call)("nothing", *arguments)
    with pytest.raises(rml_client.NotFound, match="99"):
        getattr(client, call)("mlp", *arguments, version=99)


def test_a_long_name_is_cut(client):
    with pytest.raises(rml_client.NotFound) as raised:
        client.run("x" * 5000, {})
    assert len(raised.value.message) < 1024


@pytest.mark.parametrize("iterations", [-1, 10001])
def test_profile_iterations_have_bounds(client, iterations):
    with pytest.raises(rml_client.InvalidArgument, match=str(iterations)):
        client.profile("mlp", iterations=iterations)


def test_many_problems_stay_within_bounds(stub):
    inputs = [pb.Tensor(name="wrong" * 100)] * 500
    with pytest.raises(grpc.RpcError) as raised:
        stub.Run(pb.RunRequest(model="mlp", inputs=inputs), timeout=SECONDS)
    error = rml_client.errors.from_rpc_error(raised.value)
    assert isinstance(error, rml_client.InvalidArgument)
    assert len(error.message) < 1024
    assert error.message.endswith("more")
    assert len(error.violations) == 8


@pytest.mark.parametrize(("level", "logged"), [("info", False), ("debug", True)])
def test_text_that_is_not_utf8_is_the_callers_error_and_no_line_of_the_log(start, level, logged):
    server = start("--demo", "--log-level", level)
    with grpc.insecure_channel(server.grpc) as channel:
        run = channel.unary_unary("/rml.v1.Inference/Run")  # takes and gives bytes
        with pytest.raises(grpc.RpcError) as raised:
            run(b"\x0a\x01\xff", timeout=SECONDS)  # model: "\xff"
    assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert ("String field 'rml.v1.RunRequest.model'" in server.log.read_text()) is logged
    assert "libprotobuf" not in server.log.read_text()


def test_a_message_above_the_limit_is_refused(start):
    server = start("--demo", "--max-message-mib", "1")
    with server.client() as client:
        with pytest.raises(rml_client.ResourceExhausted):
            client.run("mlp", {"x": np.zeros(2**19, np.float32)})
        assert client.health() is rml_client.Health.SERVING
