"""Far servers, wrong servers, IPv6, and what arrives at the gRPC port that is no gRPC."""

import json

import grpc
import pytest

import rml_client
from tests.e2e import network
from tests.e2e.models import golden
from tests.e2e.running_server import SECONDS, run


def test_a_far_server_is_reached(demo):
    with network.listening(network.far(demo.grpc, seconds=0.3)) as address:
        result = run("rml", "--server", address, "models")
        assert result.returncode == 0, result.stderr
        with rml_client.Client(address, timeout_seconds=SECONDS) as client:
            assert client.health() is rml_client.Health.SERVING


@pytest.mark.parametrize("serve", [network.hang_up, network.http, network.noise], ids=lambda serve: serve.__name__)
def test_what_is_no_grpc_server_cannot_be_reached(serve):
    with network.listening(serve) as address:
        result = run("rml", "--server", address, "models")
        assert result.returncode == 3
        assert address in result.stderr


def test_a_server_that_does_not_answer():
    with network.listening(network.silent_after_the_handshake) as address:
        result = run("rml", "--server", address, "--timeout", "0.5", "models")
        assert result.returncode == 1
        assert f"{address}: no answer within 0.5 s" in result.stderr


@pytest.mark.parametrize("host", ["::1", "[::1]", "::"])
def test_ipv6(start, host):
    server = start("--demo", "--host", host)
    port = server.grpc.rsplit(":", 1)[1]
    assert server.grpc == f"{'[::]' if host == '::' else '[::1]'}:{port}"
    assert run("rml", "--server", f"[::1]:{port}", "models").returncode == 0
    http_port = server.http.rsplit(":", 1)[1]
    server.http = f"[::1]:{http_port}"
    assert server.get("/readyz")[0] == 200
    if host == "::":  # IPv4 as well
        assert run("rml", "--server", f"127.0.0.1:{port}", "models").returncode == 0
        server.http = f"127.0.0.1:{http_port}"
        assert server.get("/readyz")[0] == 200


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
NOT_GRPC = {
    "nothing": b"",
    "HTTP/1.1": b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(508),
    "noise": bytes(range(256)) * 256,
    "half a preface": PREFACE[:10],
    "data on no stream": PREFACE + b"\x00\x00\x01\x00\x00\x00\x00\x00\x01x",
    "a frame of 16 MiB": PREFACE + b"\xff\xff\xff\x00\x00\x00\x00\x00\x01",
    "broken headers": PREFACE + b"\x00\x00\x04\x01\x04\x00\x00\x00\x01\xff\xff\xff\xff",
}


@pytest.mark.parametrize("data", NOT_GRPC.values(), ids=NOT_GRPC)
def test_what_is_no_grpc_leaves_the_server_as_it_was(demo, client, data):
    for _ in range(20):
        network.send(demo.grpc, data)
    reference = golden("mlp")
    assert client.run("mlp", reference.inputs).model == "mlp"


def test_requests_that_are_none_leave_no_trace_in_the_log(start):
    server = start("--demo", "--log-format", "json")
    with grpc.insecure_channel(server.grpc) as channel:
        for request in (b"\x0a\x01\xff", b"\xff", b"\x22\x03\x0a\x01\xff"):
            with pytest.raises(grpc.RpcError) as raised:
                channel.unary_unary("/rml.v1.Inference/Run")(request, timeout=SECONDS)
            assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert "the request is no rml.v1.RunRequest" in raised.value.details()
    assert 'rml_requests_total{model="",version="",method="Run",code="INVALID_ARGUMENT"} 3' in server.get("/metrics")[1]
    assert server.stop() == 0
    lines = [json.loads(line) for line in server.log.read_text().splitlines()]
    assert [line["message"] for line in lines if line["level"] != "info"] == []


def test_compressed_requests_are_refused(demo):
    with grpc.insecure_channel(demo.grpc, compression=grpc.Compression.Gzip) as channel:
        call = channel.unary_unary("/rml.v1.Inference/Run")
        with pytest.raises(grpc.RpcError) as raised:
            call(b"\x0a\x03mlp\x1a\xa0\x8d\x06" + b"i" * 100_000, timeout=SECONDS)
    assert raised.value.code() is grpc.StatusCode.UNIMPLEMENTED
