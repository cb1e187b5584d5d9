"""Requests of the Open Inference Protocol that do not fit: code, words and fields, by the cases of other servers."""

from dataclasses import dataclass, field

import grpc
import numpy as np
import pytest
from tritonclient.grpc import service_pb2 as pb
from tritonclient.grpc import service_pb2_grpc

import rml_client
from tests.e2e.running_server import SECONDS

RAW = np.zeros((2, 12), "<f4").tobytes()
WHO = "model 'mlp' version 1: "
SHAPE = "; expected FP32[B, 12]"


def tensor(name="x", datatype="FP32", shape=(2, 12), parameters=None, **contents):
    """An input without raw elements; contents by list."""
    message = pb.ModelInferRequest.InferInputTensor(name=name, datatype=datatype, shape=shape)
    if contents:
        message.contents.CopyFrom(pb.InferTensorContents(**contents))
    for key, value in (parameters or {}).items():
        message.parameters[key].CopyFrom(pb.InferParameter(**value))
    return message


def output(name="logits", **parameters):
    message = pb.ModelInferRequest.InferRequestedOutputTensor(name=name)
    for key, value in parameters.items():
        message.parameters[key].int64_param = value
    return message


@dataclass(frozen=True)
class Case:
    name: str
    message: str  # after WHO
    fields: tuple[str, ...]
    inputs: tuple = (tensor(),)
    raw: tuple[bytes, ...] = (RAW,)
    outputs: tuple = ()
    parameters: dict = field(default_factory=dict)


CASES = [
    Case("missing", "input 'x' is missing; expected FP32[B, 12]", ("inputs",), (), ()),
    Case(
        "extra",
        "input 'y' is unknown; the model's inputs are 'x'",
        ("inputs[1].name",),
        (tensor(), tensor(name="y")),
        (RAW, RAW),
    ),
    Case("duplicate", "input 'x' is given twice", ("inputs[1].name",), (tensor(), tensor()), (RAW, RAW)),
    Case(
        "datatype",
        "input 'x' has datatype INT64; expected FP32",
        ("inputs[0].datatype",),
        (tensor(datatype="INT64"),),
        (RAW * 2,),
    ),
    Case("fp16", "input 'x' has datatype 'FP16'; expected FP32", ("inputs[0].datatype",), (tensor(datatype="FP16"),)),
    Case(
        "bytes", "input 'x' has datatype 'BYTES'; expected FP32", ("inputs[0].datatype",), (tensor(datatype="BYTES"),)
    ),
    Case("no datatype", "input 'x' has datatype ''; expected FP32", ("inputs[0].datatype",), (tensor(datatype=""),)),
    Case("no batch dim", "input 'x' has shape [12]" + SHAPE, ("inputs[0].shape",), (tensor(shape=[12]),)),
    Case("scalar", "input 'x' has shape []" + SHAPE, ("inputs[0].shape",), (tensor(shape=[]),)),
    Case("too many dims", "input 'x' has shape [1, 2, 12]" + SHAPE, ("inputs[0].shape",), (tensor(shape=[1, 2, 12]),)),
    Case("dim", "input 'x' has shape [2, 13]" + SHAPE, ("inputs[0].shape",), (tensor(shape=[2, 13]),)),
    Case("negative", "input 'x' has shape [-1, 12]" + SHAPE, ("inputs[0].shape",), (tensor(shape=[-1, 12]),)),
    Case("zero dim", "input 'x' has shape [2, 0]" + SHAPE, ("inputs[0].shape",), (tensor(shape=[2, 0]),)),
    Case(
        "no rows",
        "input 'x' has shape [0, 12], which makes B 0; expected 1 to 65536",
        ("inputs[0].shape",),
        (tensor(shape=[0, 12]),),
        (b"",),
    ),
    Case(
        "overflow",
        f"input 'x' has shape [{2**62}, 12], whose size does not fit in 63 bits",
        ("inputs[0].shape",),
        (tensor(shape=[2**62, 12]),),
    ),
    Case(
        "short",
        "input 'x' has 95 bytes of raw content; expected 96 for FP32[2, 12]",
        ("raw_input_contents[0]",),
        raw=(RAW[1:],),
    ),
    Case(
        "long",
        "input 'x' has 100 bytes of raw content; expected 96 for FP32[2, 12]",
        ("raw_input_contents[0]",),
        raw=(RAW + b"0000",),
    ),
    Case("no data", "input 'x' has 0 elements; expected 24 for shape [2, 12]", ("inputs[0].contents",), raw=()),
    Case(
        "extra buffer",
        "raw_input_contents has 2 buffers; expected 1, one for each input",
        ("raw_input_contents",),
        raw=(RAW, RAW),
    ),
    Case(
        "both",
        "input 'x' has contents beside raw_input_contents; expected one of the two for all inputs",
        ("inputs[0].contents",),
        (tensor(fp32_contents=[0] * 24),),
    ),
    Case(
        "two lists",
        "input 'x' has several contents (fp32_contents, int_contents); expected one",
        ("inputs[0]",),
        (tensor(fp32_contents=[0] * 24, int_contents=[1]),),
        (),
    ),
    Case(
        "wrong list",
        "input 'x' has datatype FP32 but its content is int64_contents; expected FP32",
        ("inputs[0].datatype",),
        (tensor(int64_contents=[0] * 24),),
        (),
    ),
    Case(
        "short list",
        "input 'x' has 23 elements; expected 24 for shape [2, 12]",
        ("inputs[0].contents.fp32_contents",),
        (tensor(fp32_contents=[0] * 23),),
        (),
    ),
    Case(
        "output",
        "output 'y' is unknown; the model's outputs are 'logits'",
        ("outputs[0].name",),
        outputs=(output("y"),),
    ),
    Case("output twice", "output 'logits' is asked for twice", ("outputs[1].name",), outputs=(output(), output())),
    Case(
        "classification",
        "output 'logits' asks for classification, which is not supported",
        ("outputs[0].parameters['classification']",),
        outputs=(output(classification=3),),
    ),
    Case(
        "shared memory",
        "input 'x' asks for shared memory, which is not supported; "
        "output 'logits' asks for shared memory, which is not supported; "
        "input 'x' has 0 elements; expected 24 for shape [2, 12]",
        (
            "inputs[0].parameters['shared_memory_byte_size']",
            "outputs[0].parameters['shared_memory_byte_size']",
            "inputs[0].contents",
        ),
        (
            tensor(
                parameters={
                    "shared_memory_region": {"string_param": "r"},
                    "shared_memory_byte_size": {"int64_param": 96},
                }
            ),
        ),
        (),
        (output(shared_memory_byte_size=32),),
    ),
    Case(
        "sequence",
        "parameter 'sequence_id' is not supported: no state is kept between requests",
        ("parameters['sequence_id']",),
        parameters={"sequence_id": {"int64_param": 7}},
    ),
    Case(
        "parameter",
        "parameter 'temperature' is unknown; expected timeout or priority",
        ("parameters['temperature']",),
        parameters={"temperature": {"double_param": 0.5}},
    ),
    Case(
        "timeout",
        "parameter 'timeout' is -1; expected microseconds, 0 to 3153600000000000",
        ("parameters['timeout']",),
        parameters={"timeout": {"int64_param": -1}},
    ),
    Case(
        "priority",
        "parameter 'priority' is 11; expected 1 (first) to 10, or 0 for 5",
        ("parameters['priority']",),
        parameters={"priority": {"uint64_param": 11}},
    ),
    Case(
        "all at once",
        "parameter 'p' is unknown; expected timeout or priority; input 'y' is unknown; the model's inputs are 'x'; "
        "input 'x' is missing; expected FP32[B, 12]; output 'z' is unknown; the model's outputs are 'logits'",
        ("parameters['p']", "inputs[0].name", "inputs", "outputs[0].name"),
        (tensor(name="y"),),
        outputs=(output("z"),),
        parameters={"p": {"bool_param": True}},
    ),
]


def request_of(case):
    request = pb.ModelInferRequest(
        model_name="mlp", inputs=case.inputs, outputs=case.outputs, raw_input_contents=case.raw
    )
    for key, value in case.parameters.items():
        request.parameters[key].CopyFrom(pb.InferParameter(**value))
    return request


@pytest.fixture(scope="module")
def stub(demo):
    with grpc.insecure_channel(demo.grpc) as channel:
        yield service_pb2_grpc.GRPCInferenceServiceStub(channel)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_invalid_argument(stub, case):
    with pytest.raises(grpc.RpcError) as raised:
        stub.ModelInfer(request_of(case), timeout=SECONDS)
    error = rml_client.errors.from_rpc_error(raised.value)
    assert isinstance(error, rml_client.InvalidArgument)
    assert error.message == WHO + case.message
    assert sorted(violation.field for violation in error.violations) == sorted(case.fields)


def test_all_of_them_in_one_stream(stub):
    requests = [request_of(case) for case in CASES]
    answers = list(stub.ModelStreamInfer(iter(requests), timeout=SECONDS))
    assert [answer.error_message for answer in answers] == [WHO + case.message for case in CASES]


KNOWN = "cnn, lstm, mlp, transformer_block"
NO_VERSION = "is no version; expected a positive integer, or nothing for the highest that is ready"
NAMES = [
    ("nothing", "", "NOT_FOUND", f"there is no model 'nothing'; the server has: {KNOWN}"),
    ("mlp", "2", "NOT_FOUND", "model 'mlp' has no version 2; it has: 1"),
    *(
        ("mlp", version, "INVALID_ARGUMENT", f"model 'mlp': '{version}' {NO_VERSION}")
        for version in ("0", "-1", "01", "latest", str(2**63))
    ),
]


@pytest.mark.parametrize("method", ["ModelInfer", "ModelReady", "ModelMetadata", "ModelConfig", "ModelStatistics"])
def test_names_and_versions(stub, method):
    prefix = "model_" if method == "ModelInfer" else ""
    for model, version, code, message in NAMES:
        request = getattr(pb, method + "Request")(**{f"{prefix}name": model, f"{prefix}version": version})
        with pytest.raises(grpc.RpcError) as raised:
            getattr(stub, method)(request, timeout=SECONDS)
        assert (raised.value.code().name, raised.value.details()) == (code, message)


@pytest.mark.parametrize("method", ["ModelInfer", "ModelReady", "ModelMetadata", "ModelConfig"])
def test_no_name(stub, method):
    with pytest.raises(grpc.RpcError) as raised:
        getattr(stub, method)(getattr(pb, method + "Request")(), timeout=SECONDS)
    assert raised.value.details() == f"there is no model ''; the server has: {KNOWN}"


def test_messages_stay_within_bounds(stub):
    request = pb.ModelInferRequest(model_name="mlp", inputs=[tensor(name="wrong" * 100)] * 500)
    with pytest.raises(grpc.RpcError) as raised:
        stub.ModelInfer(request, timeout=SECONDS)
    assert len(raised.value.details()) < 1024
    assert raised.value.details().endswith("more")
    with pytest.raises(grpc.RpcError) as raised:
        stub.ModelInfer(pb.ModelInferRequest(model_name="x" * 100_000), timeout=SECONDS)
    assert len(raised.value.details()) < 1024
