"""Sums at indices: TensorFlow on CPUs refuses those that are out of range, but leaves out segments below 0."""

import numpy as np

from rml_export.from_tf.call import Call, Operand, Table
from rml_export.graph import Value
from rml_export.xla_ops import Scatter, scatter_add


def add_at(c: Call, x: Operand, indices: Operand, updates: Operand) -> Value:
    """The last axis of the indices names a place along the first axes."""
    rows, new = c.value(indices, "i32"), c.value(updates)
    count = rows.shape[-1]
    spec = Scatter(
        update_window_dims=range(rows.rank - 1, new.rank),
        inserted=range(count),
        scatter_dims_to_operand_dims=range(count),
        index_vector_dim=rows.rank - 1,
        mode="error",
    )
    return scatter_add(c, c.value(x), rows, new, spec)


def subtract_at(c: Call, x: Operand, indices: Operand, updates: Operand) -> Value:
    return add_at(c, x, indices, c("neg", updates))


def scatter(c: Call, indices: Operand, updates: Operand, shape: Operand) -> Value:
    """Of equal places the sum."""
    return add_at(c, zeros(c, [int(size) for size in c.known(shape, "a shape")]), indices, updates)


def zeros(c: Call, shape: list[int]) -> Value:
    return c.constant(np.zeros(shape, np.float32 if c.dtype == "f32" else np.int32))


def unsorted_segments(c: Call, data: Operand, ids: Operand, count: Operand) -> Value:
    return segments(c, data, c.value(ids, "i32"), int(c.known(count, "a number of segments").reshape(())))


def sorted_segments(c: Call, data: Operand, ids: Operand) -> Value:
    known = c.known(ids, "segments")
    return segments(c, data, c.value(ids, "i32"), int(known.max(initial=-1)) + 1)


def segments(c: Call, data: Operand, ids: Value, count: int) -> Value:
    new = c.value(data)
    spec = Scatter(
        update_window_dims=range(ids.rank, new.rank),
        inserted=(0,),
        scatter_dims_to_operand_dims=(0,),
        index_vector_dim=ids.rank,
        mode="drop",
    )
    return scatter_add(c, zeros(c, [count, *new.shape[ids.rank :]]), ids, new, spec)


TABLE: Table = {
    "TensorScatterAdd": add_at,
    "TensorScatterSub": subtract_at,
    "ScatterNd": scatter,
    "UnsortedSegmentSum": unsorted_segments,
    "SegmentSum": sorted_segments,
    "SegmentSumV2": unsorted_segments,
}
