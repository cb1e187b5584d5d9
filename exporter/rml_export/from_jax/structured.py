"""Products, convolutions, windows, reductions, gathers and sorting."""

from typing import Any

import jax
import numpy as np

from rml_export.array_ops import arg_max, arg_min
from rml_export.from_jax.call import Call, LoweringFn, Operand, Table
from rml_export.graph import Value
from rml_export.xla_ops import (
    Convolution,
    Gather,
    Scatter,
    Window,
    convolve,
    dot_general,
    gather,
    reduce_window,
    scatter_add,
)


def product(c: Call, a: Operand, b: Operand, *_: Operand) -> Value:
    if c.dtype == "i32":
        raise c.refuse("products of integer matrices")
    summed, batch = c.params["dimension_numbers"]
    return dot_general(c, c.value(a, "f32"), c.value(b, "f32"), summed, batch)


def convolution(c: Call, x: Operand, w: Operand) -> Value:
    p = c.params
    numbers = p["dimension_numbers"]
    conv = Convolution(
        x_axes=numbers.lhs_spec,
        w_axes=numbers.rhs_spec,
        y_axes=numbers.out_spec,
        strides=p["window_strides"],
        pads=[tuple(map(int, pair)) for pair in p["padding"]],
        x_dilation=p["lhs_dilation"],
        w_dilation=p["rhs_dilation"],
        groups=p["feature_group_count"],
        batch_groups=p["batch_group_count"],
    )
    return convolve(c, c.value(x, "f32"), c.value(w, "f32"), conv)


def window(kind: str) -> LoweringFn:
    def lower(c: Call, x: Operand) -> Value:
        p = c.params
        rank = len(p["window_dimensions"])
        spec = Window(
            sizes=p["window_dimensions"],
            strides=p["window_strides"],
            pads=[tuple(map(int, pair)) for pair in p["padding"]],
            base_dilation=p.get("base_dilation") or (1,) * rank,
            dilation=p.get("window_dilation") or (1,) * rank,
        )
        return reduce_window(c, kind, c.value(x), spec)

    return lower


def reduction(op: str) -> LoweringFn:
    def lower(c: Call, x: Operand) -> Value:
        return c(op, x, axes=tuple(sorted(c.params["axes"])))

    return lower


def running_sum(c: Call, x: Operand) -> Value:
    return c("cumsum", x, axis=int(c.params["axis"]), reverse=bool(c.params["reverse"]))


def reduce_bools(op: str) -> LoweringFn:
    """any and all of 0 and 1."""

    def lower(c: Call, x: Operand) -> Value:
        return c(op, c.value(x, "f32"), axes=tuple(sorted(c.params["axes"])))

    return lower


def reduce_prod(c: Call, x: Operand) -> Value:
    if c.dtype == "i32":
        raise c.refuse("products of integers over an axis")
    return c("reduce_prod", x, axes=tuple(sorted(c.params["axes"])))


_MODES = {
    jax.lax.GatherScatterMode.CLIP: "clamp",
    jax.lax.GatherScatterMode.PROMISE_IN_BOUNDS: "clamp",  # nothing is promised to what is outside
    jax.lax.GatherScatterMode.FILL_OR_DROP: "fill",
}


def gather_slices(c: Call, x: Operand, indices: Operand) -> Value:
    p = c.params
    numbers = p["dimension_numbers"]
    mode = _MODES.get(p["mode"])
    if mode is None:
        raise c.refuse(f"a gather of mode {p['mode']}")
    fill = p["fill_value"]
    if mode == "fill" and fill is not None and not np.isnan(fill):
        raise c.refuse(f"a gather that fills with {fill}; rml-graph fills with NaN")
    spec = Gather(
        offset_dims=numbers.offset_dims,
        collapsed=numbers.collapsed_slice_dims,
        start_index_map=numbers.start_index_map,
        slice_sizes=p["slice_sizes"],
        index_vector_dim=len(c.eqn.invars[1].aval.shape) - 1,
        mode=mode,
        batching=numbers.operand_batching_dims,
        index_batching=numbers.start_indices_batching_dims,
    )
    return gather(c, c.value(x), c.value(indices, "i32"), spec)


def add_at(c: Call, x: Operand, indices: Operand, updates: Operand) -> Value:
    p = c.params
    if c.is_bool:
        raise c.refuse("sums of booleans")
    numbers = p["dimension_numbers"]
    spec = Scatter(
        update_window_dims=numbers.update_window_dims,
        inserted=numbers.inserted_window_dims,
        scatter_dims_to_operand_dims=numbers.scatter_dims_to_operand_dims,
        index_vector_dim=len(c.eqn.invars[1].aval.shape) - 1,
        mode="clamp" if p["mode"] == jax.lax.GatherScatterMode.CLIP else "drop",
        batching=numbers.operand_batching_dims,
        index_batching=numbers.scatter_indices_batching_dims,
    )
    return scatter_add(c, c.value(x), c.value(indices, "i32"), c.value(updates), spec)


def subtract_at(c: Call, x: Operand, indices: Operand, updates: Operand) -> Value:
    return add_at(c, x, indices, c("neg", updates))


def top_k(c: Call, x: Operand) -> tuple[Value, ...]:
    value = c.value(x)
    axis = c.params.get("axis", value.rank - 1) % value.rank
    return c.many("top_k", 2, c.value(x, "f32"), k=int(c.params["k"]), axis=axis)


def argmax(c: Call, x: Operand) -> Value:
    (axis,) = c.params["axes"]
    return arg_max(c, x, axis)


def argmin(c: Call, x: Operand) -> Value:
    (axis,) = c.params["axes"]
    return arg_min(c, x, axis)


def sort(c: Call, *inputs: Operand) -> Any:
    """Ascending, by one key, with at most the positions carried along."""
    axis = c.params["dimension"]
    values = [c.value(item) for item in inputs]
    carried = inputs[1] if len(inputs) == 2 else None
    positions = carried is not None and not isinstance(carried, Value) and is_iota(np.asarray(carried), axis)
    if len(inputs) > 2 or c.params["num_keys"] != 1 or (carried is not None and not positions):
        raise c.refuse("a sort that carries values along")
    if values[0].dtype != "f32":
        raise c.refuse("a sort of integers")
    ordered = c.many("top_k", 2, values[0], k=values[0].shape[axis], axis=axis, largest=False)
    return ordered if len(inputs) == 2 else (ordered[0],)


def is_iota(array: np.ndarray, axis: int) -> bool:
    """Whether the elements are their own positions along the axis."""
    shape = [1] * array.ndim
    shape[axis] = -1
    return bool((array == np.arange(array.shape[axis]).reshape(shape)).all())


TABLE: Table = {
    "dot_general": product,
    "conv_general_dilated": convolution,
    "reduce_window_max": window("max"),
    "reduce_window_min": window("min"),
    "reduce_window_sum": window("sum"),
    "reduce_sum": reduction("reduce_sum"),
    "reduce_max": reduction("reduce_max"),
    "reduce_min": reduction("reduce_min"),
    "reduce_prod": reduce_prod,
    "reduce_or": reduce_bools("reduce_max"),
    "reduce_and": reduce_bools("reduce_min"),
    "cumsum": running_sum,
    "gather": gather_slices,
    "scatter-add": add_at,
    "scatter-sub": subtract_at,
    "top_k": top_k,
    "argmax": argmax,
    "argmin": argmin,
    "sort": sort,
}
