"""Models that come and go while the server runs: by poll, by SIGHUP and by rml.v1.Admin, under load."""

import contextlib
import os
import shutil
import signal
import threading
from concurrent import futures

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from rml.v1 import inference_pb2 as pb
from rml.v1 import inference_pb2_grpc
from rml_client.messages import run_request
from tests.e2e.metrics_text import Metrics
from tests.e2e.models import add_fixture, golden
from tests.e2e.running_server import SECONDS
from tests.e2e.test_lifecycle import wait_until

MODEL = "torch_mlp"
AT_ONCE = ("--poll-interval", "0.01", "--settle", "0")
SERVING, NOT_SERVING, UNKNOWN = (
    health_pb2.HealthCheckResponse.SERVING,
    health_pb2.HealthCheckResponse.NOT_SERVING,
    health_pb2.HealthCheckResponse.SERVICE_UNKNOWN,
)


@pytest.fixture
def repository(tmp_path):
    add_fixture(tmp_path / "models", MODEL)
    return tmp_path / "models"


def add_version(repository, version: int) -> None:
    """As a careful operator does: copied under another name, then renamed."""
    folder = repository / MODEL
    shutil.copytree(folder / "1", folder / ".new")
    (folder / ".new").rename(folder / str(version))


class Calls:
    """The stubs of a server; calls without retries."""

    def __init__(self, server) -> None:
        self.channel = grpc.insecure_channel(server.grpc)
        self.inference = inference_pb2_grpc.InferenceStub(self.channel)
        self.admin = inference_pb2_grpc.AdminStub(self.channel)
        self.health = health_pb2_grpc.HealthStub(self.channel)
        self.request = run_request(MODEL, golden(MODEL).inputs, 0, (), "")

    def run(self) -> pb.RunResponse:
        return self.inference.Run(self.request, timeout=SECONDS)

    def load(self) -> pb.LoadModelResponse:
        return self.admin.LoadModel(pb.LoadModelRequest(name=MODEL), timeout=SECONDS)

    def unload(self) -> None:
        self.admin.UnloadModel(pb.UnloadModelRequest(name=MODEL), timeout=SECONDS)

    def states(self) -> list[tuple[int, int]]:
        models = self.inference.ListModels(pb.ListModelsRequest(), timeout=SECONDS).models
        return [(model.version, model.state) for model in models]


@pytest.fixture
def serve(start, repository):
    """Starts a server of the repository; its Calls and itself."""
    with contextlib.ExitStack() as stack:

        def serve(*arguments):
            server = start("--model-repository", repository, "--instances", "2", *arguments)
            calls = Calls(server)
            stack.callback(calls.channel.close)
            return calls, server

        yield serve


@contextlib.contextmanager
def load_on(calls: Calls, threads: int = 2):
    """Requests without a pause, each of which must be answered; yields the versions that did, in a set that grows."""
    done = threading.Event()
    versions: set[int] = set()

    def call_until_done():
        while not done.is_set():
            versions.add(calls.run().version)

    with futures.ThreadPoolExecutor(threads) as pool:
        clients = [pool.submit(call_until_done) for _ in range(threads)]
        wait_until(lambda: versions or any(client.done() for client in clients))
        try:
            yield versions
        finally:
            done.set()
            for client in clients:  # a request that failed is what went wrong, whatever followed from it
                client.result()


def test_poll_follows_the_folder_without_a_failed_request(serve, repository):
    calls, server = serve("--repository-mode", "poll", *AT_ONCE)
    with load_on(calls) as versions:
        wait_until(lambda: 1 in versions)
        add_version(repository, 2)
        wait_until(lambda: 2 in versions)
        wait_until(lambda: calls.states() == [(2, pb.READY)])
        add_version(repository, 3)
        (repository / MODEL / "3/model.json").write_text("{")
        wait_until(lambda: (3, pb.FAILED) in calls.states() or (3, pb.READY) in calls.states())
        shutil.rmtree(repository / MODEL / "3")
        shutil.rmtree(repository / MODEL / "2")
        wait_until(lambda: calls.states() == [(1, pb.READY)])
    metrics = Metrics(server.get("/metrics")[1])
    assert metrics("rml_requests_total", method="Run") == metrics("rml_requests_total", method="Run", code="OK")
    assert {dict(labels).get("version") for name, labels in metrics.series if name == "rml_model_ready"} == {"1"}


def test_sighup_looks_again(serve, repository):
    calls, server = serve()
    add_version(repository, 2)
    assert calls.run().version == 1
    server.signal(signal.SIGHUP)
    wait_until(lambda: calls.run().version == 2)
    with pytest.raises(grpc.RpcError) as raised:
        calls.load()
    assert raised.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert "'explicit' only; this server's is 'static'" in raised.value.details()


def test_loaded_and_unloaded_on_request(serve):
    calls, server = serve("--repository-mode", "explicit")
    assert server.get("/readyz")[0] == 200
    assert calls.states() == [(1, pb.UNLOADED)]
    watch = calls.health.Watch(health_pb2.HealthCheckRequest(service=MODEL))
    assert next(watch).status == NOT_SERVING
    with pytest.raises(grpc.RpcError) as raised:
        calls.run()
    assert raised.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    loaded = calls.load().models
    assert [(model.version, model.state, model.verified) for model in loaded] == [(1, pb.READY, True)]
    assert next(watch).status == SERVING
    assert calls.run().version == 1
    calls.unload()
    assert next(watch).status == NOT_SERVING
    assert calls.states() == [(1, pb.UNLOADED)]
    assert "rml_model_memory_bytes{" not in server.get("/metrics")[1]
    with pytest.raises(grpc.RpcError) as raised:
        calls.admin.LoadModel(pb.LoadModelRequest(name="other"), timeout=SECONDS)
    assert raised.value.code() is grpc.StatusCode.NOT_FOUND


def test_a_deleted_model_is_unknown_to_health(serve, repository):
    calls, _ = serve("--repository-mode", "poll", *AT_ONCE)
    watch = calls.health.Watch(health_pb2.HealthCheckRequest(service=MODEL))
    assert next(watch).status == SERVING
    shutil.rmtree(repository / MODEL)
    assert UNKNOWN in (answer.status for answer in watch)


def reload_under_load(serve, repository, reloads: int, warm: int) -> tuple[float, float]:
    """Resident bytes after `warm` reloads and after all of them."""
    calls, server = serve("--repository-mode", "explicit", "--load-model", MODEL)
    resident = []
    with load_on(calls):
        for count in range(reloads):
            os.utime(repository / MODEL / "1/model.json", ns=(count, count))
            calls.load()
            if count + 1 in (warm, reloads):
                resident.append(Metrics(server.get("/metrics")[1])("process_resident_memory_bytes"))
    metrics = Metrics(server.get("/metrics")[1])
    assert metrics("rml_model_loads_total", result="success") == 1 + reloads
    assert metrics("rml_requests_total", method="Run") == metrics("rml_requests_total", method="Run", code="OK")
    return resident[0], resident[1]


def test_reloads_under_load(serve, repository):
    before, after = reload_under_load(serve, repository, reloads=30, warm=10)
    assert after - before < 5e6


@pytest.mark.slow
def test_a_thousand_reloads_under_load(serve, repository):
    before, after = reload_under_load(serve, repository, reloads=1050, warm=50)
    assert after - before < 5e6


def test_the_end_while_models_are_loaded(serve, repository):
    """Whoever asked is told, and the server goes."""
    calls, server = serve("--repository-mode", "explicit")

    def load_until_it_ends():
        for count in range(10**9):
            os.utime(repository / MODEL / "1/model.json", ns=(count, count))
            try:
                calls.load()
            except grpc.RpcError as error:
                return error.code()

    with futures.ThreadPoolExecutor(1) as pool:
        end = pool.submit(load_until_it_ends)
        wait_until(lambda: calls.states() == [(1, pb.READY)])
        server.signal()
        assert end.result() is grpc.StatusCode.UNAVAILABLE
    assert server.wait() == 0
