"""rml-loadtest speaks the Open Inference Protocol to rml-server and to one of another make: Python's gRPC."""

import json
from concurrent import futures

import grpc
import pytest
from tritonclient.grpc import service_pb2 as messages

from tests.e2e.models import golden
from tests.e2e.running_server import run


@pytest.fixture(scope="module")
def server():
    """The address of a server that answers by mlp's golden outputs if it was given its golden inputs, else by zeros."""
    model = golden("mlp")

    def metadata(request, _):
        tensor = messages.ModelMetadataResponse.TensorMetadata
        return messages.ModelMetadataResponse(name=request.name, inputs=[tensor(name=name) for name in model.inputs])

    def infer(request, _):
        right = {i.name: raw for i, raw in zip(request.inputs, request.raw_input_contents, strict=True)} == {
            name: array.tobytes() for name, array in model.inputs.items()
        }
        response = messages.ModelInferResponse(model_name=request.model_name)
        for name, array in model.outputs.items():
            response.outputs.add(name=name, datatype="FP32", shape=array.shape)
            response.raw_output_contents.append((array if right else array * 0).tobytes())
        return response

    def handler(function, request):
        return grpc.unary_unary_rpc_method_handler(
            function, request_deserializer=request.FromString, response_serializer=lambda m: m.SerializeToString()
        )

    methods = {
        "ModelMetadata": handler(metadata, messages.ModelMetadataRequest),
        "ModelInfer": handler(infer, messages.ModelInferRequest),
    }
    server = grpc.server(futures.ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("inference.GRPCInferenceService", methods)])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(None).wait()


def loadtest(server, file):
    limits = ("--warm-up", "0", "--max-silence", "30", "--duration", "50", "--min-samples", "100")
    load = ("--open-inference", "--model", f"mlp={file}", "--workers", "2", "--requests", "100")
    result = run("rml-loadtest", *limits, *load, "--json", RML_SERVER=server)
    return result, json.loads(result.stdout)


@pytest.fixture(scope="module")
def rml_server(demo):
    return demo.grpc


@pytest.mark.parametrize("make", ["server", "rml_server"])
def test_right_answers_are_valid(request, make):
    result, report = loadtest(request.getfixturevalue(make), golden("mlp").file)
    assert (result.returncode, result.stderr) == (0, "")
    assert report["protocol"] == "Open Inference Protocol"
    assert report["steps"][0]["latency_ms"]["count"] == 100
    assert "compute_ms" not in report["steps"][0]["models"][0]


def test_wrong_answers_are_invalid(server):
    """Another golden file: its inputs are answered by zeros, of another shape than its outputs."""
    result, report = loadtest(server, golden("lstm").file)
    assert result.returncode == 1
    assert report["steps"][0]["wrong"] == 100
    assert report["steps"][0]["first_wrong"].startswith("output.0 is ")
