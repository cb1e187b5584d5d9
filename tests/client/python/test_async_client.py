"""The asyncio client: the same answers and errors, without blocking the loop."""

import asyncio

import grpc
import numpy as np
import pytest

import rml_client
from rml.v1 import inference_pb2 as pb
from rml_client import AsyncClient, Health
from tests.client.python.conftest import QUICK
from tests.client.python.fake_server import Refusal, echo, health


def with_client(fake, use):
    """The result of `await use(client)`."""

    async def main():
        async with AsyncClient(fake.address, retry=QUICK, timeout_seconds=20) as client:
            return await use(client)

    return asyncio.run(main())


def test_run(fake):
    fake.answers = [echo]
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    result = with_client(fake, lambda client: client.run("m", {"x": array}, request_id="mine"))
    np.testing.assert_array_equal(result.outputs["x"], array)
    assert result.request_id == "mine"


def test_many_runs_at_once(fake):
    fake.answers = [echo]

    async def use(client):
        results = await asyncio.gather(*(client.run("m", {"x": np.float32(i)}) for i in range(32)))
        return [float(result.outputs["x"]) for result in results]

    assert with_client(fake, use) == list(range(32))


@pytest.mark.parametrize(
    ("answer", "call", "expected"),
    [
        (pb.ProfileResponse(model="m"), lambda client: client.profile("m"), pb.ProfileResponse(model="m")),
        (pb.ListModelsResponse(models=[pb.Model(name="a")]), lambda client: client.list_models(), [pb.Model(name="a")]),
        (pb.GetModelResponse(model=pb.Model(name="a")), lambda client: client.get_model("a"), pb.Model(name="a")),
        (health(1), lambda client: client.health(), Health.SERVING),
    ],
    ids=["profile", "list_models", "get_model", "health"],
)
def test_other_calls(fake, answer, call, expected):
    fake.answers = [answer]
    assert with_client(fake, call) == expected


def test_errors_carry_fields(fake):
    fake.answers = [Refusal(grpc.StatusCode.INVALID_ARGUMENT, "bad", fields=[("inputs", "missing")])]
    with pytest.raises(rml_client.InvalidArgument, match="bad") as raised:
        with_client(fake, lambda client: client.run("m", {}))
    assert raised.value.violations == (rml_client.FieldViolation("inputs", "missing"),)
    assert len(fake.requests) == 1


def test_unavailable_is_retried(fake):
    fake.answers = [Refusal(grpc.StatusCode.UNAVAILABLE)] * 2 + [echo]
    with_client(fake, lambda client: client.run("m", {}))
    assert len(fake.requests) == 3


def test_retries_end(fake):
    fake.answers = [Refusal(grpc.StatusCode.UNAVAILABLE)]
    with pytest.raises(rml_client.Unavailable):
        with_client(fake, lambda client: client.run("m", {}))
    assert len(fake.requests) == QUICK.max_attempts


def test_deadline(fake):
    fake.answers = [fake.held]
    with pytest.raises(rml_client.DeadlineExceeded):
        with_client(fake, lambda client: client.run("m", {}, timeout_seconds=0.05))


def test_a_cancelled_task_is_cancelled(fake):
    fake.answers = [fake.held]

    async def use(client):
        task = asyncio.ensure_future(client.run("m", {}))
        await asyncio.to_thread(fake.arrived.wait)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        with_client(fake, use)
