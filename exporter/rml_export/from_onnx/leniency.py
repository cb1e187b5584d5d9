"""What files say otherwise than today's operators do, and runtimes take."""

from collections.abc import Sequence

from rml_export.from_onnx.call import Call, Operand
from rml_export.from_onnx.record import Tensor
from rml_export.graph import Value


def aligned(c: Call, operands: Sequence[Operand | None]) -> Sequence[Operand | None]:
    """Before opset 7 the second operand broadcasts only if the attribute says so, its axes beginning at `axis`."""
    if c.version >= 7 or not c.attr("broadcast", 0) or len(operands) != 2:
        return operands
    left, right = operands
    axis = c.attr("axis")
    if axis is None or left is None or right is None:
        return operands
    behind = len(left.shape) - c.one_axis(axis, len(left.shape)) - len(right.shape)
    return [left, c.reshape(right, (*right.shape, *(1,) * behind))] if behind > 0 else operands


def scalars(args: Sequence[Tensor | None]) -> list[Tensor | None]:
    """Numbers that are given as arrays of one element, as ONNX's own bodies give them to Range."""
    return [
        Tensor(item.operand.reshape(()), item.dtype)
        if item is not None and not isinstance(item.operand, Value) and item.operand.size == 1
        else item
        for item in args
    ]
