"""Shapes, slices, padding and updates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rml_export import array_ops
from rml_export.array_call import Operand
from rml_export.from_stablehlo.call import Call, Table
from rml_export.graph import Value
from rml_export.xla_ops import broadcast_in_dim, slice_axes, transpose


def broadcast(c: Call, x: Operand, *_: Operand) -> Value:
    return broadcast_in_dim(c, c.value(x), c.shape, c.operation.ints("broadcast_dimensions"))


def to_recorded_shape(c: Call, x: Operand, *_: Operand) -> Value:
    return c.reshape(x, c.shape)


def permute(c: Call, x: Operand) -> Value:
    return transpose(c, c.value(x), c.operation.ints("permutation"))


def cut(c: Call, x: Operand) -> Value:
    limits = (c.operation.ints(name) for name in ("start_indices", "limit_indices", "strides"))
    return slice_axes(c, c.value(x), *limits)


def concatenate(c: Call, *inputs: Operand) -> Value:
    parts = [c.value(item, c.dtype) for item in inputs]
    filled = [part for part in parts if 0 not in part.shape] or parts[:1]
    return c("concat", *filled, axis=c.operation.int("dimension"))


def reverse(c: Call, x: Operand) -> Value:
    axes = c.operation.ints("dimensions")
    value = c.value(x)
    starts, ends = tuple(value.shape[a] - 1 for a in axes), tuple(-value.shape[a] - 1 for a in axes)
    return c("slice", value, axes=axes, starts=starts, ends=ends, steps=(-1,) * len(axes)) if axes else value


def pad(c: Call, x: Operand, value: Operand) -> Value:
    sizes = (c.operation.ints(name) for name in ("edge_padding_low", "edge_padding_high", "interior_padding"))
    return array_ops.pad(c, x, value, *sizes)


def dynamic_slice(c: Call, x: Operand, *starts: Operand) -> Value:
    """At constant positions a slice; else one element along one axis, as a gather."""
    value, sizes = c.value(x), c.operation.ints("slice_sizes")
    begins: list[Any] = []
    for start, size, limit in zip(starts, sizes, value.shape, strict=True):
        known = not isinstance(start, Value) or size == limit
        begins.append(clamped(start, limit - size) if known and size != limit else 0 if known else start)
    for axis, begin in enumerate(begins):
        if not isinstance(begin, Value):
            continue
        if sizes[axis] != 1:
            raise c.refuse("slices of several elements at positions that depend on the inputs")
        value = c("gather", value, c.reshape(c.value(begin, "i32"), (1,)), axis=axis, mode="clamp")
        begins[axis] = 0
    return slice_axes(c, value, begins, [begin + size for begin, size in zip(begins, sizes, strict=True)])


def clamped(start: Any, limit: int) -> int:
    return min(max(int(np.asarray(start)), 0), limit)


@dataclass(frozen=True)
class Part:
    """Elements [begin, end) of the whole along its axis: those of `source` from `offset` on."""

    begin: int
    end: int
    source: Operand
    offset: int = 0


@dataclass(frozen=True, eq=False)
class Pieces:
    """A value whose slices along one axis were replaced one by one, as loops do that gather a result per step. It is
    put together when something reads it, so that a loop of n steps gives one concat and not n."""

    shape: tuple[int, ...]
    axis: int
    parts: tuple[Part, ...]

    def replaced(self, update: Operand, begin: int) -> "Pieces":
        end = begin + update.shape[self.axis]
        kept: list[Part] = []
        for part in self.parts:
            if part.begin < begin:
                kept.append(Part(part.begin, min(part.end, begin), part.source, part.offset))
            if part.end > end:
                first = max(part.begin, end)
                kept.append(Part(first, part.end, part.source, part.offset + first - part.begin))
        whole = sorted([*kept, Part(begin, end, update)], key=lambda part: part.begin)
        return Pieces(self.shape, self.axis, tuple(whole))

    def joined(self, c: Call) -> Value:
        values = [self.cut_out(c, part) for part in self.parts]
        return values[0] if len(values) == 1 else c("concat", *values, axis=self.axis)

    def cut_out(self, c: Call, part: Part) -> Value:
        source = part.source
        begin, end = part.offset, part.offset + part.end - part.begin
        if isinstance(source, np.ndarray):
            return c.value(source[(slice(None),) * self.axis + (slice(begin, end),)])
        starts = [begin if axis == self.axis else 0 for axis in range(source.rank)]
        ends = [end if axis == self.axis else size for axis, size in enumerate(source.shape)]
        return slice_axes(c, source, starts, ends)


def dynamic_update_slice(c: Call, x: Operand | Pieces, update: Operand, *starts: Operand) -> Value | Pieces:
    """At constant positions."""
    axes = [axis for axis, size in enumerate(x.shape) if update.shape[axis] != size]
    if any(isinstance(starts[axis], Value) for axis in axes):
        raise c.refuse("an update at a position that depends on the inputs")
    begins = [clamped(starts[axis], x.shape[axis] - update.shape[axis]) for axis in axes]
    if not axes:
        return c.value(update)
    if len(axes) == 1 and 0 not in update.shape:
        same_axis = isinstance(x, Pieces) and x.axis == axes[0]
        whole = x if same_axis else Pieces(x.shape, axes[0], (Part(0, x.shape[axes[0]], joined(c, x)),))
        return whole.replaced(update, begins[0])
    value = joined(c, x)
    return updated(c, c.value(value), c.value(update), dict(zip(axes, begins, strict=True)))


def joined(c: Call, x: Operand | Pieces) -> Operand:
    return x.joined(c) if isinstance(x, Pieces) else x


def updated(c: Call, x: Value, update: Value, begins: dict[int, int]) -> Value:
    """The update put into x, axis by axis."""
    if not begins or 0 in update.shape:
        return update if not begins else x
    (axis, begin), *rest = begins.items()
    end = begin + update.shape[axis]
    band = along(c, x, axis, begin, end)
    inner = updated(c, band, update, dict(rest))
    parts = [along(c, x, axis, 0, begin), inner, along(c, x, axis, end, x.shape[axis])]
    return c("concat", *(part for part in parts if 0 not in part.shape), axis=axis)


def along(c: Call, x: Value, axis: int, begin: int, end: int) -> Value:
    starts: Sequence[int] = [begin if i == axis else 0 for i in range(x.rank)]
    return slice_axes(c, x, starts, [end if i == axis else size for i, size in enumerate(x.shape)])


def set_dimension_size(c: Call, x: Operand, size: Operand) -> Value:
    """Nothing to do where the size is the one that the axis has."""
    value, axis = c.value(x), c.operation.int("dimension")
    if isinstance(size, Value) or int(np.asarray(size)) != value.shape[axis]:
        raise c.refuse(f"axis {axis} of size {value.shape[axis]} gets another size")
    return value


TABLE: Table = {
    "stablehlo.broadcast_in_dim": broadcast,
    "stablehlo.dynamic_broadcast_in_dim": broadcast,
    "stablehlo.reshape": to_recorded_shape,
    "stablehlo.dynamic_reshape": to_recorded_shape,
    "stablehlo.transpose": permute,
    "stablehlo.slice": cut,
    "stablehlo.concatenate": concatenate,
    "stablehlo.reverse": reverse,
    "stablehlo.pad": pad,
    "stablehlo.dynamic_slice": dynamic_slice,
    "stablehlo.dynamic_update_slice": dynamic_update_slice,
    "stablehlo.set_dimension_size": set_dimension_size,
}
