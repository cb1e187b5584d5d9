"""An rml server in this process that answers what a test tells it to."""

import threading
from collections.abc import Callable, Iterable
from concurrent import futures
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc

from rml.v1 import inference_pb2 as pb
from rml.v1 import inference_pb2_grpc


@dataclass
class Refusal:
    """An answer with an error; `fields` become a BadRequest, `trailers` replace what carries it."""

    code: grpc.StatusCode
    message: str = "refused"
    fields: Iterable[tuple[str, str]] = ()
    trailers: bytes | None = None

    def trailing_metadata(self) -> tuple[tuple[str, bytes], ...]:
        if self.trailers is not None:
            return (("grpc-status-details-bin", self.trailers),)
        if not self.fields:
            return ()
        bad_request = error_details_pb2.BadRequest()
        for name, description in self.fields:
            bad_request.field_violations.add(field=name, description=description)
        detail = any_pb2.Any()
        detail.Pack(bad_request)
        status = status_pb2.Status(code=self.code.value[0], message=self.message, details=[detail])
        return (("grpc-status-details-bin", status.SerializeToString()),)


@dataclass
class FakeServer(inference_pb2_grpc.InferenceServicer, health_pb2_grpc.HealthServicer):
    """Answers each call with the next of `answers`, the last one again and again.

    An answer is a message, a Refusal, or a function of the request; `held` is one that waits until the server stops.
    """

    answers: list[Any] = field(default_factory=list)
    requests: list[Any] = field(default_factory=list)
    seconds_left: list[float | None] = field(default_factory=list)
    arrived: threading.Event = field(default_factory=threading.Event)
    stopping: threading.Event = field(default_factory=threading.Event)
    address: str = ""

    def held(self, _request: Any) -> pb.RunResponse:
        self.arrived.set()
        self.stopping.wait()
        return pb.RunResponse()

    def _answer(self, request: Any, context: grpc.ServicerContext) -> Any:
        answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
        self.requests.append(request)
        self.seconds_left.append(context.time_remaining())
        if isinstance(answer, Refusal):
            context.set_trailing_metadata(answer.trailing_metadata())
            context.abort(answer.code, answer.message)
        return answer(request) if isinstance(answer, Callable) else answer

    def Run(self, request, context):  # noqa: N802  # gRPC's name
        return self._answer(request, context)

    Profile = ListModels = GetModel = Check = Run


def start(fake: FakeServer, port: int = 0) -> grpc.Server:
    server = grpc.server(futures.ThreadPoolExecutor(4))
    inference_pb2_grpc.add_InferenceServicer_to_server(fake, server)
    health_pb2_grpc.add_HealthServicer_to_server(fake, server)
    fake.address = f"127.0.0.1:{server.add_insecure_port(f'127.0.0.1:{port}')}"
    server.start()
    return server


def echo(request: pb.RunRequest) -> pb.RunResponse:
    """Inputs come back as outputs of the same type, under their names."""
    return pb.RunResponse(
        model=request.model,
        version=request.version or 7,
        request_id=request.request_id,
        outputs=request.inputs,
        timing=pb.Timing(queue_seconds=0.25, compute_seconds=0.5),
    )


def health(status: int) -> health_pb2.HealthCheckResponse:
    return health_pb2.HealthCheckResponse(status=status)
