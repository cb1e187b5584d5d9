"""An unnamed constant that repeats along axes, read by ops that broadcast, shrinks to the slice that it repeats.

A parameter keeps its elements, whatever it happens to hold, but loses leading axes of size 1 where all its readers
broadcast.
"""

import numpy as np

from rml_export.canonical import dtype_name
from rml_export.graph import Node, Value
from rml_export.op_table import BROADCASTING_OPS
from rml_export.passes.rewriting import Rewriter, reads_alike


def run(rewriter: Rewriter) -> None:
    for value in rewriter.graph.constants():
        if value.name is not None:
            drop_leading_axes(rewriter, value)
            continue
        if value.data.size < 2:
            continue
        small = repeated_slice(value.data)
        if small.shape == value.shape:
            continue
        shrunk = Value(dtype_name(small), small.shape, small, is_constant=True)
        for reader in dict.fromkeys(rewriter.readers[value]):
            if reason := why_not(reader, value, shrunk):
                rewriter.refuse(reader, reason)
            else:
                rewriter.replace_in(reader, value, shrunk)


def drop_leading_axes(rewriter: Rewriter, value: Value) -> None:
    first = next((axis for axis, dim in enumerate(value.shape) if dim != 1), 0)
    small = Value(
        value.dtype, value.shape[first:], value.data.reshape(value.shape[first:]), value.name, is_constant=True
    )
    readers = rewriter.readers[value]
    if first and not any(why_not(reader, value, small) for reader in readers):
        rewriter.replace(value, small)


def repeated_slice(data: np.ndarray) -> np.ndarray:
    """The data with every axis along which all slices have equal bits cut to 1, and leading axes of size 1 dropped."""
    bits = data.view(np.int32)
    for axis in range(data.ndim):
        first = np.take(bits, [0], axis=axis) if bits.shape[axis] else bits
        if bits.shape[axis] > 1 and (bits == first).all():
            bits = first
    small = np.ascontiguousarray(bits).view(data.dtype)
    while small.ndim and small.shape[0] == 1:
        small = small[0]
    return np.ascontiguousarray(small).reshape(small.shape)


def why_not(reader: Node, value: Value, shrunk: Value) -> str | None:
    if reader.op not in BROADCASTING_OPS:
        return f"{reader.op} does not broadcast"
    if not reads_alike(reader, value, shrunk.shape):
        return "the output has its shape from this constant"
    return None
