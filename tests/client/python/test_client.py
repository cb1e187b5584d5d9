"""What the synchronous client sends and returns, its errors, deadlines and retries."""

import socket
import threading
import time

import grpc
import numpy as np
import pytest

import rml_client
from rml.v1 import inference_pb2 as pb
from rml_client import Client, Health, RetryPolicy
from tests.client.python.conftest import QUICK
from tests.client.python.fake_server import FakeServer, Refusal, echo, health, start


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.arange(6, dtype=np.float32).reshape(2, 3).T,
        np.arange(12, dtype=np.int32)[::-2],
        np.array(-5, np.int64),
        np.zeros((0, 4), np.float32),
        np.array([np.nan, np.inf, -0.0], np.float32),
    ],
    ids=["matrix", "transposed", "strided", "scalar", "empty", "special"],
)
def test_arrays_survive_the_way_there_and_back(fake, client, array):
    fake.answers = [echo]
    result = client.run("m", {"x": array}).outputs["x"]
    assert result.dtype == array.dtype
    np.testing.assert_array_equal(result, array)
    result.flat[:1] = 1  # writable


def test_run_sends_all_that_was_asked(fake, client):
    fake.answers = [echo]
    result = client.run("m", {"x": np.float32([1])}, version=3, outputs=["b", "a"], request_id="mine")
    request = fake.requests[0]
    assert (request.model, request.version, list(request.outputs)) == ("m", 3, ["b", "a"])
    assert (result.model, result.version, result.request_id) == ("m", 3, "mine")
    assert (result.queue_seconds, result.compute_seconds) == (0.25, 0.5)


@pytest.mark.parametrize(("value", "dtype"), [([1.5, 2.5], pb.F32), ([1, 2], pb.I64), (3, pb.I64)])
def test_python_numbers_are_taken(fake, client, value, dtype):
    fake.answers = [echo]
    client.run("m", {"x": value})
    assert fake.requests[0].inputs[0].dtype == dtype


@pytest.mark.parametrize(
    "value", [np.zeros(2, np.float64), np.zeros(2, np.uint8), np.array([True]), ["text"], np.zeros(1, np.complex64)]
)
def test_other_dtypes_are_refused_before_they_are_sent(fake, client, value):
    with pytest.raises(TypeError, match=r"input 'x' has dtype .*; expected float32, int32 or int64"):
        client.run("m", {"x": value})
    assert not fake.requests


def test_profile_says_where_its_inputs_come_from(fake, client):
    fake.answers = [pb.ProfileResponse(model="m", wall_seconds=0.5)]
    assert client.profile("m", iterations=3, threads=2).wall_seconds == 0.5
    client.profile("m", {"x": np.float32([1])})
    client.profile("m", rows=4)
    sources = [request.source for request in fake.requests]
    assert sources == [pb.PROFILE_SOURCE_UNSPECIFIED, pb.REQUEST, pb.ZEROS]
    assert (fake.requests[0].iterations, fake.requests[0].threads, fake.requests[2].rows) == (3, 2, 4)


def test_models(fake, client):
    fake.answers = [
        pb.ListModelsResponse(models=[pb.Model(name="a"), pb.Model(name="b", state=pb.FAILED, reason="why")])
    ]
    assert [(model.name, model.reason) for model in client.list_models()] == [("a", ""), ("b", "why")]


def test_get_model(fake, client):
    fake.answers = [pb.GetModelResponse(model=pb.Model(name="a", version=2))]
    assert client.get_model("a", version=2).version == 2
    assert (fake.requests[0].name, fake.requests[0].version) == ("a", 2)


@pytest.mark.parametrize("status", list(Health))
def test_health(fake, client, status):
    fake.answers = [health(status.value)]
    assert client.health("m") is status
    assert fake.requests[0].service == "m"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("INVALID_ARGUMENT", rml_client.InvalidArgument),
        ("NOT_FOUND", rml_client.NotFound),
        ("FAILED_PRECONDITION", rml_client.FailedPrecondition),
        ("RESOURCE_EXHAUSTED", rml_client.ResourceExhausted),
        ("DEADLINE_EXCEEDED", rml_client.DeadlineExceeded),
        ("CANCELLED", rml_client.Cancelled),
        ("UNIMPLEMENTED", rml_client.Unimplemented),
        ("INTERNAL", rml_client.Internal),
        ("DATA_LOSS", rml_client.RmlError),
    ],
)
def test_errors_have_a_class_each_and_are_not_retried(fake, client, code, error):
    fake.answers = [Refusal(grpc.StatusCode[code], "what was wrong")]
    with pytest.raises(error) as raised:
        client.run("m", {})
    assert type(raised.value) is error
    assert (raised.value.code.name, raised.value.message) == (code, "what was wrong")
    assert str(raised.value) == f"{code}: what was wrong"
    assert len(fake.requests) == 1


def test_invalid_argument_lists_the_fields(fake, client):
    fake.answers = [
        Refusal(grpc.StatusCode.INVALID_ARGUMENT, fields=[("inputs[0].shape", "too long"), ("outputs[1]", "unknown")])
    ]
    with pytest.raises(rml_client.InvalidArgument) as raised:
        client.run("m", {})
    violations = [(violation.field, violation.description) for violation in raised.value.violations]
    assert violations == [("inputs[0].shape", "too long"), ("outputs[1]", "unknown")]


@pytest.mark.parametrize("trailers", [None, b"", b"\xff\xff no message"], ids=["none", "empty", "broken"])
def test_invalid_argument_without_readable_details(fake, client, trailers):
    fake.answers = [Refusal(grpc.StatusCode.INVALID_ARGUMENT, "still told", trailers=trailers)]
    with pytest.raises(rml_client.InvalidArgument, match="still told") as raised:
        client.run("m", {})
    assert raised.value.violations == ()


def test_a_call_reset_by_a_server_that_shuts_down_is_made_again(fake, client):
    reset = Refusal(grpc.StatusCode.CANCELLED, "CANCELLED")  # what gRPC makes of it
    fake.answers = [reset, echo]
    assert client.run("m", {}).model == "m"
    assert len(fake.requests) == 2
    fake.answers = [reset]
    with pytest.raises(rml_client.Unavailable, match="shutting down"):
        client.run("m", {})


@pytest.mark.parametrize("failures", [1, 3])
def test_unavailable_is_retried(fake, client, failures):
    fake.answers = [Refusal(grpc.StatusCode.UNAVAILABLE)] * failures + [echo]
    assert client.run("m", {"x": np.float32([1])}).outputs["x"] == 1
    assert len(fake.requests) == failures + 1


def test_retries_end(fake, client):
    fake.answers = [Refusal(grpc.StatusCode.UNAVAILABLE, "draining")]
    with pytest.raises(rml_client.Unavailable, match="draining"):
        client.run("m", {})
    assert len(fake.requests) == QUICK.max_attempts


def test_no_retry_begins_that_the_deadline_would_not_let_end(fake):
    fake.answers = [Refusal(grpc.StatusCode.UNAVAILABLE)]
    hours = RetryPolicy(initial_backoff_seconds=3600, max_backoff_seconds=3600)
    with Client(fake.address, retry=hours) as client, pytest.raises(rml_client.Unavailable):
        client.run("m", {}, timeout_seconds=30)
    assert len(fake.requests) == 1


def test_attempts_share_one_deadline(fake, client):
    fake.answers = [Refusal(grpc.StatusCode.UNAVAILABLE)] * 2 + [echo]
    client.run("m", {}, timeout_seconds=15)
    left = fake.seconds_left
    assert len(left) == 3
    assert all(0 < seconds <= 15.1 for seconds in left)


def test_deadline(fake, client):
    fake.answers = [fake.held]
    with pytest.raises(rml_client.DeadlineExceeded):
        client.run("m", {}, timeout_seconds=0.05)
    assert len(fake.requests) == 1


@pytest.mark.parametrize("seconds", [0, -1])
def test_a_deadline_that_is_over_makes_no_call(fake, client, seconds):
    fake.answers = [echo]
    with pytest.raises(rml_client.DeadlineExceeded, match="before the call was made"):
        client.run("m", {}, timeout_seconds=seconds)
    assert not fake.requests


@pytest.mark.parametrize("seconds", [1e9, 1e10, 1e18, float("inf")])
def test_timeouts_of_any_length(fake, client, seconds):
    fake.answers = [echo]
    assert client.run("m", {}, timeout_seconds=seconds).model == "m"
    with Client(fake.address, timeout_seconds=seconds) as patient:
        assert patient.run("m", {}).model == "m"


def test_a_timeout_is_a_number(fake, client):
    fake.answers = [echo]
    with pytest.raises(ValueError, match="nan"):
        client.run("m", {}, timeout_seconds=float("nan"))
    assert not fake.requests


def test_a_server_that_begins_to_listen_between_attempts_is_reached(monkeypatch):
    placeholder = socket.socket()
    placeholder.bind(("127.0.0.1", 0))  # refuses connections
    port = placeholder.getsockname()[1]
    late = FakeServer(answers=[echo])
    servers = []

    def begin_to_listen(seconds):
        if not servers:
            placeholder.close()
            servers.append(start(late, port))
        wait(seconds)

    wait = time.sleep
    monkeypatch.setattr("rml_client.client.time.sleep", begin_to_listen)
    with Client(f"127.0.0.1:{port}", timeout_seconds=20) as client:
        assert client.run("m", {}).model == "m"
    servers[0].stop(grace=None).wait()


def test_nobody_there():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))  # bound but not listening: refused, and nobody else can take it
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        with Client(address, retry=QUICK, timeout_seconds=20) as client, pytest.raises(rml_client.Unavailable):
            client.health()


def test_one_client_serves_many_threads(fake, client):
    fake.answers = [echo]
    results = {}

    def ask(i: int) -> None:
        results[i] = float(client.run("m", {"x": np.float32(i)}).outputs["x"])

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {i: float(i) for i in range(16)}


def test_an_answer_of_unknown_type_is_an_error(fake, client):
    fake.answers = [pb.RunResponse(outputs=[pb.Tensor(name="y", dtype=99, shape=[1], raw=b"1234")])]
    with pytest.raises(ValueError, match="output 'y' has dtype number 99"):
        client.run("m", {})
