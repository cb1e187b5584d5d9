"""Safetensors files with every tensor 64-byte aligned, readable by the official library.

The official reader allows no gap between tensors, so gaps are filled with tensors `__pad.k` of bytes, and the header
is padded with spaces until data begins at a multiple of 64. Arrays are made C-contiguous first: a transposed view is
stored as the array that it shows.
"""

import json
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np

ALIGNMENT = 64
PAD_PREFIX = "__pad."
_DTYPES = {np.dtype(np.float32): "F32", np.dtype(np.int32): "I32"}
_NUMPY = {"F32": np.dtype("<f4"), "I32": np.dtype("<i4"), "U8": np.dtype("u1")}


def serialize(tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str] | None = None) -> bytes:
    """The file's bytes; tensors (float32 or int32) in the mapping's order. ValueError for another dtype."""
    header: dict[str, object] = {}
    if metadata:
        header["__metadata__"] = dict(metadata)
    chunks: list[bytes] = []
    offset = 0
    pads = 0
    for name, tensor in tensors.items():
        if tensor.dtype not in _DTYPES:
            raise ValueError(f"tensor '{name}' is {tensor.dtype}, expected float32 or int32")
        gap = -offset % ALIGNMENT
        if gap:
            header[f"{PAD_PREFIX}{pads}"] = {"dtype": "U8", "shape": [gap], "data_offsets": [offset, offset + gap]}
            chunks.append(bytes(gap))
            offset += gap
            pads += 1
        data = np.ascontiguousarray(tensor, dtype=tensor.dtype.newbyteorder("<")).tobytes()
        span = [offset, offset + len(data)]
        header[name] = {"dtype": _DTYPES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": span}
        chunks.append(data)
        offset += len(data)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    return struct.pack("<Q", len(text)) + text + b"".join(chunks)


def deserialize(data: bytes, what: str = "file") -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Tensors (padding left out) and metadata. ValueError if the bytes are no such file."""
    if len(data) < 8 or 8 + struct.unpack_from("<Q", data)[0] > len(data):
        raise ValueError(f"{what}: {len(data)} bytes are too few for a safetensors header")
    size = struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8 : 8 + size].decode())
    metadata = header.pop("__metadata__", {})
    body = memoryview(data)[8 + size :]
    tensors = {}
    for name, entry in header.items():
        if name.startswith(PAD_PREFIX):
            continue
        begin, end = entry["data_offsets"]
        dtype = _NUMPY.get(entry["dtype"])
        count = int(np.prod(entry["shape"], dtype=np.int64))
        if dtype is None or not 0 <= begin <= end <= len(body) or end - begin != count * dtype.itemsize:
            raise ValueError(f"{what}: tensor '{name}' {entry} does not fit")
        tensors[name] = np.frombuffer(body[begin:end], dtype).reshape(entry["shape"]).copy()
    return tensors, metadata


def read_safetensors(path: str | Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Reads a file written by serialize()."""
    return deserialize(Path(path).read_bytes(), Path(path).name)
