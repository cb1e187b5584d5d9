"""config.textproto in a model's folder: what it changes, and what becomes of a model whose file is not all right."""

import os
import shutil
from concurrent import futures

import grpc
import numpy as np
import pytest

import rml_client
from rml.v1 import inference_pb2 as pb
from rml.v1 import inference_pb2_grpc
from tests.e2e.metrics_text import Metrics
from tests.e2e.models import add_fixture, golden
from tests.e2e.test_lifecycle import LONG_PROFILE, SLOW, begin_profile, in_flight, wait_until

# y = relu(x) for x [B, 3] with B in 1..8
RELU = """{"format":"rml-graph","version":1,"producer":"test","symbols":{"B":{"min":1,"max":8}},
"inputs":[{"id":0,"name":"x","dtype":"f32","shape":["B",3],"rows":true}],"constants":[],
"nodes":[{"op":"relu","in":[0],"out":[1]}],"values":[{"id":1,"dtype":"f32","shape":["B",3]}],
"outputs":[{"id":1,"name":"y","rows":true}]}"""


@pytest.fixture
def models(tmp_path):
    return tmp_path / "models"


def configure(models, model, text):
    """Writes a config; bytes as they are."""
    (models / model / "config.textproto").write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.fixture
def slow(start, models):
    """A server of the slow model with a config; one instance unless it says otherwise."""
    add_fixture(models, SLOW)

    def slow(config):
        configure(models, SLOW, config)
        return start("--model-repository", models, "--instances", "1")

    return slow


def depth(server) -> float:
    return Metrics(server.get("/metrics")[1])("rml_queue_depth", model=SLOW)


def test_queue_limit(slow):
    running = slow("queue_limit: 1")
    inputs = golden(SLOW).inputs
    with futures.ThreadPoolExecutor() as pool, running.client() as client:
        profile = begin_profile(pool, running)
        waiting = pool.submit(client.run, SLOW, inputs)
        wait_until(lambda: in_flight(running) == 2)
        with pytest.raises(rml_client.ResourceExhausted, match="at most 1 may"):
            client.run(SLOW, inputs)
        assert waiting.result().model == SLOW
        profile.result()


def test_instances(slow):
    running = slow("instances: 2")
    with futures.ThreadPoolExecutor() as pool, running.client() as client:
        profiles = [begin_profile(pool, running)]

        def second():
            with running.client() as other:
                return other.profile(SLOW, iterations=LONG_PROFILE.iterations, rows=LONG_PROFILE.rows)

        profiles.append(pool.submit(second))
        wait_until(lambda: in_flight(running) == 2 and depth(running) == 0)
        assert not any(profile.done() for profile in profiles), "both run, neither waits"
        assert client.get_model(SLOW).instances == 2
        for profile in profiles:
            profile.result()


def test_default_timeout(slow):
    running = slow("default_timeout_seconds: 0.02")
    inputs = [
        pb.Tensor(name=name, dtype=pb.F32, shape=x.shape, raw=x.tobytes()) for name, x in golden(SLOW).inputs.items()
    ]
    with futures.ThreadPoolExecutor() as pool, grpc.insecure_channel(running.grpc) as channel:
        profile = begin_profile(pool, running)
        with pytest.raises(grpc.RpcError) as raised:
            inference_pb2_grpc.InferenceStub(channel).Run(
                pb.RunRequest(model=SLOW, inputs=inputs)
            )  # no deadline of its own
        assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert "not started" in raised.value.details()
        profile.result()


def test_threads_and_flags_beside_it(slow):
    running = slow("threads: 2")
    with running.client() as client:
        model = client.get_model(SLOW)
        assert (model.threads, model.instances, model.queue_limit, model.default_timeout_seconds) == (2, 1, 256, 60)
        assert client.run(SLOW, golden(SLOW).inputs).model == SLOW


def add_relu(models, version=1):
    folder = models / "relu" / str(version)
    folder.mkdir(parents=True)
    (folder / "model.json").write_text(RELU)


def test_max_rows_and_warm_up_rows(start, models):
    add_relu(models)
    configure(models, "relu", "max_rows: 4 warm_up_rows: [2, 4]")
    with start("--model-repository", models).client() as client:
        model = client.get_model("relu")
        assert (model.min_rows, model.max_rows, list(model.warm_up_rows)) == (1, 4, [2, 4])
        assert client.run("relu", {"x": -np.ones((4, 3), np.float32)}).outputs["y"].tolist() == [[0] * 3] * 4
        with pytest.raises(rml_client.InvalidArgument, match="which makes B 5; expected 1 to 4"):
            client.run("relu", {"x": np.ones((5, 3), np.float32)})


@pytest.mark.parametrize(
    ("policy", "served"),
    [
        ("", [3]),
        ("latest { num_versions: 2 }", [2, 3]),
        ("all {}", [1, 2, 3]),
        ("specific { versions: [1, 2] }", [1, 2]),
    ],
    ids=["default", "latest", "all", "specific"],
)
def test_version_policy(start, models, policy, served):
    for version in (1, 2, 3):
        add_relu(models, version)
    configure(models, "relu", f"version_policy {{ {policy} }}" if policy else "")
    server = start("--model-repository", models)
    assert (server.ready_models, server.failed_models) == (len(served), 0)
    inputs = {"x": np.ones((1, 3), np.float32)}
    with server.client() as client:
        assert [model.version for model in client.list_models()] == served
        assert client.run("relu", inputs).version == max(served)
        assert client.run("relu", inputs, version=served[0]).version == served[0]


def test_a_model_serves_while_one_of_its_versions_does(start, models):
    for version in (1, 2):
        add_relu(models, version)
    (models / "relu/2/model.json").write_text("{")
    configure(models, "relu", "version_policy { specific { versions: [1, 2, 9] } }")
    server = start("--model-repository", models)
    assert (server.ready_models, server.failed_models) == (1, 2)
    with server.client() as client:
        assert client.health("relu") is rml_client.Health.SERVING
        assert client.run("relu", {"x": np.ones((1, 3), np.float32)}).version == 1
        assert [model.state for model in client.list_models()] == [pb.READY, pb.FAILED, pb.FAILED]
        with pytest.raises(rml_client.FailedPrecondition, match="version 9 is asked for; there is no folder"):
            client.run("relu", {}, version=9)


BAD = {
    "unknown field": ("instnces: 2", "1:1: there is no field 'instnces'; expected one of version_policy, instances"),
    "wrong type": ("threads: 1\nqueue_limit: many", "2:14: got 'many'; expected integer"),
    "out of bounds": ("instances: 0", "1:1: instances is 0; expected 1 to 1024"),
    "several": (
        "instances: 0 threads: 0",
        "1:1: instances is 0; expected 1 to 1024; config.textproto:1:14: threads is 0",
    ),
    "twice": ("threads: 1\nthreads: 1", "2:1: field 'threads' is given twice; expected it once"),
    "not UTF-8": (b"# f\xfcr\n", "1:4: byte 0xfc; expected text in UTF-8"),
    "cut short": ("version_policy {", "1:17: the text ends; expected identifier"),
    "too large": ("#" * 65537, " has more than 65536 bytes; expected no more"),
    "rows": ("warm_up_rows: 9", "1:1: warm_up_rows has 9; expected 1 to 8, as many rows as this model takes"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_config_refuses_its_model_and_no_other(start, models, case):
    text, reason = BAD[case]
    add_fixture(models, "torch_mlp")
    add_relu(models)
    configure(models, "relu", text)
    refused(start("--model-repository", models), "config.textproto" + (reason if reason[0] == " " else ":" + reason))


@pytest.mark.parametrize(
    ("put", "reason"),
    [
        (os.mkdir, "config.textproto is a folder; expected a file"),
        (os.mkfifo, "config.textproto is no regular file; expected a file"),
        (lambda path: os.symlink("nothing", path), "config.textproto is a link to nothing; expected a file"),
    ],
    ids=["folder", "pipe", "link to nothing"],
)
def test_what_is_no_file_refuses_its_model_and_no_other(start, models, put, reason):
    add_fixture(models, "torch_mlp")
    add_relu(models)
    put(models / "relu/config.textproto")
    refused(start("--model-repository", models), reason)


def refused(server, reason):
    """relu has failed with this reason, in the list, for a request and in the log; torch_mlp is served."""
    assert (server.ready_models, server.failed_models) == (1, 1)
    with server.client() as client:
        relu, mlp = client.list_models()
        assert (relu.name, relu.state, mlp.state) == ("relu", pb.FAILED, pb.READY)
        assert reason in relu.reason
        for version in (0, 1):
            with pytest.raises(rml_client.FailedPrecondition) as raised:
                client.run("relu", {}, version=version)
            assert reason in raised.value.message
        client.run("torch_mlp", golden("torch_mlp").inputs)
    log = server.log.read_text()
    assert reason in log
    assert "libprotobuf" not in log


def test_the_demo_models_with_a_config(start, models):
    """The example of docs/serving.md."""
    shutil.copytree(golden("mlp").graph.parents[2] / "mlp", models / "mlp")
    text = (golden("mlp").graph.parents[3] / "docs/serving.md").read_text()
    example = text.split("```textproto\n")[1].split("```")[0]
    configure(models, "mlp", example)
    server = start("--model-repository", models)
    with server.client() as client:
        model = client.get_model("mlp")
    assert (model.state, model.instances, model.queue_limit) == (pb.READY, 2, 64)
    assert model.default_timeout_seconds == 0.5
