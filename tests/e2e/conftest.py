import pytest

from tests.e2e.models import TORCH, add_fixture
from tests.e2e.running_server import RunningServer


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """A server of the bundled models, for tests that leave it as it is."""
    with RunningServer(tmp_path_factory.mktemp("demo") / "log", "--demo") as server:
        yield server
        assert server.stop() == 0


@pytest.fixture(scope="session")
def fixtures(tmp_path_factory):
    """A server of all fixtures exported from PyTorch."""
    folder = tmp_path_factory.mktemp("fixtures")
    for fixture in TORCH:
        add_fixture(folder / "models", fixture)
    with RunningServer(folder / "log", "--model-repository", folder / "models") as server:
        yield server
        assert server.stop() == 0


@pytest.fixture
def client(demo):
    with demo.client() as client:
        yield client


@pytest.fixture
def start(tmp_path):
    """Starts servers of a test's own and ends them with it."""
    servers = []

    def start(*arguments):
        servers.append(RunningServer(tmp_path / f"log.{len(servers)}", *arguments))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()
