"""Slices, joining, splitting, padding."""

from collections.abc import Sequence

import numpy as np

from rml_export.array_ops import padded, pieces
from rml_export.from_onnx.call import Call, Operand, Table
from rml_export.graph import Value
from rml_export.xla_ops import slice_axes


def cut(c: Call, x: Operand, *limits: Operand | None) -> Value:
    """starts, ends, axes, steps: inputs, or attributes before opset 10. Python's rules for what lies outside."""
    value = c.value(x)
    given = [*limits, None, None, None, None][:4]
    starts, ends, axes, steps = (
        c.integers(item, name, "a slice") for item, name in zip(given, ("starts", "ends", "axes", "steps"), strict=True)
    )
    assert starts is not None and ends is not None
    at = axes if axes is not None else list(range(len(starts)))
    index = [slice(None)] * value.rank
    for axis, start, end, step in zip(at, starts, ends, steps or [1] * len(starts), strict=True):
        index[c.one_axis(axis, value.rank)] = slice(start, end, step)
    bounds = [item.indices(size) for item, size in zip(index, value.shape, strict=True)]
    stops = [stop if stop >= 0 else -size - 1 for (_, stop, _), size in zip(bounds, value.shape, strict=True)]
    return slice_axes(c, value, [item[0] for item in bounds], stops, [item[2] for item in bounds])


def concat(c: Call, *inputs: Operand) -> Value:
    values = [c.value(item, c.dtype) for item in inputs]
    return c("concat", *values, axis=c.axis(values[0].rank))


def split(c: Call, x: Operand, sizes: Operand | None = None) -> tuple[Value, ...]:
    """Parts of given sizes, else equal ones, the last of which may be smaller."""
    value = c.value(x)
    axis, count = c.axis(value.rank, 0), len(c.node.output)
    c.attr("num_outputs")  # as many as the node has outputs, which ONNX's inference has checked
    given = c.integers(sizes, "split", "sizes")
    if given is None:
        size, part = value.shape[axis], -(-value.shape[axis] // count)
        given = [max(min(part, size - start), 0) for start in range(0, part * count, part or 1)][:count]
    if len(given) != count or sum(given) != value.shape[axis]:
        raise c.refuse(f"parts of {given} of an axis of {value.shape[axis]} for {count} outputs")
    return pieces(c, value, axis, given)


def pad(
    c: Call, x: Operand, pads: Operand | None = None, number: Operand | None = None, axes: Operand | None = None
) -> Value:
    """pads: all befores, then all afters; negative ones cut."""
    value = c.value(x)
    given = c.integers(pads, "pads", "paddings") or []
    at = c.integers(axes, "", "axes")
    at = [c.one_axis(axis, value.rank) for axis in at] if at is not None else list(range(value.rank))
    before, after = [0] * value.rank, [0] * value.rank
    for position, axis in enumerate(at):
        before[axis], after[axis] = given[position], given[position + len(at)]
    mode, fill = c.attr("mode", "constant"), c.attr("value", 0.0)
    if number is not None:
        fill = float(c.known(number, "a padding value").reshape(()))
    value = cropped(c, value, before, after)
    low, high = ([max(size, 0) for size in sizes] for sizes in (before, after))
    if mode == "constant":
        return padded(c, value, tuple(low), tuple(high), fill) if any((*low, *high)) else value
    return read_again(c, value, low, high, mode)


def cropped(c: Call, value: Value, before: Sequence[int], after: Sequence[int]) -> Value:
    starts = [max(-size, 0) for size in before]
    ends = [dim + min(size, 0) for dim, size in zip(value.shape, after, strict=True)]
    return slice_axes(c, value, starts, ends)


def read_again(c: Call, value: Value, low: Sequence[int], high: Sequence[int], mode: str) -> Value:
    """Rows and columns that are read more than once, axis by axis."""
    kinds = {"reflect": "reflect", "edge": "edge", "wrap": "wrap"}
    if mode not in kinds:
        raise c.refuse(f"mode '{mode}'")
    for axis, widths in enumerate(zip(low, high, strict=True)):
        if any(widths):
            picks = np.pad(np.arange(value.shape[axis], dtype=np.int32), widths, kinds[mode])
            value = c("gather", value, c.constant(picks), axis=axis, mode="error")
    return value


TABLE: Table = {"Slice": cut, "Concat": concat, "Split": split, "Pad": pad}
