"""Between NumPy arrays and the messages of rml.v1; what the two clients send and return."""

import enum
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from grpc_health.v1 import health_pb2
from numpy.typing import ArrayLike

from rml.v1 import inference_pb2 as pb

assert sys.byteorder == "little", "raw contents are little-endian"

_TO_DTYPE = {np.dtype(np.float32): pb.F32, np.dtype(np.int32): pb.I32, np.dtype(np.int64): pb.I64}
_FROM_DTYPE = {number: dtype for dtype, number in _TO_DTYPE.items()}


@dataclass(frozen=True)
class RunResult:
    """The answer to a Run: arrays by output name, in the model's order or that asked for, and where the time went."""

    outputs: dict[str, np.ndarray]
    model: str
    version: int
    request_id: str
    queue_seconds: float
    compute_seconds: float


class Health(enum.Enum):
    """Of the server as a whole (service "") or of one service or model."""

    UNKNOWN = health_pb2.HealthCheckResponse.UNKNOWN
    SERVING = health_pb2.HealthCheckResponse.SERVING
    NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
    SERVICE_UNKNOWN = health_pb2.HealthCheckResponse.SERVICE_UNKNOWN


def to_tensor(name: str, value: ArrayLike) -> pb.Tensor:
    """float32, int32 and int64 as they are; Python numbers become float32 or int64. TypeError for all other types:
    nothing is rounded unasked."""
    array = np.asarray(value)
    if not isinstance(value, np.ndarray | np.generic) and array.dtype == np.float64:
        array = array.astype(np.float32)
    dtype = _TO_DTYPE.get(array.dtype)
    if dtype is None:
        raise TypeError(f"input '{name}' has dtype {array.dtype}; expected float32, int32 or int64")
    return pb.Tensor(name=name, dtype=dtype, shape=array.shape, raw=array.tobytes())  # tobytes: row-major


def from_tensor(tensor: pb.Tensor) -> np.ndarray:
    """A writable array. ValueError if the message is not what rml-server sends."""
    dtype = _FROM_DTYPE.get(tensor.dtype)
    if dtype is None:
        raise ValueError(f"output '{tensor.name}' has dtype number {tensor.dtype}; expected F32, I32 or I64")
    elements = np.frombuffer(bytearray(tensor.raw), dtype)
    return elements.reshape(tuple(tensor.shape))


def run_request(
    model: str, inputs: Mapping[str, ArrayLike], version: int, outputs: Sequence[str], request_id: str
) -> pb.RunRequest:
    tensors = [to_tensor(name, value) for name, value in inputs.items()]
    return pb.RunRequest(model=model, version=version, request_id=request_id, inputs=tensors, outputs=outputs)


def run_result(response: pb.RunResponse) -> RunResult:
    return RunResult(
        outputs={tensor.name: from_tensor(tensor) for tensor in response.outputs},
        model=response.model,
        version=response.version,
        request_id=response.request_id,
        queue_seconds=response.timing.queue_seconds,
        compute_seconds=response.timing.compute_seconds,
    )


def profile_request(
    model: str, inputs: Mapping[str, ArrayLike] | None, version: int, rows: int, iterations: int, threads: int
) -> pb.ProfileRequest:
    tensors = [to_tensor(name, value) for name, value in (inputs or {}).items()]
    source = pb.REQUEST if tensors else pb.ZEROS if rows else pb.PROFILE_SOURCE_UNSPECIFIED
    return pb.ProfileRequest(
        model=model,
        version=version,
        inputs=tensors,
        source=source,
        rows=rows,
        iterations=iterations,
        threads=threads,
    )
