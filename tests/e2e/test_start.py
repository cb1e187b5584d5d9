"""Starting the server: what it refuses, and models that fail beside others."""

import json
import os
import socket

import pytest

import rml_client
from rml.v1 import inference_pb2 as pb
from tests.e2e.models import add_fixture, golden
from tests.e2e.running_server import run

FREE = ("--port", "0", "--http-port", "0")


@pytest.fixture
def taken():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


@pytest.mark.parametrize("flag", ["--port", "--http-port"])
def test_a_taken_port_is_named(taken, flag):
    other = "--http-port" if flag == "--port" else "--port"
    result = run("rml-server", "--demo", flag, str(taken), other, "0")
    assert result.returncode == 1
    assert str(taken) in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "expected --model-repository DIR, --model NAME=DIR or --demo"),
        (("--demo", "--model-repository", "."), "--model-repository"),
        (("--demo", "--port", "65536"), "--port"),
        (("--demo", "--instances", "0"), "--instances"),
        (("--demo", "--disable-pass", "nothing"), "--disable-pass"),
        (("--demo", "--log-format", "xml"), "--log-format"),
        (("--model", "no-equals-sign", *FREE), "no-equals-sign"),
        (("--nothing",), "--nothing"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_usage_errors(arguments, said):
    result = run("rml-server", *arguments)
    assert result.returncode == 2
    assert said in result.stderr


def test_an_unknown_instruction_set_is_a_usage_error():
    result = run("rml-server", "--demo", *FREE, RML_ISA="nothing")
    assert result.returncode == 2
    assert "nothing" in result.stderr


def test_a_repository_that_is_not_there(tmp_path):
    result = run("rml-server", "--model-repository", str(tmp_path / "missing"), *FREE)
    assert result.returncode == 1
    assert str(tmp_path / "missing") in result.stderr


def test_the_port_file(start, tmp_path):
    server = start("--demo", "--port-file", tmp_path / "ports.json")
    ports = json.loads((tmp_path / "ports.json").read_text())
    assert ports == {"grpc": int(server.grpc.split(":")[1]), "http": int(server.http.split(":")[1])}


def test_an_old_port_file_is_gone_before_there_is_a_new_one(tmp_path):
    old = tmp_path / "ports.json"
    old.write_text('{"grpc": 1, "http": 2}')
    assert run("rml-server", "--model-repository", tmp_path / "missing", "--port-file", old, *FREE).returncode == 1
    assert not old.exists()


@pytest.mark.parametrize("path", ["missing/ports.json", "folder", "folder/", "pipe", "link"])
def test_a_port_file_that_cannot_be_written_is_an_error_at_the_start(tmp_path, path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/stdout")
    result = run("rml-server", "--demo", "--port-file", f"{tmp_path}/{path}", *FREE)
    assert result.returncode == 1
    assert f"cannot write the port file '{tmp_path}/{path}'" in result.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder", "link", "pipe"]


def test_one_folder_under_a_name(start, tmp_path):
    folder = add_fixture(tmp_path / "models", "torch_mlp")
    server = start("--model", f"mine={folder}")
    with server.client() as client:
        assert [(model.name, model.version) for model in client.list_models()] == [("mine", 1)]
        assert client.run("mine", golden("torch_mlp").inputs).model == "mine"


def change_graph(folder):
    path = folder / "model.json"
    path.write_text(path.read_text().replace('"matmul"', '"no_such_op"', 1))


def cut_weights(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-8])


def change_weights(folder):
    path = folder / "model.safetensors"
    data = bytearray(path.read_bytes())
    data[-1] ^= 0xFF
    path.write_bytes(data)


def change_golden(folder):
    path = folder / "golden.safetensors"
    data = bytearray(path.read_bytes())
    data[-1] ^= 0x40  # the exponent of the last element
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (change_graph, "no_such_op"),
        (cut_weights, "model.safetensors"),
        (change_weights, "crc32"),
        (change_golden, "golden"),
        (lambda folder: (folder / "model.json").write_text("{"), "model.json"),
        (lambda folder: (folder / "model.json").unlink(), "model.json"),
    ],
    ids=["op", "short weights", "changed weights", "golden", "no json", "no graph"],
)
def test_a_broken_model_stops_no_other(start, tmp_path, damage, reason):
    add_fixture(tmp_path / "models", "torch_mlp")
    damage(add_fixture(tmp_path / "models", "torch_mlp", "broken"))
    server = start("--model-repository", tmp_path / "models")
    assert (server.ready_models, server.failed_models) == (1, 1)
    with server.client() as client:
        broken, good = client.list_models()
        assert (broken.name, broken.state, good.state) == ("broken", pb.FAILED, pb.READY)
        assert reason in broken.reason
        with pytest.raises(rml_client.FailedPrecondition, match="broken"):
            client.run("broken", golden("torch_mlp").inputs)
        assert client.health("broken") is rml_client.Health.NOT_SERVING
        assert client.health() is rml_client.Health.SERVING
        client.run("torch_mlp", golden("torch_mlp").inputs)
    assert server.get("/readyz")[0] == 200


def test_without_a_single_good_model_the_server_lives_but_is_not_ready(start, tmp_path):
    change_graph(add_fixture(tmp_path / "models", "torch_mlp"))
    server = start("--model-repository", tmp_path / "models")
    status, body = server.get("/readyz")
    assert (status, server.get("/livez")[0]) == (503, 200)
    assert "no model is ready" in body
