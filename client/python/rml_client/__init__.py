"""Client of rml-server: NumPy arrays in and out.

    with Client("127.0.0.1:8001") as client:
        result = client.run("mlp", {"x": numpy.zeros((2, 12), numpy.float32)})
        result.outputs["logits"]

AsyncClient is the same with `await`. Errors are subclasses of RmlError; see errors.py.
"""

from rml_client.async_client import AsyncClient
from rml_client.client import Client
from rml_client.errors import (
    Cancelled,
    DeadlineExceeded,
    FailedPrecondition,
    FieldViolation,
    Internal,
    InvalidArgument,
    NotFound,
    ResourceExhausted,
    RmlError,
    Unavailable,
    Unimplemented,
)
from rml_client.messages import Health, RunResult
from rml_client.retry import RetryPolicy

__all__ = [
    "AsyncClient",
    "Cancelled",
    "Client",
    "DeadlineExceeded",
    "FailedPrecondition",
    "FieldViolation",
    "Health",
    "Internal",
    "InvalidArgument",
    "NotFound",
    "ResourceExhausted",
    "RetryPolicy",
    "RmlError",
    "RunResult",
    "Unavailable",
    "Unimplemented",
]
