"""Products, convolutions, windows, reductions, gathers and sorting."""

from typing import Any

import numpy as np
from jaxlib.mlir.dialects import stablehlo
from ml_dtypes import finfo

from rml_export.array_call import Operand
from rml_export.from_jax.structured import is_iota
from rml_export.from_stablehlo.call import Call, Table
from rml_export.from_stablehlo.regions import Order, is_argmax, is_argmin, one_op, sort_order
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

_REDUCTIONS = {
    "stablehlo.add": ("reduce_sum", 0, "add"),
    "stablehlo.maximum": ("reduce_max", -np.inf, "maximum"),
    "stablehlo.minimum": ("reduce_min", np.inf, "minimum"),
    "stablehlo.multiply": ("reduce_prod", 1, "mul"),
    "stablehlo.or": ("reduce_max", 0, "maximum"),
    "stablehlo.and": ("reduce_min", 1, "minimum"),
}
_WINDOWS = {"stablehlo.add": "sum", "stablehlo.maximum": "max", "stablehlo.minimum": "min"}


def product(c: Call, a: Operand, b: Operand) -> Value:
    if c.dtype == "i32":
        raise c.refuse("products of integer matrices")
    left, right = c.value(a, "f32"), c.value(b, "f32")
    if c.operation.name == "stablehlo.dot":
        return dot_general(c, left, right, ((left.rank - 1,), (0,)), ((), ()))
    numbers = stablehlo.DotDimensionNumbers(c.operation.attribute("dot_dimension_numbers"))
    summed = tuple(numbers.lhs_contracting_dimensions), tuple(numbers.rhs_contracting_dimensions)
    return dot_general(
        c, left, right, summed, (tuple(numbers.lhs_batching_dimensions), tuple(numbers.rhs_batching_dimensions))
    )


def convolution(c: Call, x: Operand, w: Operand) -> Value:
    if c.dtype == "i32":
        raise c.refuse("a convolution of integers")
    op = c.operation
    numbers = stablehlo.ConvDimensionNumbers(op.attribute("dimension_numbers"))
    dims = len(numbers.input_spatial_dimensions)
    ones = (1,) * dims
    conv = Convolution(
        x_axes=(numbers.input_batch_dimension, numbers.input_feature_dimension, *numbers.input_spatial_dimensions),
        w_axes=(
            numbers.kernel_output_feature_dimension,
            numbers.kernel_input_feature_dimension,
            *numbers.kernel_spatial_dimensions,
        ),
        y_axes=(numbers.output_batch_dimension, numbers.output_feature_dimension, *numbers.output_spatial_dimensions),
        strides=op.ints("window_strides", ones),
        pads=op.pads(dims),
        x_dilation=op.ints("lhs_dilation", ones),
        w_dilation=op.ints("rhs_dilation", ones),
        groups=op.int("feature_group_count", 1),
        batch_groups=op.int("batch_group_count", 1),
        reversed_window=[bool(flag) for flag in op.ints("window_reversal")],
    )
    return convolve(c, c.value(x, "f32"), c.value(w, "f32"), conv)


def window(c: Call, *inputs: Operand) -> Value:
    op = c.operation
    kind = _WINDOWS.get(one_op(op) or "")
    if len(inputs) != 2 or kind is None:
        raise c.refuse("a window that computes neither a sum, a maximum nor a minimum")
    x, initial = inputs
    neutral = {"sum": 0.0, "max": -np.inf, "min": np.inf}[kind]
    if isinstance(initial, Value) or float(np.asarray(initial)) != neutral:
        raise c.refuse(f"a window's {kind} that starts from another number than {neutral}")
    value = c.value(x)
    ones = (1,) * value.rank
    spec = Window(
        sizes=op.ints("window_dimensions"),
        strides=op.ints("window_strides", ones),
        pads=op.pads(value.rank),
        base_dilation=op.ints("base_dilations", ones),
        dilation=op.ints("window_dilations", ones),
    )
    return reduce_window(c, kind, value, spec)


def reduction(c: Call, *inputs: Operand) -> Any:
    """One value by a plain op; or the largest with its position (argmax), as XLA spells it."""
    axes = tuple(sorted(c.operation.ints("dimensions")))
    if len(inputs) == 4:
        return position(c, inputs, axes)
    found = _REDUCTIONS.get(one_op(c.operation) or "")
    if len(inputs) != 2 or found is None:
        raise c.refuse("a reduction by another function than sum, product, maximum, minimum, and, or")
    op, neutral, combine = found
    x, initial = inputs
    if c.is_bool and op == "reduce_sum":
        op, combine = "reduce_max", "maximum"
    if c.dtype == "i32" and op == "reduce_prod":
        raise c.refuse("products of integers over an axis")
    result = c(op, c.value(x, c.dtype), axes=axes)
    if not isinstance(initial, Value) and is_neutral(np.asarray(initial), op, neutral):
        return result
    return c(combine, result, c.value(initial, c.dtype))


def is_neutral(initial: np.ndarray, op: str, neutral: float) -> bool:
    if op in ("reduce_max", "reduce_min") and initial.dtype.kind in "iu":
        limits = np.iinfo(initial.dtype)
        return int(initial) == (limits.min if op == "reduce_max" else limits.max)
    return bool(initial == neutral) or (op == "reduce_max" and initial.dtype == np.bool_ and not initial)


def position(c: Call, inputs: tuple[Operand, ...], axes: tuple[int, ...]) -> tuple[Value, Value]:
    """The largest (smallest) along one axis and where it is: the first of equal ones, NaN before all others."""
    x, indices = inputs[0], inputs[1]
    largest, smallest = is_argmax(c.operation), is_argmin(c.operation)
    if not (largest or smallest) or len(axes) != 1 or isinstance(indices, Value):
        raise c.refuse("a reduction of several values at once that is no argmax")
    if not is_iota(np.asarray(indices), axes[0]):
        raise c.refuse("an argmax with other positions than 0, 1, 2 ...")
    if not is_worst(inputs[2], largest):
        raise c.refuse("an argmax that starts from a number which may win")
    values = c("reduce_max" if largest else "reduce_min", x, axes=axes)
    return values, c("argmax" if largest else "argmin", x, axis=axes[0])


def is_worst(initial: Operand, largest: bool) -> bool:
    """Whether it is the smallest (largest) number of its dtype, or infinite."""
    if isinstance(initial, Value):
        return False
    array = np.asarray(initial)
    if array.dtype == np.bool_:
        return bool(array) != largest
    limits = np.iinfo(array.dtype) if array.dtype.kind in "iu" else finfo(array.dtype)
    return bool(array <= limits.min if largest else array >= limits.max)


def gather_slices(c: Call, x: Operand, indices: Operand) -> Value:
    """Positions outside are moved to the nearest one inside."""
    op = c.operation
    numbers = stablehlo.GatherDimensionNumbers(op.attribute("dimension_numbers"))
    spec = Gather(
        offset_dims=tuple(numbers.offset_dims),
        collapsed=tuple(numbers.collapsed_slice_dims),
        start_index_map=tuple(numbers.start_index_map),
        slice_sizes=op.ints("slice_sizes"),
        index_vector_dim=int(numbers.index_vector_dim),
        mode="clamp",
        batching=tuple(numbers.operand_batching_dims),
        index_batching=tuple(numbers.start_indices_batching_dims),
    )
    return gather(c, c.value(x), c.value(indices, "i32"), spec)


def add_at(c: Call, *inputs: Operand) -> Value:
    """A scatter by sums; windows outside are left out."""
    op = c.operation
    if len(inputs) != 3 or one_op(op) != "stablehlo.add" or c.is_bool:
        raise c.refuse("a scatter by another function than a sum of numbers")
    x, indices, updates = inputs
    numbers = stablehlo.ScatterDimensionNumbers(op.attribute("scatter_dimension_numbers"))
    spec = Scatter(
        update_window_dims=tuple(numbers.update_window_dims),
        inserted=tuple(numbers.inserted_window_dims),
        scatter_dims_to_operand_dims=tuple(numbers.scattered_dims_to_operand_dims),
        index_vector_dim=int(numbers.index_vector_dim),
        mode="drop",
        batching=tuple(numbers.input_batching_dims),
        index_batching=tuple(numbers.scatter_indices_batching_dims),
    )
    return scatter_add(c, c.value(x), c.value(indices, "i32"), c.value(updates), spec)


def top_k(c: Call, x: Operand) -> tuple[Value, ...]:
    value = c.value(x)
    if value.dtype != "f32":
        raise c.refuse("top_k of integers")
    return c.many("top_k", 2, value, k=c.operation.int("k"), axis=value.rank - 1)


def top_k_composite(c: Call, x: Operand) -> tuple[Value, ...]:
    """chlo.top_k as jax.export writes it: k among the composite's attributes."""
    value = c.value(x)
    attributes = c.operation.attribute("composite_attributes")
    if value.dtype != "f32":
        raise c.refuse("top_k of integers")
    return c.many("top_k", 2, value, k=int(attributes["k"].value), axis=value.rank - 1)


def sort(c: Call, *inputs: Operand) -> tuple[Value, ...]:
    """By one key, with at most the positions carried along: a top_k of all elements."""
    axis = c.operation.int("dimension", -1)
    keys = c.value(inputs[0])
    axis = axis % keys.rank
    order = sort_order(c.operation)
    if len(inputs) > 2 or (len(inputs) == 2 and not is_positions(inputs[1], axis)):
        raise c.refuse("a sort that carries values along")
    if order is Order.OTHER:
        raise c.refuse("a sort in another order than of the first operand")
    if keys.dtype != "f32":
        raise c.refuse("a sort of integers")
    largest = order is Order.DESCENDING
    return c.many("top_k", 2, keys, k=keys.shape[axis], axis=axis, largest=largest)[: len(inputs)]


def is_positions(item: Operand, axis: int) -> bool:
    return not isinstance(item, Value) and is_iota(np.asarray(item), axis)


def custom_call(c: Call, *inputs: Operand) -> Any:
    """The two that jax.export writes for chlo's ops."""
    target = c.operation.text("call_target_name")
    if target == "mhlo.erf":
        return c("erf", *inputs)
    if target == "mhlo.topk":
        attributes = c.operation.attribute("mhlo.attributes")
        value = c.value(inputs[0])
        k, largest = int(attributes["k"].value), bool(attributes["largest"].value)
        return c.many("top_k", 2, value, k=k, axis=value.rank - 1, largest=largest)
    raise c.refuse("a call of code that is not in the module")


TABLE: Table = {
    "stablehlo.dot_general": product,
    "stablehlo.dot": product,
    "stablehlo.convolution": convolution,
    "stablehlo.reduce_window": window,
    "stablehlo.reduce": reduction,
    "stablehlo.gather": gather_slices,
    "stablehlo.scatter": add_at,
    "stablehlo.sort": sort,
    "stablehlo.custom_call": custom_call,
    "chlo.top_k": top_k,
}
