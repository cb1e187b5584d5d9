"""Reads an ONNX file. What it says about sizes and places is not believed: every tensor is checked, and data in other
files must lie within the model's own folder."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

import numpy as np
import onnx
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from onnx import TensorProto, helper, numpy_helper

from rml_export.errors import ExportError

FunctionKey = tuple[str, str, str]  # domain, name, overload


@dataclass
class Model:
    """A model as it was read.

    proto      without the elements of external data.
    path       its file, which those lie beside; None for a model that is in memory.
    constants  the elements of the outermost graph's initializers (checks.py fills them in).
    is_as_in_file  False if the inputs are others now (inputs.py): the file will not do then.
    """

    proto: onnx.ModelProto
    path: Path | None = None
    functions: dict[FunctionKey, onnx.FunctionProto] = field(default_factory=dict)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    is_as_in_file: bool = True

    @property
    def folder(self) -> Path | None:
        return self.path.parent if self.path is not None else None

    @property
    def opsets(self) -> dict[str, int]:
        return opset_imports(self.proto.opset_import)


def read_model(source: str | Path | bytes | onnx.ModelProto) -> Model:
    """A model from a file, from bytes, or as it is. ExportError if it cannot be read."""
    path = None
    if isinstance(source, onnx.ModelProto):
        proto = source
    else:
        proto = onnx.ModelProto()
        try:
            if not isinstance(source, bytes):
                path = Path(source).resolve()
                source = path.read_bytes()
            proto.ParseFromString(source)
        except OSError as error:
            raise ExportError(f"cannot read {error.filename}: {error.strerror}") from error
        except DecodeError as error:
            raise ExportError(f"not an ONNX model: {error}") from error
    if not proto.HasField("graph"):
        raise ExportError("not an ONNX model: it has no graph")
    if not all(isinstance(text, str) for text in texts(proto)):
        raise ExportError("not an ONNX model: a name in it is no UTF-8")
    functions = {(domain_of(item.domain), item.name, item.overload): item for item in proto.functions}
    return Model(proto, path, functions)


def texts(message: Message) -> Iterator[str | bytes]:
    """Every text field; bytes where it is no UTF-8."""
    for kind, value in message.ListFields():
        if kind.type not in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_MESSAGE):
            continue
        for item in value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else [value]:
            if kind.type == FieldDescriptor.TYPE_STRING:
                yield item
            elif isinstance(item, Message):
                yield from texts(item)


def opset_imports(imports: Iterable[onnx.OperatorSetIdProto]) -> dict[str, int]:
    return {domain_of(item.domain): item.version for item in imports}


def domain_of(domain: str) -> str:
    """ONNX's own domain has two names."""
    return "" if domain == "ai.onnx" else domain


def array_of(tensor: TensorProto, folder: Path | None, what: str) -> np.ndarray:
    """A tensor's elements. ExportError if it has not as many as its shape says."""
    dims = list(tensor.dims)
    if any(dim < 0 for dim in dims):
        raise ExportError(f"{what} has shape {dims}")
    try:
        if tensor.data_location == TensorProto.EXTERNAL:
            return external(tensor, folder, what)
        return numpy_helper.to_array(tensor)
    except ExportError:
        raise
    except Exception as error:  # onnx and NumPy raise several kinds for bytes that do not fit
        raise ExportError(f"{what} of shape {dims} cannot be read: {error}") from error


def external(tensor: TensorProto, folder: Path | None, what: str) -> np.ndarray:
    """Elements that lie in a file beside the model."""
    entries = {item.key: item.value for item in tensor.external_data}
    location = entries.get("location", "")
    if folder is None:
        raise ExportError(f"{what} lies in the file '{location}', and a model in memory has no folder: give its path")
    path = (folder / location).resolve()
    if not location or Path(location).is_absolute() or not path.is_relative_to(folder):
        raise ExportError(f"{what}: external data at '{location}', outside the model's folder")
    if not path.is_file():
        raise ExportError(f"{what}: no file '{location}' beside the model")
    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(tensor.data_type))
    count, size = prod(tensor.dims), path.stat().st_size
    needed = storage_size(tensor.data_type, count)
    offset, length = number(entries, "offset", 0, what), number(entries, "length", needed, what)
    if length != needed:
        raise ExportError(f"{what}: {length} bytes of external data; expected {needed} for {list(tensor.dims)}")
    if offset + length > size:
        raise ExportError(f"{what}: bytes {offset} to {offset + length} of '{location}', which has {size}")
    if needed == count * dtype.itemsize and dtype.kind in "fiub":
        return np.fromfile(path, dtype, count, offset=offset).reshape(tuple(tensor.dims))
    with path.open("rb") as file:
        file.seek(offset)
        raw = file.read(length)
    return numpy_helper.to_array(TensorProto(data_type=tensor.data_type, dims=tensor.dims, raw_data=raw))


def storage_size(kind: int, count: int) -> int:
    """Bytes of `count` elements; those of four bits lie two in a byte."""
    if kind in (TensorProto.INT4, TensorProto.UINT4, TensorProto.FLOAT4E2M1):
        return (count + 1) // 2
    return count * np.dtype(helper.tensor_dtype_to_np_dtype(kind)).itemsize


def number(entries: dict[str, str], key: str, default: int, what: str) -> int:
    text = entries.get(key, str(default))
    if not text.isdecimal():
        raise ExportError(f"{what}: external data with {key} '{text}'; expected a number from 0")
    return int(text)
