"""reduce_window as a pool: the windowed axes, at most two, become height and width."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from rml_export.graph import Value
from rml_export.xla_ops.emit import Emit, UnsupportedError
from rml_export.xla_ops.shapes import reshape, transpose


@dataclass(frozen=True)
class Window:
    """One entry per axis of the operand."""

    sizes: Sequence[int]
    strides: Sequence[int]
    pads: Sequence[tuple[int, int]]
    base_dilation: Sequence[int]
    dilation: Sequence[int]

    def is_trivial(self, axis: int) -> bool:
        return (self.sizes[axis], self.strides[axis], self.pads[axis]) == (1, 1, (0, 0))


def reduce_window(emit: Emit, kind: str, x: Value, window: Window) -> Value:
    """kind: max, min or sum (the initial value being the kind's own neutral one)."""
    running = running_sum(emit, kind, x, window)
    if running is not None:
        return running
    if x.dtype == "i32":
        raise UnsupportedError("windows over integers")
    if any(item != 1 for item in window.base_dilation):
        raise UnsupportedError("a window over a dilated operand")
    used = [axis for axis in range(x.rank) if not window.is_trivial(axis)]
    if len(used) > 2:
        raise UnsupportedError(f"a window over {len(used)} axes; rml-graph pools over two")
    if not used:
        return x
    if any(low < 0 or high < 0 for low, high in window.pads):
        raise UnsupportedError("a window with negative padding")
    sizes = [window.sizes[axis] for axis in used]
    if kind == "sum" and any(window.dilation[axis] != 1 for axis in used):
        raise UnsupportedError("a sum over a dilated window")
    if any(max(window.pads[axis]) >= window.sizes[axis] * window.dilation[axis] for axis in used):
        raise UnsupportedError("a window that may lie in padding alone (a cumulative op)")
    others = [axis for axis in range(x.rank) if axis not in used]
    order = [*others, *used]
    moved = transpose(emit, x, order)
    lead = [x.shape[axis] for axis in others]
    front = lead if len(lead) == 2 and len(used) == 2 else [1, prod(lead)]
    one = [1] * (2 - len(used))
    image = reshape(emit, moved, (*front, *one, *(x.shape[axis] for axis in used)))
    attrs = {
        "kernel": (*one, *sizes),
        "strides": (*one, *(window.strides[axis] for axis in used)),
        "pads": (
            *(0 for _ in one),
            *(window.pads[axis][0] for axis in used),
            *(0 for _ in one),
            *(window.pads[axis][1] for axis in used),
        ),
    }
    pooled = pool(emit, kind, image, attrs, (*one, *(window.dilation[axis] for axis in used)), prod(sizes))
    spatial = pooled.shape[2 + len(one) :]
    back = reshape(emit, pooled, (*lead, *spatial))
    return transpose(emit, back, [order.index(axis) for axis in range(x.rank)])


def running_sum(emit: Emit, kind: str, x: Value, window: Window) -> Value | None:
    """cumsum for windows as long as one axis that each end (or, in reverse, begin) at their own element."""
    used = [axis for axis in range(x.rank) if not window.is_trivial(axis)]
    if kind != "sum" or len(used) != 1:
        return None
    (axis,) = used
    size, pads = x.shape[axis], window.pads[axis]
    plain = (window.sizes[axis], window.strides[axis], window.base_dilation[axis], window.dilation[axis])
    if plain != (size, 1, 1, 1) or pads not in ((size - 1, 0), (0, size - 1)):
        return None
    return emit("cumsum", x, axis=axis, reverse=pads != (size - 1, 0))


def pool(emit: Emit, kind: str, x: Value, attrs: dict, dilations: tuple[int, ...], count: int) -> Value:
    if kind == "max":
        return emit("max_pool2d", x, **attrs, dilations=dilations)
    if kind == "min":
        return emit("neg", emit("max_pool2d", emit("neg", x), **attrs, dilations=dilations))
    if kind == "sum":  # every window lies within the padded operand: the pool's divisor is the window's size
        return emit("mul", emit("avg_pool2d", x, **attrs), emit.constant(np.float32(count)))
    raise UnsupportedError(f"a window that computes {kind}")
