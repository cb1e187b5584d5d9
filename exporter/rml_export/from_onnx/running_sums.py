"""Sums along an axis up to each place."""

from rml_export.from_onnx.call import Call, Operand, Table
from rml_export.from_onnx.elementwise import check_width
from rml_export.graph import Value


def running_sum(c: Call, x: Operand, axis: Operand) -> Value:
    check_width(c)
    value = c.value(x)
    along = c.one_axis(int(c.known(axis, "an axis").reshape(())), value.rank)
    return c("cumsum", value, axis=along, exclusive=bool(c.attr("exclusive", 0)), reverse=bool(c.attr("reverse", 0)))


TABLE: Table = {"CumSum": running_sum}
