"""Full disks, closed streams, missing files and too little memory: a clear error and no crash."""

import json
import os
import resource
import shutil

import numpy as np
import pytest
from rml_export.safetensors_file import serialize

import rml_client
from rml.v1 import inference_pb2 as pb
from tests.e2e import faults
from tests.e2e.models import add_fixture, golden
from tests.e2e.running_server import ROOT, SECONDS, RunningServer

MLP = ROOT / "models/mlp/1/model.json"
GOLDEN = ROOT / "models/mlp/1/golden.safetensors"
PRINTING = {
    "models": (["rml", "models"], 1),
    "models --json": (["rml", "--json", "models"], 1),
    "run": (["rml", "run", "mlp", "--random"], 1),
    "profile": (["rml", "profile", "mlp", "--iterations", "1"], 1),
    "inspect": (["rml", "inspect", MLP], 1),
    "graph-run": (["rml-graph-run", MLP], 2),
    "help": (["rml", "--help"], 1),
    "version": (["rml-server", "--version"], 1),
}


@pytest.mark.parametrize("command", PRINTING)
@pytest.mark.parametrize("output", faults.OUTPUTS, ids=lambda output: output.__name__)
def test_what_cannot_be_printed_is_an_error(demo, output, command):
    (program, *arguments), code = PRINTING[command]
    to = output()
    result = faults.run(
        program, *arguments, prefix=to.command, stdout=to.fd, env={**os.environ, "RML_SERVER": demo.grpc}
    )
    os.close(to.fd)
    assert result.returncode == code
    assert result.stderr == f"{program}: writing to standard output: {to.reason}\n"


WRITING = {
    "rml": (["rml", "run", "mlp", "--inputs", GOLDEN, "--output"], 1),
    "rml-graph-run": (["rml-graph-run", MLP, "--output"], 2),
}


@pytest.fixture(params=WRITING)
def write(request, demo):
    """Runs a program that writes a file: its result, and the exit code that it has for errors."""
    (program, *arguments), code = WRITING[request.param]
    environment = {**os.environ, "RML_SERVER": demo.grpc}
    return lambda path, **popen: (faults.run(program, *arguments, path, env=environment, **popen), code)


def test_a_file_beyond_the_limit(write, tmp_path):
    (tmp_path / "y").write_bytes(b"old")
    result, code = write(tmp_path / "y", preexec_fn=faults.limit(resource.RLIMIT_FSIZE, 16))
    assert result.returncode == code
    assert "writing file 'y': File too large" in result.stderr
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"y": b"old"}


def test_a_full_disk(write, tmp_path):
    prefix = faults.namespace(f"mount -t tmpfs -o size=8k tmpfs {tmp_path}", f"echo old >{tmp_path}/y")
    fill = [
        "sh",
        "-c",
        f'cat /dev/zero >{tmp_path}/fill 2>/dev/null; "$@"; code=$?; ls {tmp_path} >&2; '
        f"cat {tmp_path}/y >&2; exit $code",
        "sh",
    ]
    result, code = write(tmp_path / "y", prefix=[*prefix, *fill])
    assert result.returncode == code
    assert "file 'y': No space left on device" in result.stderr
    assert result.stderr.endswith("fill\ny\nold\n")


def test_a_folder_that_may_not_be_written_to(write, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "y").write_bytes(b"old")
    folder.chmod(0o555)
    faults.let_everybody_in(tmp_path)
    result, code = write(folder / "y", **faults.unprivileged())
    assert result.returncode == code
    assert "creating file 'y': Permission denied" in result.stderr
    assert [path.read_bytes() for path in folder.iterdir()] == [b"old"]


@pytest.mark.parametrize("path", ["/dev/full", "/dev/null", "."])
def test_only_files_are_written(write, path):
    result, code = write(path)
    assert result.returncode == code
    assert "is no regular file" in result.stderr


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (os.mkfifo, "'x.safetensors' is no regular file"),
        (lambda path: path.mkdir(), "'x.safetensors' is no regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "'x.safetensors' is no regular file"),
        (lambda path: path.symlink_to(path.name), "Too many levels of symbolic links"),
        (lambda path: path.write_bytes(b""), "has 0 bytes; expected at least 8"),
        (lambda path: path.symlink_to("/proc/self/mem"), "Input/output error"),
    ],
    ids=["pipe", "folder", "device", "link to itself", "empty", "failing device"],
)
@pytest.mark.parametrize("suffix", [".safetensors", ".npz"])
def test_inputs_that_cannot_be_read(demo, tmp_path, make, said, suffix):
    path = tmp_path / f"x{suffix}"
    make(path)
    result = faults.run("rml", "run", "mlp", "--inputs", path, env={**os.environ, "RML_SERVER": demo.grpc})
    assert result.returncode == 1
    if suffix == ".npz" and path.exists() and path.is_file() and not path.is_symlink():
        said = "there is no end record"
    assert said.replace(".safetensors", suffix) in result.stderr


def run_mlp(server):
    with server.client() as client:
        assert client.run("mlp", golden("mlp").inputs).model == "mlp"


@pytest.mark.parametrize("output", faults.OUTPUTS, ids=lambda output: output.__name__)
def test_a_server_that_cannot_print_serves(tmp_path, output):
    with faults.server_without_stdout(output(), tmp_path / "ports.json") as (process, address):
        with rml_client.Client(address, timeout_seconds=SECONDS) as client:
            assert client.run("mlp", golden("mlp").inputs).model == "mlp"
        process.terminate()
        assert process.wait(SECONDS) == 0


@pytest.mark.parametrize("stream", ["2>/dev/full", "2>&-", "0<&- 2>&-"])
def test_a_server_that_cannot_log_serves(tmp_path, stream):
    prefix = ["sh", "-c", f'exec "$@" {stream}', "sh"]
    with RunningServer(tmp_path / "log", "--demo", prefix=prefix) as server:
        run_mlp(server)
        assert server.get("/readyz")[0] == 200
        assert server.stop() == 0


def test_a_repository_that_may_only_be_read(tmp_path):
    who = faults.unprivileged()
    repository = tmp_path / "models"
    add_fixture(repository, "torch_mlp")
    for path in [*repository.rglob("*"), repository]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    faults.let_everybody_in(tmp_path)
    with RunningServer(tmp_path / "log", "--model-repository", repository, **who) as server:
        assert (server.ready_models, server.failed_models) == (1, 0)


def test_a_model_folder_that_goes_away_while_it_is_served(start, tmp_path):
    add_fixture(tmp_path / "models", "torch_mlp")
    server = start("--model-repository", tmp_path / "models")
    weights = tmp_path / "models/torch_mlp/1/model.safetensors"
    os.truncate(weights, 0)
    shutil.rmtree(tmp_path / "models")
    with server.client() as client:
        outputs = client.run("torch_mlp", golden("torch_mlp").inputs)
        assert outputs.model == "torch_mlp"
        assert client.get_model("torch_mlp").state == pb.READY


def write_wide(folder, rows):
    """exp(x * w) with x [rows, 1] and w [1, 65536]: a row of 4 bytes takes 512 KiB to answer. `rows` may be "B"."""
    folder.mkdir(parents=True)
    weights = serialize({"w": np.zeros((1, 65536), np.float32)})
    (folder / "model.safetensors").write_bytes(weights)
    wide = {"dtype": "f32", "shape": [rows, 65536]}
    graph = {
        "format": "rml-graph",
        "version": 1,
        "inputs": [{"id": 0, "name": "x", "dtype": "f32", "shape": [rows, 1]}],
        "constants": [{"id": 1, "name": "w", "dtype": "f32", "shape": [1, 65536]}],
        "nodes": [{"op": "matmul", "in": [0, 1], "out": [2]}, {"op": "exp", "in": [2], "out": [3]}],
        "values": [{"id": 2, **wide}, {"id": 3, **wide}],
        "outputs": [{"id": 3, "name": "y"}],
    }
    if rows == "B":
        graph["symbols"] = {"B": {"min": 1, "max": 1 << 24}}
    (folder / "model.json").write_text(json.dumps(graph))
    return folder


def test_a_request_that_needs_too_much_memory_fails_alone(start, tmp_path):
    write_wide(tmp_path / "models/wide/1", "B")
    server = start("--model-repository", tmp_path / "models", "--instances", "1")
    rows = 1 << 23  # 32 MiB to send, 2 TiB to compute
    with server.client() as client:
        for _ in range(2):
            with pytest.raises(
                rml_client.ResourceExhausted, match=r"model 'wide' version 1: .*out of memory: 2199023255552"
            ):
                client.run("wide", {"x": np.zeros((rows, 1), np.float32)})
            with pytest.raises(rml_client.ResourceExhausted, match=r"model 'wide' version 1: .*out of memory: "):
                client.profile("wide", rows=1 << 24)
            np.testing.assert_array_equal(
                client.run("wide", {"x": np.zeros((3, 1), np.float32)}).outputs["y"], np.ones((3, 65536))
            )
        assert client.health("wide") is rml_client.Health.SERVING


def test_a_model_that_needs_too_much_memory_fails_alone(start, tmp_path):
    write_wide(tmp_path / "models/wide/1", 1 << 24)
    add_fixture(tmp_path / "models", "torch_mlp")
    server = start("--model-repository", tmp_path / "models")
    assert (server.ready_models, server.failed_models) == (1, 1)
    with server.client() as client:
        reason = client.get_model("wide").reason
        assert "working memory for 1 row: out of memory: 4398046511104 bytes are needed and " in reason
        assert "besides 0 bytes of constants and 262144 of packed weights" in reason
        client.run("torch_mlp", golden("torch_mlp").inputs)


def test_a_tool_within_a_limit_of_memory(tmp_path):
    graph = write_wide(tmp_path / "wide", "B") / "model.json"
    within = {"preexec_fn": faults.limit(resource.RLIMIT_AS, 2 << 30)}
    result = faults.run("rml-graph-run", graph, "--batch", "16384", **within)
    assert result.returncode == 2
    assert "rml-graph-run: output 'y' of shape [16384, 65536]: out of memory: 4294967296 bytes " in result.stderr
    assert faults.run("rml-graph-run", graph, "--batch", "16", **within).returncode == 0
