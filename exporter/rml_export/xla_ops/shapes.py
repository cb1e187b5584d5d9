"""Shape ops that add no node where there is nothing to do."""

from collections.abc import Sequence

from rml_export.graph import Value
from rml_export.xla_ops.emit import Emit


def reshape(emit: Emit, x: Value, shape: Sequence[int]) -> Value:
    return x if x.shape == tuple(shape) else emit("reshape", x, shape=tuple(shape))


def transpose(emit: Emit, x: Value, perm: Sequence[int]) -> Value:
    return x if tuple(perm) == tuple(range(x.rank)) else emit("transpose", x, perm=tuple(perm))


def broadcast_in_dim(emit: Emit, x: Value, shape: Sequence[int], dims: Sequence[int]) -> Value:
    """Axis i of x becomes axis dims[i]; the others, and axes of size 1, repeat."""
    order = sorted(range(x.rank), key=lambda axis: dims[axis])
    x = transpose(emit, x, order)
    placed = [1] * len(shape)
    for axis, target in zip(range(x.rank), sorted(dims), strict=True):
        placed[target] = x.shape[axis]
    x = reshape(emit, x, placed)
    return x if x.shape == tuple(shape) else emit("broadcast_to", x, shape=tuple(shape))


def slice_axes(
    emit: Emit, x: Value, starts: Sequence[int], ends: Sequence[int], steps: Sequence[int] | None = None
) -> Value:
    """x[start:end:step] on every axis; only the axes that are cut are named."""
    steps = steps if steps is not None else [1] * x.rank
    cut = [axis for axis in range(x.rank) if (starts[axis], ends[axis], steps[axis]) != (0, x.shape[axis], 1)]
    if not cut:
        return x
    limits = {"starts": starts, "ends": ends, "steps": steps}
    return emit(
        "slice", x, axes=tuple(cut), **{name: tuple(item[axis] for axis in cut) for name, item in limits.items()}
    )
