"""XLA's scatter that adds, as one scatter_add: the axes that are indexed become one."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from rml_export.graph import Value
from rml_export.xla_ops.emit import Emit, UnsupportedError
from rml_export.xla_ops.gather import index_columns
from rml_export.xla_ops.shapes import reshape, transpose


@dataclass(frozen=True)
class Scatter:
    """Dimension numbers as XLA names them.

    mode   what happens to a window that lies outside: "clamp", "drop", or "error".
    wrap   whether negative indices count from the end.
    """

    update_window_dims: Sequence[int]
    inserted: Sequence[int]
    scatter_dims_to_operand_dims: Sequence[int]
    index_vector_dim: int
    mode: str
    batching: Sequence[int] = ()  # axes of the operand, each with one of the indices
    index_batching: Sequence[int] = ()
    wrap: bool = False


def scatter_add(emit: Emit, x: Value, indices: Value, updates: Value, spec: Scatter) -> Value:
    if 0 in updates.shape:
        return x
    if x.rank == 0:
        return emit("add", x, reshape(emit, updates, ()))
    windows = window_dims(x, spec)
    if not spec.scatter_dims_to_operand_dims:
        raise UnsupportedError("a scatter that indexes no axis")
    columns = dict(zip(spec.scatter_dims_to_operand_dims, columns_of(emit, indices, spec), strict=True))
    own = [dim - (dim > spec.index_vector_dim) for dim in spec.index_batching]  # the dim of index vectors is gone
    batch = dict(zip(spec.batching, own, strict=True)) | counted(x, columns, windows)
    own = list(batch.values())
    axes = sorted(set(columns) - set(batch))
    index = flat_index(emit, x, {axis: columns[axis] for axis in axes}, updates, spec)
    lead = [dim for dim in range(updates.rank) if dim not in spec.update_window_dims]  # those that the indices have
    free = [dim for dim in range(len(lead)) if dim not in own]
    inner = range(len(lead), index.rank)  # of windows along axes indexed by

    rest = [axis for axis in range(x.rank) if axis not in axes]
    at = axes[0] if axes == list(range(axes[0], axes[-1] + 1)) else len(rest)
    order = [*rest[:at], *axes, *rest[at:]]
    count = prod(index.shape[dim] for dim in (*free, *inner))
    sizes = [index.shape[batch[axis]] if axis in batch else updates.shape[windows[axis]] for axis in rest]
    index_dims = [[batch[axis]] if axis in batch else [] for axis in rest]
    update_dims = [[lead[batch[axis]]] if axis in batch else [windows[axis]] for axis in rest]
    index_dims.insert(at, [*free, *inner])
    update_dims.insert(at, [*(lead[dim] for dim in free), *(windows[axis] for axis in axes if axis in windows)])
    thin = [index.shape[batch[axis]] if axis in batch else 1 for axis in rest]
    shape, thin = (*sizes[:at], count, *sizes[at:]), (*thin[:at], count, *thin[at:])

    index = reshape(emit, transpose(emit, index, [dim for dims in index_dims for dim in dims]), thin)
    index = index if thin == shape else emit("broadcast_to", index, shape=shape)
    updates = reshape(emit, transpose(emit, updates, [dim for dims in update_dims for dim in dims]), shape)
    moved = transpose(emit, x, order)
    flat = reshape(
        emit, moved, (*moved.shape[:at], prod(x.shape[axis] for axis in axes), *moved.shape[at + len(axes) :])
    )
    summed = emit("scatter_add", flat, index, updates, axis=at, mode=spec.mode, wrap=spec.wrap and len(axes) == 1)
    result = reshape(emit, summed, moved.shape)
    return transpose(emit, result, [order.index(axis) for axis in range(x.rank)])


def window_dims(x: Value, spec: Scatter) -> dict[int, int]:
    """The dim of the updates by the axis of the operand that it runs along."""
    kept = [axis for axis in range(x.rank) if axis not in spec.inserted and axis not in spec.batching]
    return dict(zip(kept, spec.update_window_dims, strict=True))


def columns_of(emit: Emit, indices: Value, spec: Scatter) -> list[Value]:
    """index_columns, but the columns themselves where they have just been put side by side."""
    joined, dim = indices.producer, spec.index_vector_dim
    if (
        joined is None
        or joined.op != "concat"
        or joined.attrs["axis"] != dim
        or len(joined.inputs) < indices.shape[dim]
    ):
        return index_columns(emit, indices, spec)
    batch = (*indices.shape[:dim], *indices.shape[dim + 1 :])
    return [reshape(emit, part, batch) for part in joined.inputs]


def counted(x: Value, columns: dict[int, Value], windows: dict[int, int]) -> dict[int, int]:
    """Axes whose place is that along one dim of the indices, 0, 1, 2 ..., and that dim: they lie side by side, which is
    how torch-mlir spells a scatter along one axis. One axis at least stays indexed."""
    found: dict[int, int] = {}
    for axis in sorted(columns):
        data = known(columns[axis])
        if data is None or axis in windows or len(found) == len(columns) - 1:
            continue
        for dim, size in enumerate(data.shape):
            steps = np.arange(size).reshape([-1 if d == dim else 1 for d in range(data.ndim)])
            if 1 <= size <= x.shape[axis] and dim not in found.values() and (data == steps).all():
                found[axis] = dim
                break
    return found


def known(value: Value) -> np.ndarray | None:
    """The elements of a constant, or of one that is only broadcast and reshaped."""
    node = value.producer
    if value.is_constant:
        return value.data
    if node is None or node.op not in ("broadcast_to", "reshape") or known(node.inputs[0]) is None:
        return None
    return value.example


def flat_index(emit: Emit, x: Value, columns: dict[int, Value], updates: Value, spec: Scatter) -> Value:
    """The place of every element along the indexed axes as one: the indices' dims, then those of longer windows.

    A window that lies outside in part is dropped or moved inside as a whole.
    """
    windows, axes = window_dims(x, spec), list(columns)
    lengths = {axis: updates.shape[windows[axis]] if axis in windows else 1 for axis in axes}
    long = [axis for axis in sorted(axes) if lengths[axis] > 1]
    total: Value | None = None
    inside: Value | None = None
    for axis in sorted(axes):
        place, last = columns[axis], x.shape[axis] - lengths[axis]
        if spec.wrap and len(axes) > 1:
            size = emit.constant(np.int32(x.shape[axis]))
            place = emit("where", emit("lt", place, emit.constant(np.int32(0))), emit("add", place, size), place)
        if spec.mode == "clamp":
            place = emit("clamp", place, min=0.0, max=float(last))
        elif len(axes) > 1 or long:
            zero, limit = emit.constant(np.int32(0)), emit.constant(np.int32(last))
            fits = emit("mul", emit("ge", place, zero), emit("le", place, limit))
            inside = fits if inside is None else emit("mul", inside, fits)
        place = reshape(emit, place, (*place.shape, *(1 for _ in long)))
        if axis in long:
            steps = np.arange(lengths[axis], dtype=np.int32)
            place = emit("add", place, emit.constant(steps.reshape([-1 if a == axis else 1 for a in long])))
        scaled = None if total is None else emit("mul", total, emit.constant(np.int32(x.shape[axis])))
        total = place if scaled is None else emit("add", scaled, place)
    assert total is not None
    if inside is None:
        return total
    inside = reshape(emit, inside, (*inside.shape, *(1 for _ in long)))
    return emit("where", inside, total, emit.constant(np.int32(-1)))
