"""Shapes, slices, padding and iota."""

from typing import Any

import numpy as np

from rml_export import array_ops
from rml_export.array_ops import beside, pieces
from rml_export.from_jax.call import Call, Operand, Table
from rml_export.graph import Value
from rml_export.xla_ops import broadcast_in_dim, slice_axes, transpose


def broadcast(c: Call, x: Operand, *_: Operand) -> Value:
    return broadcast_in_dim(c, c.value(x), c.shape, c.params["broadcast_dimensions"])


def to_recorded_shape(c: Call, x: Operand, *_: Operand) -> Value:
    """reshape, squeeze and expand_dims: the record has the shape."""
    if c.params.get("dimensions") is not None and "new_sizes" in c.params:
        raise c.refuse("a reshape that also transposes")
    return c.reshape(x, c.shape)


def permute(c: Call, x: Operand) -> Value:
    return transpose(c, c.value(x), c.params["permutation"])


def cut(c: Call, x: Operand) -> Value:
    return slice_axes(c, c.value(x), c.params["start_indices"], c.params["limit_indices"], c.params["strides"])


def concatenate(c: Call, *inputs: Operand) -> Value:
    return c("concat", *(c.value(item, c.dtype) for item in inputs), axis=c.params["dimension"])


def stack(c: Call, *inputs: Operand) -> Value:
    return beside(c, inputs, c.params["axis"])


def tile(c: Call, x: Operand) -> Value:
    return array_ops.tile(c, x, c.params["reps"])


def reverse(c: Call, x: Operand) -> Value:
    return array_ops.reverse(c, x, c.params["dimensions"])


def pad(c: Call, x: Operand, value: Operand) -> Value:
    low, high, interior = zip(*c.params["padding_config"], strict=True) if c.params["padding_config"] else ((), (), ())
    return array_ops.pad(c, x, value, low, high, interior)


def split(c: Call, x: Operand) -> tuple[Value, ...]:
    return pieces(c, c.value(x), c.params["axis"], c.params["sizes"])


def dynamic_slice(c: Call, x: Operand, *starts: Operand) -> Value:
    """At constant positions a slice; else one element along one axis, as a gather."""
    value, sizes = c.value(x), c.params["slice_sizes"]
    begins: list[Any] = []
    for axis, (start, size) in enumerate(zip(starts, sizes, strict=True)):
        if size == value.shape[axis]:
            begins.append(0)
        elif not isinstance(start, Value):
            begins.append(min(max(int(np.asarray(start)), 0), value.shape[axis] - size))
        else:
            begins.append(start)
    moving = [axis for axis, begin in enumerate(begins) if isinstance(begin, Value)]
    for axis in moving:
        if sizes[axis] != 1:
            raise c.refuse("slices of several elements at positions that depend on the inputs")
        value = c("gather", value, c.reshape(begins[axis], (1,)), axis=axis, mode="clamp")
        begins[axis] = 0
    return slice_axes(c, value, begins, [begin + size for begin, size in zip(begins, sizes, strict=True)])


TABLE: Table = {
    "broadcast_in_dim": broadcast,
    "reshape": to_recorded_shape,
    "squeeze": to_recorded_shape,
    "expand_dims": to_recorded_shape,
    "transpose": permute,
    "slice": cut,
    "concatenate": concatenate,
    "stack": stack,
    "tile": tile,
    "rev": reverse,
    "pad": pad,
    "split": split,
    "dynamic_slice": dynamic_slice,
}
