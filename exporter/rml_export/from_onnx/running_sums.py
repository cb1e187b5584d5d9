"""Sums along an axis up to each place."""

from rml_export.array_ops import reverse
from rml_export.from_onnx.call import Call, Operand, Table
from rml_export.from_onnx.elementwise import check_width
from rml_export.graph import Value


def running_sum(c: Call, x: Operand, axis: Operand) -> Value:
    """By doubling: with the value 1, 2, 4 ... places before added, each place holds that many terms more."""
    check_width(c)
    value = c.value(x)
    along = c.one_axis(int(c.known(axis, "an axis").reshape(())), value.rank)
    is_reverse, size = bool(c.attr("reverse", 0)), value.shape[along]
    total = reverse(c, value, [along]) if is_reverse else value
    if c.attr("exclusive", 0):
        total = shifted(c, total, along, 1)
    step = 1
    while step < size:
        total = c("add", total, shifted(c, total, along, step))
        step *= 2
    return reverse(c, total, [along]) if is_reverse else total


def shifted(c: Call, x: Value, axis: int, places: int) -> Value:
    """Zeros, then x without its last `places`."""
    size = x.shape[axis]
    if size == 0:
        return x
    shape = (*x.shape[:axis], min(places, size), *x.shape[axis + 1 :])
    zeros = c.builder.op("broadcast_to", c.number(0), shape=shape, fold=False)
    if places >= size:
        return zeros
    kept = c("slice", x, axes=(axis,), starts=(0,), ends=(size - places,), steps=(1,))
    return c("concat", zeros, kept, axis=axis)


TABLE: Table = {"CumSum": running_sum}
