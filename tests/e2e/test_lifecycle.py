"""Deadlines, and the way out: what SIGTERM does to calls under way and to new ones."""

import contextlib
import signal
import socket
import threading
import time
from concurrent import futures

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

import rml_client
from rml.v1 import inference_pb2 as pb
from rml.v1 import inference_pb2_grpc
from tests.e2e.metrics_text import Metrics
from tests.e2e.models import add_fixture, golden
from tests.e2e.running_server import SECONDS

SLOW = "torch_unet"  # the fixture whose run takes longest
# A second or more: what meets it has not to be quick.
LONG_PROFILE = pb.ProfileRequest(model=SLOW, iterations=10000, source=pb.ZEROS, rows=8)


def wait_until(condition) -> None:
    """Asks again and again, giving way to other threads between, until it holds."""
    end = time.monotonic() + SECONDS
    never = threading.Event()
    while not condition():
        assert time.monotonic() < end, "waited too long"
        never.wait(0.005)


@pytest.fixture
def server(start, tmp_path):
    """One instance, so that a long Profile makes all others wait."""
    add_fixture(tmp_path / "models", SLOW)
    return lambda *arguments: start("--model-repository", tmp_path / "models", "--instances", "1", *arguments)


def begin_profile(pool, server, **options):
    """A Profile that has begun to run; its future."""

    def profile():
        with server.client() as client:
            return client.profile(SLOW, iterations=LONG_PROFILE.iterations, rows=LONG_PROFILE.rows, **options)

    future = pool.submit(profile)
    wait_until(lambda: future.done() or in_flight(server) == 1)
    return future


def in_flight(server) -> float:
    return Metrics(server.get("/metrics")[1])("rml_requests_in_flight", model=SLOW)


def test_a_deadline_too_short_for_any_answer(demo):
    with grpc.insecure_channel(demo.grpc) as channel:
        call = inference_pb2_grpc.InferenceStub(channel).Profile
        with pytest.raises(grpc.RpcError) as raised:
            call(pb.ProfileRequest(model="transformer_block", iterations=10000), timeout=0.001)
    assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED


def test_a_request_that_is_late_in_the_queue_is_never_run(server):
    running = server()
    with futures.ThreadPoolExecutor() as pool, running.client() as client:
        profile = begin_profile(pool, running)
        with pytest.raises(rml_client.DeadlineExceeded):
            client.run(SLOW, golden(SLOW).inputs, timeout_seconds=0.02)
        assert profile.result().iterations == 10000
        wait_until(lambda: in_flight(running) == 0)
    metrics = Metrics(running.get("/metrics")[1])
    assert metrics("rml_compute_duration_seconds_count", model=SLOW) == 0


def test_a_cancelled_profile_frees_its_instance(server):
    running = server()
    with grpc.insecure_channel(running.grpc) as channel:
        stub = inference_pb2_grpc.InferenceStub(channel)
        call = stub.Profile.future(LONG_PROFILE, timeout=SECONDS)
        wait_until(lambda: in_flight(running) == 1)
        call.cancel()
        wait_until(lambda: in_flight(running) == 0)
    metrics = Metrics(running.get("/metrics")[1])
    assert metrics("rml_requests_total", method="Profile", code="CANCELLED") == 1
    with running.client() as client:
        client.run(SLOW, golden(SLOW).inputs)


def test_a_full_queue_refuses(server):
    running = server("--queue-limit", "1")
    inputs = golden(SLOW).inputs
    with futures.ThreadPoolExecutor() as pool, running.client() as client:
        profile = begin_profile(pool, running)
        waiting = pool.submit(client.run, SLOW, inputs)
        wait_until(lambda: in_flight(running) == 2)
        with pytest.raises(rml_client.ResourceExhausted, match=SLOW):
            client.run(SLOW, inputs)
        assert waiting.result().model == SLOW
        profile.result()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_calls_under_way_are_answered_before_the_end(server, number):
    running = server()
    with futures.ThreadPoolExecutor() as pool:
        profile = begin_profile(pool, running)
        assert not profile.done()
        running.signal(number)
        assert profile.result().iterations == 10000
    assert running.wait() == 0
    assert "drained" in running.log.read_text()
    with running.client() as client, pytest.raises(rml_client.Unavailable):
        client.health()


def test_what_outlasts_the_drain_timeout_is_ended(server):
    running = server("--drain-timeout", "0")
    with futures.ThreadPoolExecutor() as pool, grpc.insecure_channel(running.grpc) as channel:
        call = inference_pb2_grpc.InferenceStub(channel).Profile
        profile = pool.submit(call, LONG_PROFILE, timeout=SECONDS)
        wait_until(lambda: in_flight(running) == 1)
        running.signal()
        assert running.wait() == 0
        assert isinstance(profile.exception(), grpc.RpcError)


def test_nobody_who_is_silent_holds_up_the_exit(start):
    """With connections of all kinds that want nothing at the moment, an hour of patience is not used."""
    running = start("--demo", "--drain-timeout", "3600")
    with contextlib.ExitStack() as stack:
        for address in (running.grpc, running.http):
            host, port = address.split(":")
            silent, half = (stack.enter_context(socket.create_connection((host, int(port)))) for _ in range(2))
            half.sendall(b"GET /livez HTTP/1.1\r\nHo" if address == running.http else b"PRI * HTTP/2.0\r\n")
            assert silent
        channel = stack.enter_context(grpc.insecure_channel(running.grpc))
        watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        no_more = threading.Event()
        stack.callback(no_more.set)

        def questions():
            yield b""
            no_more.wait()

        reflect = channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
        assert next(reflect(questions()))
        running.signal()
        assert running.wait() == 0


def test_a_lame_duck_serves_but_is_not_ready(start):
    running = start("--demo", "--lame-duck", "3600")
    with running.client() as client:
        running.signal()
        wait_until(lambda: running.get("/readyz")[0] == 503)
        assert "shutting down" in running.get("/readyz")[1]
        assert running.get("/livez")[0] == 200
        assert client.health() is rml_client.Health.NOT_SERVING
        assert client.health("mlp") is rml_client.Health.NOT_SERVING
        assert client.run("mlp", golden("mlp").inputs).model == "mlp"
        running.signal()  # the second one ends it
        assert running.wait() == 0


def test_ready_turns_on_and_off(start):
    running = start("--demo")
    assert running.get("/readyz")[0] == 200
    assert running.stop() == 0


def test_calls_of_the_moment_of_the_end_are_answered_or_unavailable(start, tmp_path):
    """Whoever retries what is UNAVAILABLE loses nothing."""
    add_fixture(tmp_path / "models", "torch_mlp")
    running = start("--model-repository", tmp_path / "models")
    inputs = golden("torch_mlp").inputs
    answered = threading.Event()

    def call_until_it_ends():
        with rml_client.Client(running.grpc, timeout_seconds=SECONDS) as client:
            while True:
                try:
                    client.run("torch_mlp", inputs)
                    answered.set()
                except rml_client.RmlError as error:
                    return error

    with futures.ThreadPoolExecutor(16) as pool:
        ends = [pool.submit(call_until_it_ends) for _ in range(16)]
        assert answered.wait(SECONDS)
        running.signal()
        errors = [end.result() for end in ends]
    assert running.wait() == 0
    assert {type(error) for error in errors} == {rml_client.Unavailable}, errors
