"""The client for programs that wait for their answers."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

import grpc
from grpc_health.v1 import health_pb2
from numpy.typing import ArrayLike

from rml.v1 import inference_pb2 as pb
from rml_client import messages
from rml_client.connection import Connection
from rml_client.errors import from_rpc_error
from rml_client.messages import Health, RunResult


class Client(Connection):
    """Talks to one server over one connection. Thread-safe; close it, or use it in a `with` statement."""

    _open_channel = staticmethod(grpc.insecure_channel)

    def close(self) -> None:
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(
        self,
        model: str,
        inputs: Mapping[str, ArrayLike],
        *,
        version: int = 0,
        outputs: Sequence[str] = (),
        request_id: str = "",
        timeout_seconds: float | None = None,
    ) -> RunResult:
        """Runs a model once. version 0: the highest that is ready; outputs empty: all of them."""
        request = messages.run_request(model, inputs, version, outputs, request_id)
        return messages.run_result(self._call(self._inference.Run, request, timeout_seconds))

    def profile(
        self,
        model: str,
        inputs: Mapping[str, ArrayLike] | None = None,
        *,
        version: int = 0,
        rows: int = 0,
        iterations: int = 0,
        threads: int = 0,
        timeout_seconds: float | None = None,
    ) -> pb.ProfileResponse:
        """What each step costs, on these inputs, or zeros if rows are given, or the golden inputs, if any."""
        request = messages.profile_request(model, inputs, version, rows, iterations, threads)
        return self._call(self._inference.Profile, request, timeout_seconds)

    def list_models(self, *, timeout_seconds: float | None = None) -> list[pb.Model]:
        """All models and versions that the server knows, also those that failed; by name, then version."""
        response = self._call(self._inference.ListModels, pb.ListModelsRequest(), timeout_seconds)
        return list(response.models)

    def get_model(self, name: str, *, version: int = 0, timeout_seconds: float | None = None) -> pb.Model:
        """One model with its passes. version 0: the highest that is ready, else the highest."""
        request = pb.GetModelRequest(name=name, version=version)
        return self._call(self._inference.GetModel, request, timeout_seconds).model

    def health(self, service: str = "", *, timeout_seconds: float | None = None) -> Health:
        """Of the server (""), of "rml.v1.Inference" or of a model by its name. NotFound: there is no such name."""
        request = health_pb2.HealthCheckRequest(service=service)
        return Health(self._call(self._health.Check, request, timeout_seconds).status)

    def _call(self, method: Any, request: Any, timeout_seconds: float | None) -> Any:
        attempts = self._attempts(timeout_seconds)
        while True:
            try:
                return method(request, timeout=attempts.next_timeout())
            except grpc.RpcError as error:
                wait = attempts.wait_after(error)
                if wait is None:
                    raise from_rpc_error(error) from error
            time.sleep(wait)
