"""What a call raises: one class for each status code that rml-server uses, RmlError for all others."""

from dataclasses import dataclass

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

_DETAILS_KEY = "grpc-status-details-bin"


class RmlError(Exception):
    """The server, or gRPC on the way to it, refused a call. `code` is gRPC's; `message` says what was wrong."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(f"{code.name}: {message}")
        self.code = code
        self.message = message


@dataclass(frozen=True)
class FieldViolation:
    """One thing wrong with a request. `field` is a path into it, "inputs[0].shape"."""

    field: str
    description: str


class InvalidArgument(RmlError):
    """The request does not fit the model. `violations` lists what is wrong with it, the first eight at most."""

    def __init__(self, code: grpc.StatusCode, message: str, violations: tuple[FieldViolation, ...] = ()) -> None:
        super().__init__(code, message)
        self.violations = violations


class NotFound(RmlError):
    """No such model or version."""


class FailedPrecondition(RmlError):
    """The model is known but not ready; the message says why."""


class ResourceExhausted(RmlError):
    """The model's queue is full, or a message is larger than allowed."""


class DeadlineExceeded(RmlError):
    """The time given to the call was over before there was an answer."""


class Unavailable(RmlError):
    """Nobody answers there, or the server is shutting down; retried before it is raised."""


class Cancelled(RmlError):
    """The call was cancelled."""


class Unimplemented(RmlError):
    """The server at this address does not offer the method."""


class Internal(RmlError):
    """A defect of the server."""


_CLASSES: dict[grpc.StatusCode, type[RmlError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidArgument,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.FAILED_PRECONDITION: FailedPrecondition,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ResourceExhausted,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceeded,
    grpc.StatusCode.UNAVAILABLE: Unavailable,
    grpc.StatusCode.CANCELLED: Cancelled,
    grpc.StatusCode.UNIMPLEMENTED: Unimplemented,
    grpc.StatusCode.INTERNAL: Internal,
}


def _violations(error: grpc.RpcError) -> tuple[FieldViolation, ...]:
    """From the google.rpc.Status in the trailers; details that cannot be read do not hide the error."""
    found: list[FieldViolation] = []
    for key, value in error.trailing_metadata() or ():
        if key != _DETAILS_KEY:
            continue
        try:
            details = status_pb2.Status.FromString(value).details
        except DecodeError:
            continue
        for detail in details:
            bad_request = error_details_pb2.BadRequest()
            if detail.Unpack(bad_request):
                found += [FieldViolation(v.field, v.description) for v in bad_request.field_violations]
    return tuple(found)


def code_and_message(error: grpc.RpcError) -> tuple[grpc.StatusCode, str]:
    """What grpc or grpc.aio reported, put right where it misleads.

    A call that meets a server in the act of shutting down is reset before it begins, and reported as cancelled. Calls
    that the caller cancels end otherwise, and rml-server says more than the bare word.
    """
    code, message = error.code(), error.details() or ""
    if code is grpc.StatusCode.CANCELLED and message == "CANCELLED":
        return grpc.StatusCode.UNAVAILABLE, "the server is shutting down"
    return code, message


def from_rpc_error(error: grpc.RpcError) -> RmlError:
    """The error to raise for what grpc or grpc.aio raised."""
    code, message = code_and_message(error)
    if code is grpc.StatusCode.INVALID_ARGUMENT:
        return InvalidArgument(code, message, _violations(error))
    return _CLASSES.get(code, RmlError)(code, message)
