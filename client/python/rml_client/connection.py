"""What both clients are made of: a channel to one server, its stubs, and the attempts that a call has."""

from collections.abc import Callable
from typing import Any, ClassVar

from grpc_health.v1 import health_pb2_grpc

from rml.v1 import inference_pb2_grpc
from rml_client.channel import DEFAULT_ADDRESS, DEFAULT_TIMEOUT_SECONDS, channel_options, with_port
from rml_client.retry import Attempts, RetryPolicy


class Connection:
    """Base of Client and AsyncClient."""

    _open_channel: ClassVar[Callable[..., Any]]  # grpc's or grpc.aio's

    def __init__(
        self,
        address: str = DEFAULT_ADDRESS,
        *,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        retry: RetryPolicy | None = None,
    ) -> None:
        """
        address          "host:port" of rml-server's gRPC port, "host" for port 8001; ValueError for anything else
        timeout_seconds  for a call that names no other, retries and waits between them included
        retry            what happens after UNAVAILABLE; all other errors are raised at once
        """
        self._timeout_seconds = timeout_seconds
        self._retry = retry or RetryPolicy()
        self._channel = self._open_channel(with_port(address), options=channel_options())
        self._inference = inference_pb2_grpc.InferenceStub(self._channel)
        self._health = health_pb2_grpc.HealthStub(self._channel)

    def _attempts(self, timeout_seconds: float | None) -> Attempts:
        return Attempts(self._retry, self._timeout_seconds if timeout_seconds is None else timeout_seconds)
