"""The client for asyncio programs."""

import asyncio
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


class AsyncClient(Connection):
    """Client with `await`: to be made and used in one event loop; close it, or use it in an `async with` statement."""

    _open_channel = staticmethod(grpc.aio.insecure_channel)

    async def close(self) -> None:
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def run(
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
        return messages.run_result(await self._call(self._inference.Run, request, timeout_seconds))

    async def profile(
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
        return await self._call(self._inference.Profile, request, timeout_seconds)

    async def list_models(self, *, timeout_seconds: float | None = None) -> list[pb.Model]:
        """All models and versions that the server knows, also those that failed; by name, then version."""
        response = await self._call(self._inference.ListModels, pb.ListModelsRequest(), timeout_seconds)
        return list(response.models)

    async def get_model(self, name: str, *, version: int = 0, timeout_seconds: float | None = None) -> pb.Model:
        """One model with its passes. version 0: the highest that is ready, else the highest."""
        request = pb.GetModelRequest(name=name, version=version)
        return (await self._call(self._inference.GetModel, request, timeout_seconds)).model

    async def health(self, service: str = "", *, timeout_seconds: float | None = None) -> Health:
        """Of the server (""), of "rml.v1.Inference" or of a model by its name. NotFound: there is no such name."""
        request = health_pb2.HealthCheckRequest(service=service)
        return Health((await self._call(self._health.Check, request, timeout_seconds)).status)

    async def _call(self, method: Any, request: Any, timeout_seconds: float | None) -> Any:
        attempts = self._attempts(timeout_seconds)
        while True:
            try:
                return await method(request, timeout=attempts.next_timeout())
            except grpc.aio.AioRpcError as error:
                wait = attempts.wait_after(error)
                if wait is None:
                    raise from_rpc_error(error) from error
            await asyncio.sleep(wait)
