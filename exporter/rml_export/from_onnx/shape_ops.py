"""Shapes: what moves elements about, or repeats them, and computes nothing."""

from math import prod

import numpy as np

from rml_export import array_ops
from rml_export.from_onnx.call import Call, Operand, Table
from rml_export.graph import Value
from rml_export.xla_ops import transpose


def reshape(c: Call, x: Operand, shape: Operand | None = None) -> Value:
    """0 keeps the axis unless allowzero says that it is a size; one -1 takes what is left."""
    value = c.value(x)
    sizes = c.integers(shape, "shape", "a shape") or []
    if not c.attr("allowzero", 0):
        if any(size == 0 and axis >= value.rank for axis, size in enumerate(sizes)):
            raise c.refuse(f"a shape {sizes} that keeps an axis which {list(value.shape)} does not have")
        sizes = [value.shape[axis] if size == 0 else size for axis, size in enumerate(sizes)]
    if -1 in sizes:
        rest = prod(size for size in sizes if size != -1)
        sizes[sizes.index(-1)] = prod(value.shape) // rest if rest else 0
    return c.reshape(value, sizes)


def flatten(c: Call, x: Operand) -> Value:
    value = c.value(x)
    axis = c.attr("axis", 1)
    axis = axis + value.rank if axis < 0 else axis
    return c.reshape(value, (prod(value.shape[:axis]), prod(value.shape[axis:])))


def permute(c: Call, x: Operand) -> Value:
    value = c.value(x)
    return transpose(c, value, c.attr("perm", list(reversed(range(value.rank)))))


def squeeze(c: Call, x: Operand, axes: Operand | None = None) -> Value:
    value, given = c.value(x), c.integers(axes, "axes", "axes")
    at = c.many_axes(given, value.rank) if given is not None else None
    return c.reshape(value, [n for axis, n in enumerate(value.shape) if (axis not in at if at is not None else n != 1)])


def unsqueeze(c: Call, x: Operand, axes: Operand | None = None) -> Value:
    value, given = c.value(x), c.integers(axes, "axes", "axes") or []
    rank = value.rank + len(given)
    at, rest = c.many_axes(given, rank), iter(value.shape)
    return c.reshape(value, [1 if axis in at else next(rest) for axis in range(rank)])


def expand(c: Call, x: Operand, shape: Operand) -> Value:
    """Both ways: a size of 1 keeps the axis as it is."""
    value = c.value(x)
    wanted = np.broadcast_shapes(value.shape, tuple(int(size) for size in c.known(shape, "a shape")))
    return value if value.shape == wanted else c("broadcast_to", value, shape=wanted)


def tile(c: Call, x: Operand, times: Operand) -> Value:
    return array_ops.tile(c, x, [int(item) for item in c.known(times, "repeats")])


def depth_to_space(c: Call, x: Operand) -> Value:
    """Blocks of channels to squares of pixels; DCR: the block is the outer part of the channel, CRD: the inner one."""
    value, block = c.value(x), c.attr("blocksize")
    N, C, H, W = value.shape
    depth = C // block**2
    if c.attr("mode", "DCR") == "DCR":
        apart = transpose(c, c.reshape(value, (N, block, block, depth, H, W)), (0, 3, 4, 1, 5, 2))
    else:
        apart = transpose(c, c.reshape(value, (N, depth, block, block, H, W)), (0, 1, 4, 2, 5, 3))
    return c.reshape(apart, (N, depth, H * block, W * block))


def space_to_depth(c: Call, x: Operand) -> Value:
    """The inverse of depth_to_space, in both modes."""
    value, block = c.value(x), c.attr("blocksize")
    order = (0, 3, 5, 1, 2, 4) if c.attr("mode", "DCR") == "DCR" else (0, 1, 3, 5, 2, 4)
    N, C, H, W = value.shape
    apart = c.reshape(value, (N, C, H // block, block, W // block, block))
    return c.reshape(transpose(c, apart, order), (N, C * block**2, H // block, W // block))


def eye_like(c: Call, x: Operand) -> Value:
    c.attr("dtype")  # the record's
    return c.constant(np.eye(*c.value(x).shape, k=c.attr("k", 0), dtype=np.float32 if c.dtype == "f32" else np.int32))


TABLE: Table = {
    "Reshape": reshape,
    "Flatten": flatten,
    "Transpose": permute,
    "Squeeze": squeeze,
    "Unsqueeze": unsqueeze,
    "Expand": expand,
    "Tile": tile,
    "EyeLike": eye_like,
    "DepthToSpace": depth_to_space,
    "SpaceToDepth": space_to_depth,
}
