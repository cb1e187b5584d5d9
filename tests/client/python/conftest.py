import pytest

from rml_client import Client, RetryPolicy
from tests.client.python.fake_server import FakeServer, start

QUICK = RetryPolicy(max_attempts=4, initial_backoff_seconds=0.001, max_backoff_seconds=0.004)


@pytest.fixture
def fake():
    fake = FakeServer()
    server = start(fake)
    yield fake
    fake.stopping.set()
    server.stop(grace=None).wait()


@pytest.fixture
def client(fake):
    with Client(fake.address, retry=QUICK, timeout_seconds=20) as client:
        yield client
