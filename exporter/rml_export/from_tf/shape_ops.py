"""Shapes, slices, padding, splitting and joining."""

from collections.abc import Mapping
from math import prod

import numpy as np

from rml_export import array_ops
from rml_export.array_ops import beside, padded, pieces
from rml_export.from_tf.call import Call, LoweringFn, Operand, Table
from rml_export.graph import Value
from rml_export.xla_ops import slice_axes, transpose


def reshape(c: Call, x: Operand, shape: Operand) -> Value:
    value, sizes = c.value(x), [int(size) for size in c.known(shape, "a shape")]
    if -1 in sizes:
        rest = prod(size for size in sizes if size != -1)
        sizes[sizes.index(-1)] = prod(value.shape) // rest if rest else 0
    return c.reshape(value, sizes)


def squeeze(c: Call, x: Operand) -> Value:
    value = c.value(x)
    axes = {int(axis) % value.rank for axis in c.attr("squeeze_dims")}
    return c.reshape(value, [n for axis, n in enumerate(value.shape) if (axis not in axes if axes else n != 1)])


def expand_dims(c: Call, x: Operand, axis: Operand) -> Value:
    value = c.value(x)
    at = int(c.known(axis, "an axis").reshape(())) % (value.rank + 1)
    return c.reshape(value, (*value.shape[:at], 1, *value.shape[at:]))


def permute(c: Call, x: Operand, perm: Operand) -> Value:
    return transpose(c, c.value(x), [int(axis) for axis in c.known(perm, "a permutation")])


def strided_slice(c: Call, x: Operand, begin: Operand, end: Operand, strides: Operand) -> Value:
    """x[a:b:c, i, ..., None]: NumPy's rules, told by masks."""
    value = c.value(x)
    limits = [c.known(item, "a slice").tolist() for item in (begin, end, strides)]
    masks = {name: int(c.attr(f"{name}_mask")) for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
    index, result = slices(limits, masks, value.shape)
    bounds = [item.indices(size) for item, size in zip(index, value.shape, strict=True)]
    starts, steps = [item[0] for item in bounds], [item[2] for item in bounds]
    ends = [stop if stop >= 0 else -size - 1 for (_, stop, _), size in zip(bounds, value.shape, strict=True)]
    cut = slice_axes(c, value, starts, ends, steps)
    return c.reshape(cut, [1 if axis is None else cut.shape[axis] for axis in result])


def slices(
    limits: list[list[int]], masks: Mapping[str, int], shape: tuple[int, ...]
) -> tuple[list[slice], list[int | None]]:
    """A slice of each axis, and for each axis of the result the one that it is; None is a new one."""
    count = len(limits[0])
    bits = {name: {i for i in range(count) if mask >> i & 1} for name, mask in masks.items()}
    ellipsis, new_axis = bits["ellipsis"], bits["new_axis"]
    hidden = len(shape) - (count - len(ellipsis) - len(new_axis - ellipsis))  # axes that no entry names
    index: list[slice] = []
    result: list[int | None] = []

    def keep(number: int) -> None:
        for _ in range(number):
            result.append(len(index))
            index.append(slice(None))

    for i, (first, last, step) in enumerate(zip(*limits, strict=True)):
        if i in ellipsis:
            keep(hidden)
        elif i in new_axis:
            result.append(None)
        elif i in bits["shrink_axis"]:
            at = first % shape[len(index)]
            index.append(slice(at, at + 1, 1))
        else:
            result.append(len(index))
            index.append(slice(None if i in bits["begin"] else first, None if i in bits["end"] else last, step))
    keep(len(shape) - len(index))
    return index, result


def plain_slice(c: Call, x: Operand, begin: Operand, size: Operand) -> Value:
    value = c.value(x)
    starts = [int(item) for item in c.known(begin, "a slice")]
    sizes = [int(item) for item in c.known(size, "a slice")]
    ends = [
        dim if length < 0 else start + length for start, length, dim in zip(starts, sizes, value.shape, strict=True)
    ]
    return slice_axes(c, value, starts, ends)


def concat(c: Call, *inputs: Operand) -> Value:
    *parts, axis = inputs
    values = [c.value(part, c.dtype) for part in parts]
    return c("concat", *values, axis=int(c.known(axis, "an axis")) % values[0].rank)


def pack(c: Call, *inputs: Operand) -> Value:
    return beside(c, inputs, int(c.attr("axis")) % (c.value(inputs[0]).rank + 1))


def unpack(c: Call, x: Operand) -> tuple[Value, ...]:
    value = c.value(x)
    axis = int(c.attr("axis")) % value.rank
    parts = pieces(c, value, axis, [1] * value.shape[axis])
    return tuple(c.reshape(part, (*value.shape[:axis], *value.shape[axis + 1 :])) for part in parts)


def split(c: Call, axis: Operand, x: Operand) -> tuple[Value, ...]:
    value, count = c.value(x), int(c.attr("num_split"))
    at = int(c.known(axis, "an axis")) % value.rank
    return pieces(c, value, at, [value.shape[at] // count] * count)


def split_sizes(c: Call, x: Operand, sizes: Operand, axis: Operand) -> tuple[Value, ...]:
    value = c.value(x)
    at = int(c.known(axis, "an axis")) % value.rank
    wanted = [int(size) for size in c.known(sizes, "sizes")]
    rest = value.shape[at] - sum(size for size in wanted if size >= 0)
    return pieces(c, value, at, [rest if size < 0 else size for size in wanted])


def pad(c: Call, x: Operand, paddings: Operand, *value: Operand) -> Value:
    pairs = c.known(paddings, "a padding").reshape(-1, 2)
    number = float(c.known(value[0], "a padding value").reshape(())) if value else 0.0
    before, after = (tuple(int(item) for item in column) for column in pairs.T)
    return padded(c, c.value(x), before, after, number)


def mirror_pad(c: Call, x: Operand, paddings: Operand) -> Value:
    """Rows and columns that are read again, axis by axis."""
    result, offset = c.value(x), 1 if c.attr("mode") == "REFLECT" else 0
    for axis, (low, high) in enumerate(c.known(paddings, "a padding").reshape(-1, 2).tolist()):
        if low or high:
            size = result.shape[axis]
            picks = np.pad(np.arange(size, dtype=np.int32), (low, high), "reflect" if offset else "symmetric")
            result = c("gather", result, c.constant(picks), axis=axis, mode="error")
    return result


def tile(c: Call, x: Operand, multiples: Operand) -> Value:
    return array_ops.tile(c, x, [int(item) for item in c.known(multiples, "multiples")])


def broadcast(c: Call, x: Operand, shape: Operand) -> Value:
    value, wanted = c.value(x), tuple(int(size) for size in c.known(shape, "a shape"))
    return value if value.shape == wanted else c("broadcast_to", value, shape=wanted)


def reverse(c: Call, x: Operand, axes: Operand) -> Value:
    return array_ops.reverse(c, x, c.axes(axes, c.value(x).rank))


def roll(c: Call, x: Operand, shift: Operand, axis: Operand) -> Value:
    """Every axis as its last rows before its first ones."""
    value = c.value(x)
    shifts, axes = (c.known(item, "a roll").reshape(-1).tolist() for item in (shift, axis))
    for by, at in zip(shifts, (item % value.rank for item in axes), strict=True):
        size = value.shape[at]
        if size and by % size:
            first, last = pieces(c, value, at, [size - by % size, by % size])
            value = c("concat", last, first, axis=at)
    return value


def band_part(c: Call, x: Operand, lower: Operand, upper: Operand) -> Value:
    """What lies at most `lower` below and `upper` above the diagonal; negative numbers keep all."""
    value = c.value(x)
    below, above = (int(c.known(item, "a band")) for item in (lower, upper))
    distance = np.arange(value.shape[-1])[None, :] - np.arange(value.shape[-2])[:, None]
    kept = ((below < 0) | (distance >= -below)) & ((above < 0) | (distance <= above))
    return c("where", c.constant(kept), value, c.number(0))


def fill(c: Call, shape: Operand, value: Operand) -> Value:
    return broadcast(c, value, shape)


def constant_like(number: int) -> LoweringFn:
    def lower(c: Call, x: Operand) -> Value:
        return c.constant(np.full(c.value(x).shape, number, np.float32 if c.dtype == "f32" else np.int32))

    return lower


TABLE: Table = {
    "Reshape": reshape,
    "Squeeze": squeeze,
    "ExpandDims": expand_dims,
    "Transpose": permute,
    "StridedSlice": strided_slice,
    "Slice": plain_slice,
    "ConcatV2": concat,
    "Pack": pack,
    "Unpack": unpack,
    "Split": split,
    "SplitV": split_sizes,
    "Pad": pad,
    "PadV2": pad,
    "MirrorPad": mirror_pad,
    "Tile": tile,
    "BroadcastTo": broadcast,
    "ReverseV2": reverse,
    "Roll": roll,
    "MatrixBandPart": band_part,
    "Fill": fill,
    "ZerosLike": constant_like(0),
    "OnesLike": constant_like(1),
}
