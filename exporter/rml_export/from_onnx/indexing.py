"""Gathers and scatters, one-hot, the largest elements."""

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from rml_export.array_ops import arg_max, arg_min, pieces, reverse
from rml_export.from_onnx.call import Call, LoweringFn, Operand, Table
from rml_export.graph import Value
from rml_export.xla_ops import Scatter, scatter_add, slice_axes, transpose


def gather(c: Call, data: Operand, indices: Operand) -> Value:
    """Negative indices count from the end; a constant run of neighbours is a slice."""
    value = c.value(data)
    axis = c.axis(value.rank, 0)
    if not isinstance(indices, Value):
        size = value.shape[axis]
        picks = np.where(indices < 0, indices + size, indices)
        if picks.size and (picks.min() < 0 or picks.max() >= size):
            raise c.refuse(f"an index that is outside an axis of {size}")
        if picks.ndim <= 1 and is_run(picks.reshape(-1)):
            return run_of(c, value, axis, picks)
        return c("gather", value, c.constant(picks.astype(np.int32)), axis=axis, mode="error")
    return c("gather", value, c.value(indices, "i32"), axis=axis, mode="error", wrap=True)


def is_run(picks: np.ndarray) -> bool:
    return picks.size > 0 and bool((np.diff(picks) == 1).all())


def run_of(c: Call, value: Value, axis: int, picks: np.ndarray) -> Value:
    first, count = int(picks.reshape(-1)[0]), picks.size
    starts = [first if i == axis else 0 for i in range(value.rank)]
    ends = [first + count if i == axis else size for i, size in enumerate(value.shape)]
    part = slice_axes(c, value, starts, ends)
    return part if picks.ndim else c.reshape(part, (*value.shape[:axis], *value.shape[axis + 1 :]))


def gather_nd(c: Call, data: Operand, indices: Operand) -> Value:
    """Slices by several indices at once, as one gather along the flattened axes; batch axes go with each other."""
    value, rows, batch = c.value(data), c.value(indices, "i32"), c.attr("batch_dims", 0)
    count = rows.shape[-1]
    sizes, rest = value.shape[batch : batch + count], value.shape[batch + count :]
    positions = flat_positions(c, rows, sizes)
    if not batch:
        return c("gather", c.reshape(value, (prod(sizes), *rest)), positions, axis=0, mode="error")
    lead = prod(value.shape[:batch])
    flat = c.reshape(value, (lead, prod(sizes), prod(rest)))
    return c.reshape(gather_rows(c, flat, c.reshape(positions, (lead, -1))), (*positions.shape, *rest))


def gather_rows(c: Call, x: Value, positions: Value) -> Value:
    """x [B, N, R] by positions [B, M]: [B, M, R]."""
    wide = c.reshape(positions, (*positions.shape, 1))
    shape = (*positions.shape, x.shape[2])
    spread = wide if wide.shape == shape else c("broadcast_to", wide, shape=shape)
    return c("gather_elements", x, spread, axis=1, mode="error")


def gather_elements(c: Call, data: Operand, indices: Operand) -> Value:
    value = c.value(data)
    axis = c.axis(value.rank, 0)
    return c("gather_elements", value, c.value(indices, "i32"), axis=axis, mode="error", wrap=True)


def reverse_sequence(c: Call, x: Operand, lengths: Operand) -> Value:
    """The first `length` steps of each row backwards, the others as they are."""
    value = c.value(x)
    batch, time = c.attr("batch_axis", 1), c.attr("time_axis", 0)
    order = [batch, time, *(axis for axis in range(value.rank) if axis not in (batch, time))]
    moved = transpose(c, value, order)
    rows, steps = moved.shape[:2]
    length = c.reshape(c.value(lengths, "i32"), (rows, 1))
    step = c.constant(np.arange(steps, dtype=np.int32))
    back = c("sub", c("sub", length, c.constant(np.int32(1))), step)
    places = c("where", c("lt", step, length), back, step)
    turned = gather_rows(c, c.reshape(moved, (rows, steps, prod(moved.shape[2:]))), places)
    return transpose(c, c.reshape(turned, moved.shape), [order.index(axis) for axis in range(value.rank)])


def flat_positions(c: Call, rows: Value, sizes: Sequence[int]) -> Value:
    """Positions along flattened axes; one past their end where an index is out of range, as none may become another."""
    dims = c.constant(np.array(sizes, np.int32))
    strides = c.constant(np.array([prod(sizes[axis + 1 :]) for axis in range(len(sizes))], np.int32))
    wrapped = c("where", c("lt", rows, c.constant(np.int32(0))), c("add", rows, dims), rows)
    last = (rows.rank - 1,)
    flat = c("reduce_sum", c("mul", wrapped, strides), axes=last, keep_dims=False)
    if len(sizes) == 1:
        return flat
    inside = c("mul", c("ge", wrapped, c.constant(np.int32(0))), c("lt", wrapped, dims))
    valid = c("reduce_min", inside, axes=last, keep_dims=False)
    return c("where", valid, flat, c.constant(np.int32(prod(sizes))))


def scatter_nd(c: Call, data: Operand, indices: Operand, updates: Operand) -> Value:
    value, shape = c.value(data), c.value(data).shape
    if c.attr("reduction", "none") == "add":
        return add_slices(c, value, indices, c.value(updates, value.dtype))
    rows = c.known(indices, "indices")
    count = rows.shape[-1]
    at = np.ravel_multi_index(tuple(wrapped(c, rows[..., i], shape[i]) for i in range(count)), shape[:count])
    inner = np.arange(prod(shape[count:])).reshape(shape[count:])
    places = at.reshape(*at.shape, *[1] * inner.ndim) * max(inner.size, 1) + inner
    return replaced(c, value, places, updates)


def add_slices(c: Call, value: Value, indices: Operand, new: Value) -> Value:
    """Rows of indices along the first axes."""
    if not isinstance(indices, Value):
        sizes = value.shape[: indices.shape[-1]]
        columns = [wrapped(c, indices[..., place], size) for place, size in enumerate(sizes)]
        indices = np.stack(columns, axis=-1) if columns else indices
    rows = c.value(indices, "i32")
    spec = Scatter(
        update_window_dims=range(rows.rank - 1, new.rank),
        inserted=range(rows.shape[-1]),
        scatter_dims_to_operand_dims=range(rows.shape[-1]),
        index_vector_dim=rows.rank - 1,
        mode="error",
        wrap=isinstance(indices, Value),
    )
    return scatter_add(c, value, rows, new, spec)


def scatter_elements(c: Call, data: Operand, indices: Operand, updates: Operand) -> Value:
    value = c.value(data)
    axis = c.axis(value.rank, 0)
    if c.attr("reduction", "none") == "add":
        known = indices if isinstance(indices, Value) else wrapped(c, indices, value.shape[axis])
        new, wrap = c.value(updates, value.dtype), known is indices
        return c("scatter_add", value, c.value(known, "i32"), new, axis=axis, mode="error", wrap=wrap)
    picks = wrapped(c, c.known(indices, "indices"), value.shape[axis])
    grid = list(np.indices(picks.shape))
    grid[axis] = picks
    return replaced(c, value, np.ravel_multi_index(tuple(grid), value.shape), updates)


def wrapped(c: Call, picks: np.ndarray, size: int) -> np.ndarray:
    if picks.size and (picks.min() < -size or picks.max() >= size):
        raise c.refuse(f"an index that is outside an axis of {size}")
    return np.where(picks < 0, picks + size, picks)


def replaced(c: Call, value: Value, places: np.ndarray, updates: Operand) -> Value:
    """The elements at these flat places, which are known, replaced: all of them are gathered from both, end to end."""
    new, count = c.value(updates, value.dtype), prod(value.shape)
    reduction = c.attr("reduction", "none")
    if reduction != "none":
        return reduced(c, value, places.reshape(-1), c.reshape(new, (places.size,)), _REDUCTIONS[reduction])
    source = np.arange(count)
    source[places.reshape(-1)] = count + np.arange(places.size)  # of equal places the last one stays
    both = c("concat", c.reshape(value, (count,)), c.reshape(new, (places.size,)), axis=0)
    picks = c.constant(source.reshape(value.shape).astype(np.int32))
    return c("gather", both, picks, axis=0, mode="error")


def reduced(c: Call, value: Value, places: np.ndarray, new: Value, reduction: tuple[str, float]) -> Value:
    """The elements with the new ones at their flat places: round by round, as one place may be named several times."""
    op, neutral = reduction
    limits = np.iinfo(np.int32)
    kind = np.float32 if value.dtype == "f32" else np.int32
    number = np.clip(neutral, limits.min, limits.max) if kind is np.int32 else neutral
    choices = c("concat", new, c.constant(np.full(1, number, kind)), axis=0)
    order = np.argsort(places, kind="stable")
    rounds = np.arange(places.size) - np.searchsorted(places[order], places[order])
    for number in range(int(rounds.max(initial=-1)) + 1):
        source = np.full(prod(value.shape), places.size)
        chosen = order[rounds == number]
        source[places[chosen]] = chosen
        picks = c.constant(source.reshape(value.shape).astype(np.int32))
        value = c(op, value, c("gather", choices, picks, axis=0, mode="error"))
    return value


_REDUCTIONS = {"mul": ("mul", 1.0), "max": ("maximum", -np.inf), "min": ("minimum", np.inf)}


def top_k(c: Call, x: Operand, count: Operand | None = None) -> tuple[Value, ...]:
    """Sorted, which an unsorted result may be as well."""
    value = c.value(x)
    (k,) = c.integers(count, "k", "a k") or [0]
    c.attr("sorted", 1)
    axis, largest = c.axis(value.rank, -1), bool(c.attr("largest", 1))
    if value.dtype == "i32":
        return top_k_of_integers(c, value, k, axis, largest)
    return c.many("top_k", 2, value, k=k, axis=axis, largest=largest)


def top_k_of_integers(c: Call, x: Value, k: int, axis: int, largest: bool) -> tuple[Value, Value]:
    """By the lower half of the bits, then by the upper one, both of which f32 holds: equal ones keep their order."""
    half, size = c.constant(np.int32(1 << 16)), x.shape[axis]
    rest = c("sub", x, c("mul", c("div", x, half), half))
    low = c("where", c("lt", rest, c.constant(np.int32(0))), c("add", rest, half), rest)
    high = c("div", c("sub", x, low), half)

    def order(keys: Value, count: int) -> Value:
        return c.many("top_k", 2, c("cast", keys, to="f32"), k=count, axis=axis, largest=largest)[1]

    def picked(item: Value, places: Value) -> Value:
        return c("gather_elements", item, places, axis=axis, mode="error")

    first = order(low, size)
    places = picked(first, order(picked(high, first), k))
    return picked(x, places), places


def extreme(pick: Callable[[Call, Operand, int], Value]) -> LoweringFn:
    """The first index of the largest or smallest; the last one is the first of the reversed."""

    def lower(c: Call, x: Operand) -> Value:
        value = c.value(x)
        axis, size = c.axis(value.rank, 0), value.shape[c.axis(value.rank, 0)]
        last = bool(c.attr("select_last_index", 0))
        found = pick(c, reverse(c, value, [axis]) if last else value, axis)
        found = c("sub", c.constant(np.int32(size - 1)), found) if last else found
        return c("unsqueeze", found, axes=(axis,)) if c.attr("keepdims", 1) else found

    return lower


def one_hot(c: Call, indices: Operand, depth: Operand, values: Operand) -> Value:
    """Negative indices count from the end; what is outside has no place."""
    index = c.value(indices)
    count = int(c.known(depth, "a depth").reshape(()))
    axis = c.axis(index.rank + 1, -1)
    number = np.float32 if index.dtype == "f32" else np.int32
    index = c("where", c("lt", index, c.constant(number(0))), c("add", index, c.constant(number(count))), index)
    off, on = (c.reshape(part, ()) for part in pieces(c, c.value(values), 0, [1, 1]))
    return c("where", is_class(c, index, count, axis), on, off)


def is_class(c: Call, index: Value, count: int, axis: int) -> Value:
    """1 where the index is that of the place along a new axis."""
    wide = c.reshape(index, (*index.shape[:axis], 1, *index.shape[axis:]))
    classes = np.arange(count, dtype=np.float32 if index.dtype == "f32" else np.int32)
    return c("eq", wide, c.constant(classes.reshape((count, *[1] * (index.rank - axis)))))


def hardmax(c: Call, x: Operand) -> Value:
    """1 at the first of the largest; before opset 13 over all axes from `axis` on together."""
    value = c.value(x)
    axis = c.axis(value.rank, -1 if c.version >= 13 else 1)
    if c.version >= 13:
        return is_class(c, arg_max(c, value, axis), value.shape[axis], axis)
    flat = c.reshape(value, (prod(value.shape[:axis]), prod(value.shape[axis:])))
    return c.reshape(is_class(c, arg_max(c, flat, 1), flat.shape[1], 1), value.shape)


TABLE: Table = {
    "Gather": gather,
    "GatherElements": gather_elements,
    "GatherND": gather_nd,
    "ReverseSequence": reverse_sequence,
    "ScatterND": scatter_nd,
    "ScatterElements": scatter_elements,
    "Scatter": scatter_elements,
    "TopK": top_k,
    "ArgMax": extreme(arg_max),
    "ArgMin": extreme(arg_min),
    "OneHot": one_hot,
    "Hardmax": hardmax,
}
