"""rml-loadtest against the real server; servers that misbehave, which make a run INVALID, are in tests/loadtest."""

import json
import re
import subprocess
from xml.etree import ElementTree

import pytest

from tests.e2e.models import golden
from tests.e2e.running_server import BIN, SECONDS, run

# Limits that a busy machine would break are far away: nothing here tests times.
PATIENT = ("--warm-up", "0", "--duration", "50", "--max-silence", "30", "--max-lateness", "1e9")


def loadtest(server, *arguments):
    return run("rml-loadtest", *PATIENT, "--json", *arguments, RML_SERVER=server.grpc)


@pytest.fixture
def bare():
    """The address of rml-bare-server."""
    command = [BIN / "rml-bare-server", golden("mlp").file, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().strip().removeprefix("rml-bare-server ready grpc=")
        process.terminate()
        assert process.wait(SECONDS) == 0


def model(name, weight=1):
    return ("--model", f"{name}:{weight}={golden(name).file}")


def test_server_is_valid(demo):
    result = loadtest(demo, *model("mlp", 3), *model("cnn"), "--workers", "4", "--requests", "700")
    assert (result.returncode, result.stderr) == (0, "")
    report = json.loads(result.stdout)
    step = report["steps"][0]
    assert report["valid"]
    assert step["latency_ms"]["count"] == 700
    assert step["server"]["pid"] == demo.process.pid
    for stats in step["models"]:
        assert stats["other_bits"] == stats["wrong"] == stats["errors"] == 0
        assert stats["compute_ms"]["count"] == stats["latency_ms"]["count"] > 100


def test_requests_that_fail_are_invalid(demo):
    """The inputs of another model: one tensor, too, but of another shape."""
    result = loadtest(demo, "--model", f"mlp={golden('lstm').file}", "--rate", "1e5", "--requests", "3")
    assert result.returncode == 1
    report = json.loads(result.stdout)
    assert report["steps"][0]["errors"]["INVALID_ARGUMENT"]["count"] == 3
    assert any("3 of 3 requests failed (3 INVALID_ARGUMENT)" in reason for reason in report["invalid"])


def test_page_with_plots(bare, tmp_path):
    page = tmp_path / "report.html"
    load = ("--workers", "4", "--requests", "700", "--html", page)
    result = run("rml-loadtest", *PATIENT, *model("mlp"), *load, RML_SERVER=bare)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith("\nVALID\n")
    html = page.read_text()
    plots = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    assert len(plots) == 3
    for plot in plots:
        assert ElementTree.fromstring(plot).findall("{*}polyline")


def test_page_that_cannot_be_written(bare, tmp_path):
    load = ("--workers", "1", "--requests", "1", "--html", tmp_path / "nothing/report.html")
    result = run("rml-loadtest", *PATIENT, *model("mlp"), *load, RML_SERVER=bare)
    assert result.returncode == 2
    assert "report.html" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--workers", "1"), 1, "model 'nothing': 127.0.0.1:1: "),
        (("--workers", "1", "--server", "10.0.0.1"), 2, "10.0.0.1:8001 is not this machine"),
        ((), 2, "no load: give --workers N or --rate RATE"),
    ],
)
def test_errors(arguments, code, message):
    file = golden("mlp").file
    result = run("rml-loadtest", "--model", f"nothing={file}", *arguments, RML_SERVER="127.0.0.1:1")
    assert (result.returncode, result.stdout) == (code, "")
    assert message in result.stderr
