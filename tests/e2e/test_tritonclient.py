"""The package tritonclient, unmodified, speaks to rml-server: every method offered, sync, asyncio and by stream."""

import asyncio
import queue
import subprocess
import sys

import grpc
import numpy as np
import pytest
import tritonclient.grpc as triton
import tritonclient.grpc.aio as triton_aio
from google.protobuf import descriptor_pb2
from tritonclient.grpc import model_config_pb2, service_pb2
from tritonclient.utils import InferenceServerException

from tests.e2e.metrics_text import Metrics
from tests.e2e.models import BUNDLED, golden
from tests.e2e.running_server import GRPC_CLI, ROOT, SECONDS, run

KINDS = {"float32": "FP32", "int32": "INT32", "int64": "INT64"}


def infer_input(name, array):
    tensor = triton.InferInput(name, array.shape, KINDS[array.dtype.name])
    tensor.set_data_from_numpy(array)
    return tensor


def inputs_of(model, rows=slice(None)):
    return [infer_input(name, array[rows]) for name, array in golden(model).inputs.items()]


def assert_golden(result, model, rows=slice(None)):
    for name, want in golden(model).outputs.items():
        np.testing.assert_allclose(result.as_numpy(name), want[rows], rtol=0, atol=1e-5, err_msg=f"{model} {name}")


@pytest.fixture
def client(demo):
    with triton.InferenceServerClient(demo.grpc) as client:
        yield client


@pytest.fixture
def fixtures_client(fixtures):
    with triton.InferenceServerClient(fixtures.grpc) as client:
        yield client


def raises(code, message):
    """What the client makes of a status, message and all."""
    return pytest.raises(InferenceServerException, match=f"^\\[StatusCode.{code}\\] {message}$")


def test_live_ready_and_metadata(client):
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready("mlp")
    assert client.is_model_ready("mlp", "1")
    with raises("NOT_FOUND", "there is no model 'nothing'; the server has: cnn, lstm, mlp, transformer_block"):
        client.is_model_ready("nothing")
    server = client.get_server_metadata()
    assert server.name == "rml"
    assert server.version in run("rml-server", "--version").stdout
    assert list(server.extensions) == ["model_configuration", "statistics", "schedule_policy"]
    assert client.get_model_metadata("mlp", as_json=True) == {
        "name": "mlp",
        "versions": ["1"],
        "platform": "rml-graph",
        "inputs": [{"name": "x", "datatype": "FP32", "shape": ["-1", "12"]}],
        "outputs": [{"name": "logits", "datatype": "FP32", "shape": ["-1", "4"]}],
    }


def test_config(demo, client):
    config = client.get_model_config("mlp").config
    assert (config.name, config.platform, config.backend) == ("mlp", "rml-graph", "rml")
    assert config.max_batch_size > 1
    assert [(i.name, i.data_type, list(i.dims)) for i in config.input] == [("x", model_config_pb2.TYPE_FP32, [12])]
    assert [(o.name, list(o.dims)) for o in config.output] == [("logits", [4])]
    (group,) = config.instance_group
    with demo.client() as rml:
        assert group.count == rml.get_model("mlp").instances
    assert group.kind == model_config_pb2.ModelInstanceGroup.KIND_CPU


def test_index(client):
    index = client.get_model_repository_index().models
    assert [(m.name, m.version, m.state, m.reason) for m in index] == [(name, "1", "READY", "") for name in BUNDLED]


@pytest.mark.parametrize("model", BUNDLED)
def test_infer(client, model):
    result = client.infer(model, inputs_of(model), model_version="1", request_id="r1", client_timeout=SECONDS)
    assert_golden(result, model)
    response = result.get_response()
    assert (response.model_name, response.model_version, response.id) == (model, "1", "r1")


def test_a_future(client):
    answers = queue.Queue()
    client.async_infer("mlp", inputs_of("mlp"), lambda result, error: answers.put((result, error)))
    result, error = answers.get(timeout=SECONDS)
    assert error is None
    assert_golden(result, "mlp")


def test_outputs_come_in_the_order_asked_for(fixtures_client):
    names = list(golden("torch_clip").outputs)
    wanted = [triton.InferRequestedOutput(name) for name in reversed(names)]
    result = fixtures_client.infer("torch_clip", inputs_of("torch_clip"), outputs=wanted)
    assert [output.name for output in result.get_response().outputs] == names[::-1]
    assert_golden(result, "torch_clip")


def test_int64_is_taken_for_int32_where_it_fits(fixtures_client):
    model = "torch_encoder"
    (name, ids), *others = golden(model).inputs.items()
    assert ids.dtype == np.int32
    assert not others
    result = fixtures_client.infer(model, [infer_input(name, ids.astype(np.int64))])
    assert_golden(result, model)
    too_large = ids.astype(np.int64)
    too_large.flat[-1] = 2**31
    with raises(
        "INVALID_ARGUMENT",
        f"model '{model}' version 1: input '{name}' has 2147483648 at element {ids.size - 1}; "
        "expected a number that fits in INT32",
    ):
        fixtures_client.infer(model, [infer_input(name, too_large)])


def test_nan_and_infinity_stay_in_their_rows(client):
    rows = np.zeros((3, 12), np.float32)
    rows[0, 0], rows[1, 0] = np.nan, np.inf
    logits = client.infer("mlp", [infer_input("x", rows)]).as_numpy("logits")
    assert np.isnan(logits[0]).any()
    assert np.isfinite(logits[2]).all()


def test_more_than_grpcs_own_limit_of_four_megabytes(client):
    (name, image), *_ = golden("cnn").inputs.items()
    many = np.resize(image, (20_000, *image.shape[1:]))
    assert many.nbytes > 4 << 20
    (output, want), *_ = golden("cnn").outputs.items()
    got = client.infer("cnn", [infer_input(name, many)]).as_numpy(output)
    np.testing.assert_allclose(got, np.resize(want, (20_000, *want.shape[1:])), rtol=0, atol=1e-5)


def test_timeout_and_priority(client):
    assert_golden(client.infer("mlp", inputs_of("mlp"), timeout=60_000_000, priority=1), "mlp")
    with raises("DEADLINE_EXCEEDED", "model 'mlp' version 1: .*deadline.*"):
        client.infer("mlp", inputs_of("mlp"), timeout=1)


def test_statistics(start):
    server = start("--demo")
    with triton.InferenceServerClient(server.grpc) as client:
        (none,) = client.get_inference_statistics("mlp").model_stats
        assert (none.inference_count, none.last_inference) == (0, 0)
        x = golden("mlp").inputs["x"]
        for rows in (1, 2, 2):
            client.infer("mlp", [infer_input("x", x[:rows])])
        with pytest.raises(InferenceServerException):
            client.infer("mlp", [infer_input("x", x[:, :3])])
        (some,) = client.get_inference_statistics("mlp", "1").model_stats
        assert (some.name, some.version, some.inference_count, some.execution_count) == ("mlp", "1", 5, 3)
        stats = some.inference_stats
        assert (stats.success.count, stats.fail.count) == (3, 1)
        for part in (stats.queue, stats.compute_input, stats.compute_infer, stats.compute_output):
            assert part.count == 3
            assert 0 < part.ns < stats.success.ns
        assert [(b.batch_size, b.compute_infer.count) for b in some.batch_stats] == [(1, 1), (2, 2)]
        assert some.memory_usage[0].byte_size > 0
        everything = client.get_inference_statistics().model_stats
        assert {m.name: m.inference_count for m in everything} == {name: 5 * (name == "mlp") for name in BUNDLED}
        with raises("NOT_FOUND", "model 'mlp' has no version 9; it has: 1"):
            client.get_inference_statistics("mlp", "9")
    metrics = Metrics(server.get("/metrics")[1])
    assert metrics("rml_requests_total", model="mlp", method="ModelInfer", code="OK") == 3
    assert metrics("rml_requests_total", model="mlp", method="ModelInfer", code="INVALID_ARGUMENT") == 1
    assert metrics("rml_request_duration_seconds_count", model="mlp") == 4


def test_what_is_not_offered_is_unimplemented(client):
    for call in (client.get_trace_settings, client.get_system_shared_memory_status, lambda: client.load_model("mlp")):
        with pytest.raises(InferenceServerException, match=r"^\[StatusCode.UNIMPLEMENTED\]"):
            call()


def test_a_stream_answers_in_order_and_outlives_errors(client):
    answers = queue.Queue()
    client.start_stream(lambda result, error: answers.put((result, error)))
    for i in range(40):
        name = "nothing" if i == 7 else BUNDLED[i % len(BUNDLED)]
        client.async_stream_infer(name, inputs_of(name) if i != 7 else [], request_id=str(i))
    for i in range(40):
        result, error = answers.get(timeout=SECONDS)
        if i == 7:
            assert str(error) == "there is no model 'nothing'; the server has: cnn, lstm, mlp, transformer_block"
            continue
        assert error is None
        assert result.get_response().id == str(i)
        assert_golden(result, BUNDLED[i % len(BUNDLED)])
    client.async_stream_infer("mlp", inputs_of("mlp"), enable_empty_final_response=True)
    result, _ = answers.get(timeout=SECONDS)
    assert result.get_response().parameters["triton_final_response"].bool_param
    client.stop_stream()
    assert answers.empty()


def test_asyncio(demo):
    async def use():
        async with triton_aio.InferenceServerClient(demo.grpc) as client:
            assert await client.is_server_live()
            assert await client.is_server_ready()
            assert await client.is_model_ready("mlp")
            assert (await client.get_server_metadata()).name == "rml"
            assert (await client.get_model_metadata("mlp")).inputs[0].shape == [-1, 12]
            assert (await client.get_model_config("mlp")).config.name == "mlp"
            assert len((await client.get_model_repository_index()).models) == len(BUNDLED)
            results = await asyncio.gather(*(client.infer(model, inputs_of(model)) for model in BUNDLED * 4))
            for model, result in zip(BUNDLED * 4, results, strict=True):
                assert_golden(result, model)
            assert (await client.get_inference_statistics("mlp")).model_stats[0].inference_count >= 8
            with raises("NOT_FOUND", "there is no model 'nothing'; .*"):
                await client.infer("nothing", [])

            async def requests():
                for i in range(10):
                    yield {"model_name": "mlp", "inputs": inputs_of("mlp") if i != 4 else [], "request_id": str(i)}

            seen = []
            async for result, error in client.stream_infer(requests()):
                if len(seen) == 4:
                    assert str(error) == "model 'mlp' version 1: input 'x' is missing; expected FP32[B, 12]"
                else:
                    assert_golden(result, "mlp")
                seen.append(result and result.get_response().id)
            assert seen == [str(i) if i != 4 else None for i in range(10)]

    asyncio.run(asyncio.wait_for(use(), SECONDS))


def test_typed_contents_by_grpc_cli(demo):
    """A person types lists; what comes back is raw, as everywhere in this protocol."""
    elements = ", ".join(["0.5"] * 12)
    request = (
        'model_name: "mlp" id: "typed" inputs { name: "x" datatype: "FP32" shape: [1, 12] '
        f"contents {{ fp32_contents: [{elements}] }} }}"
    )
    result = run(GRPC_CLI, "call", demo.grpc, "inference.GRPCInferenceService.ModelInfer", request)
    assert result.returncode == 0, result.stderr
    assert 'id: "typed"' in result.stdout
    assert "raw_output_contents" in result.stdout


def test_health_knows_the_service(demo):
    service = 'service: "inference.GRPCInferenceService"'
    result = run(GRPC_CLI, "call", demo.grpc, "grpc.health.v1.Health.Check", service)
    assert result.stdout == "status: SERVING\n"


def described(files):
    """Everything that matters on the wire: fields and values by full name, methods by theirs."""
    found = {}

    def describe(prefix, message):
        path = f"{prefix}.{message.name}"
        for field in message.field:
            found[f"{path}.{field.name}"] = (field.number, field.label, field.type, field.type_name)
        for enum in message.enum_type:
            found.update({f"{path}.{enum.name}.{value.name}": value.number for value in enum.value})
        for nested in message.nested_type:
            describe(path, nested)

    for file in files:
        for message in file.message_type:
            describe(file.package, message)
        for enum in file.enum_type:
            found.update({f"{file.package}.{enum.name}.{value.name}": value.number for value in enum.value})
        for service in file.service:
            for method in service.method:
                found[f"{file.package}.{service.name}.{method.name}"] = (
                    method.input_type,
                    method.output_type,
                    method.client_streaming,
                    method.server_streaming,
                )
    return found


def test_our_wire_definition_is_a_part_of_theirs(tmp_path):
    # In a process of its own: protoc brings a libprotobuf that does not bear the frameworks' beside it.
    out = tmp_path / "inference.binpb"
    protoc = [sys.executable, "-m", "grpc_tools.protoc", f"-I{ROOT / 'proto'}", "--include_imports"]
    subprocess.run([*protoc, f"--descriptor_set_out={out}", "inference/grpc_service.proto"], check=True)
    ours = described(descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file)
    files = [descriptor_pb2.FileDescriptorProto() for _ in range(2)]
    service_pb2.DESCRIPTOR.CopyToProto(files[0])
    model_config_pb2.DESCRIPTOR.CopyToProto(files[1])
    theirs = described(files)
    assert len(ours) > 100
    assert {name: (what, theirs.get(name)) for name, what in ours.items() if theirs.get(name) != what} == {}


@pytest.mark.parametrize("method", ["ModelInfer", "ModelMetadata", "ServerLive", "RepositoryIndex"])
def test_bytes_that_are_no_request(demo, method):
    with grpc.insecure_channel(demo.grpc) as channel:
        call = channel.unary_unary(f"/inference.GRPCInferenceService/{method}")  # takes and gives bytes
        with pytest.raises(grpc.RpcError) as raised:
            call(b"\xff\xff\xff", timeout=SECONDS)
    assert raised.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert raised.value.details().startswith(f"the request is no inference.{method}Request: ")
