"""XLA's gather as one gather: whole slices along adjacent indexed axes, which are flattened into one.

One with batch dimensions is a gather_elements: every row of the operand is read by indices of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from rml_export.graph import Value
from rml_export.xla_ops.emit import Emit, UnsupportedError
from rml_export.xla_ops.grid import gather_grid, grid_positions
from rml_export.xla_ops.shapes import reshape, slice_axes, transpose


@dataclass(frozen=True)
class Gather:
    """Dimension numbers as XLA names them; mode is what happens outside: "clamp" or "fill" (NaN)."""

    offset_dims: Sequence[int]
    collapsed: Sequence[int]
    start_index_map: Sequence[int]
    slice_sizes: Sequence[int]
    index_vector_dim: int
    mode: str
    batching: Sequence[int] = ()  # axes of the operand, each with one of the indices
    index_batching: Sequence[int] = ()


def gather(emit: Emit, x: Value, indices: Value, spec: Gather) -> Value:
    if spec.batching:
        return gather_rows(emit, x, indices, spec)
    positions = index_columns(emit, indices, spec)
    moved = set(spec.start_index_map)
    for axis in range(x.rank):
        if axis not in moved and spec.slice_sizes[axis] != x.shape[axis]:
            starts = [0] * x.rank
            ends = [spec.slice_sizes[i] if i == axis else size for i, size in enumerate(x.shape)]
            x = slice_axes(emit, x, starts, ends)
    if any(spec.slice_sizes[axis] != 1 for axis in moved):
        return slice_at(emit, x, positions, spec)
    axes = sorted(moved)
    if axes != list(range(axes[0], axes[-1] + 1)):
        raise UnsupportedError(f"a gather along axes {axes}, which are not neighbours")
    if not spec.offset_dims and len(axes) == x.rank and spec.mode == "clamp":
        by_axis = dict(zip(spec.start_index_map, positions, strict=True))
        lists = grid_positions(x, [by_axis[axis] for axis in axes])
        if lists is not None:
            return gather_grid(emit, x, lists)
    index = flat_index(emit, x, axes, dict(zip(spec.start_index_map, positions, strict=True)), spec.mode)
    before, after = x.shape[: axes[0]], x.shape[axes[-1] + 1 :]
    flat = reshape(emit, x, (*before, prod(x.shape[axis] for axis in axes), *after))
    result = emit("gather", flat, index, axis=axes[0], mode=spec.mode)
    return arrange(emit, result, x, axes, index.rank, spec)


def gather_rows(emit: Emit, x: Value, indices: Value, spec: Gather) -> Value:
    """Along one axis, whole slices along the others: the indices are laid out as the operand is, the result back."""
    # A slice as long as its axis begins at 0, wherever the index that is clamped would have it.
    stays = [spec.mode == "clamp" and spec.slice_sizes[a] == x.shape[a] for a in spec.start_index_map]
    moving = [place for place, stay in enumerate(stays) if not stay] or [0]
    axis = spec.start_index_map[moving[0]] if len(moving) == 1 else -1
    sizes = [1 if a == axis or a in spec.batching else size for a, size in enumerate(x.shape)]
    if axis < 0 or list(spec.slice_sizes) != sizes:
        raise UnsupportedError("a gather with batch dimensions along several axes, or of slices of several elements")
    index = index_columns(emit, indices, spec)[moving[0]]
    own = [dim - (dim > spec.index_vector_dim) for dim in spec.index_batching]  # the dim of index vectors is gone
    free = [dim for dim in range(index.rank) if dim not in own]
    dims = {a: [dim] for a, dim in zip(spec.batching, own, strict=True)} | {axis: free}
    free_shape = [index.shape[dim] for dim in free]
    count = prod(free_shape)
    index = transpose(emit, index, [dim for a in range(x.rank) for dim in dims.get(a, [])])
    index = reshape(emit, index, [count if a == axis else x.shape[a] if a in dims else 1 for a in range(x.rank)])
    wide = tuple(count if a == axis else size for a, size in enumerate(x.shape))
    index = index if index.shape == wide else emit("broadcast_to", index, shape=wide)
    y = emit("gather_elements", x, index, axis=axis, mode=spec.mode)
    kept = [1] * (axis not in spec.collapsed)  # the axis is read at one place, and maybe stays as one of size 1
    y = reshape(emit, y, (*x.shape[:axis], *free_shape, *kept, *x.shape[axis + 1 :]))
    # y's axes by what they are: dims of the indices, which keep their order, or slices, which offset_dims places.
    made: list[tuple[str, int]] = []
    for a in range(x.rank):
        made += [("batch", dim) for dim in dims.get(a, [])]
        made += [("slice", a)] if a not in dims or (a == axis and kept) else []
    batch, slices = (iter(sorted(item for item in made if item[0] == kind)) for kind in ("batch", "slice"))
    return transpose(
        emit, y, [made.index(next(slices if place in spec.offset_dims else batch)) for place in range(len(made))]
    )


def index_columns(emit: Emit, indices: Value, spec: Gather) -> list[Value]:
    """One array of positions per indexed axis, of the shape of the batch of slices."""
    dim = spec.index_vector_dim
    if dim == indices.rank:
        return [indices]
    batch = (*indices.shape[:dim], *indices.shape[dim + 1 :])
    columns = []
    for number in range(indices.shape[dim]):
        starts = [number if axis == dim else 0 for axis in range(indices.rank)]
        ends = [number + 1 if axis == dim else size for axis, size in enumerate(indices.shape)]
        columns.append(reshape(emit, slice_axes(emit, indices, starts, ends), batch))
    return columns


def flat_index(emit: Emit, x: Value, axes: list[int], positions: dict[int, Value], mode: str) -> Value:
    """The position along the flattened axes."""
    if len(axes) == 1:
        return positions[axes[0]]
    if mode != "clamp":
        raise UnsupportedError("a gather along several axes that fills what is out of range")
    total: Value | None = None
    for axis in axes:
        inside = emit("clamp", positions[axis], min=0.0, max=float(x.shape[axis] - 1))
        scaled = inside if total is None else emit("mul", total, emit.constant(np.int32(x.shape[axis])))
        total = scaled if total is None else emit("add", scaled, inside)
    assert total is not None
    return total


def arrange(emit: Emit, result: Value, x: Value, axes: list[int], batch_rank: int, spec: Gather) -> Value:
    """Puts the axes of the slices where offset_dims wants them, those of the batch around them in order."""
    kept = [axis for axis in range(x.rank) if axis not in axes]
    place = {axis: (axis if axis < axes[0] else axis - len(axes) + batch_rank) for axis in kept}
    sizes_one = [axis for axis in axes if axis not in spec.collapsed]  # indexed, but kept as an axis of size 1
    offset_axes = [axis for axis in range(x.rank) if axis not in spec.collapsed]
    rank = batch_rank + len(offset_axes)
    batch_places = iter(range(axes[0], axes[0] + batch_rank))
    slots = dict(zip(spec.offset_dims, offset_axes, strict=True))
    order, shape = [], []
    for target in range(rank):
        axis = slots.get(target)
        if axis in sizes_one:
            shape.append(1)
            continue
        source = next(batch_places) if axis is None else place[axis]
        order.append(source)
        shape.append(result.shape[source])
    return reshape(emit, transpose(emit, result, order), shape)


def slice_at(emit: Emit, x: Value, positions: list[Value], spec: Gather) -> Value:
    """One slice of several elements (a dynamic slice): positions must be constants, and one per axis."""
    if not all(item.is_constant and item.data.size == 1 for item in positions):
        raise UnsupportedError("slices of several elements at positions that depend on the inputs")
    starts, ends = [0] * x.rank, list(x.shape)
    for axis, item in zip(spec.start_index_map, positions, strict=True):
        limit = x.shape[axis] - spec.slice_sizes[axis]
        starts[axis] = min(max(int(item.data.reshape(-1)[0]), 0), limit)
        ends[axis] = starts[axis] + spec.slice_sizes[axis]
    cut = slice_axes(emit, x, starts, ends)
    offset_axes = [axis for axis in range(x.rank) if axis not in spec.collapsed]
    shape = [1] * (len(offset_axes) + positions[0].rank)
    for target, axis in zip(spec.offset_dims, offset_axes, strict=True):
        shape[target] = spec.slice_sizes[axis]
    return reshape(emit, cut, shape)
