"""What a lowering function sees: one operation of a frozen graph, its attributes, and the builder."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rml_export.array_call import ArrayCall, ConstantPool, Operand
from rml_export.builder import Builder
from rml_export.graph import Value
from rml_export.xla_ops import UnsupportedError

__all__ = ["Call", "LoweringFn", "Operand", "Table"]


class Call(ArrayCall):
    """One operation; path: the call that it is part of, with a slash behind."""

    def __init__(self, builder: Builder, pool: ConstantPool, operation: Any, path: str) -> None:
        super().__init__(builder, pool, path + operation.name)
        self.operation = operation

    def attr(self, name: str) -> Any:
        value = self.operation.get_attr(name)
        return value.decode() if isinstance(value, bytes) else value

    @property
    def record(self) -> tuple[tuple[int, ...], Any]:
        """The shape is empty where TensorFlow does not know all of it, which lowerings do not rely on."""
        result = self.operation.outputs[0]
        return tuple(result.shape.as_list()) if result.shape.is_fully_defined() else (), numpy_dtype(result)

    def arg_dtype(self, index: int) -> np.dtype:
        """TensorFlow's dtype of an argument."""
        return np.dtype(numpy_dtype(self.operation.inputs[index]))

    def axes(self, item: Operand, rank: int) -> tuple[int, ...]:
        """An argument that names axes, non-negative and sorted."""
        return tuple(sorted({int(axis) % rank for axis in self.known(item, "axes").reshape(-1)})) if rank else ()


def numpy_dtype(tensor: Any) -> Any:
    """NumPy's name for TensorFlow's record. UnsupportedError for what is no array: lists of tensors, resources."""
    try:
        return tensor.dtype.as_numpy_dtype
    except (KeyError, TypeError) as error:
        raise UnsupportedError(f"values of dtype {tensor.dtype.name}") from error


Lowered = Value | tuple[Value | None, ...]
LoweringFn = Callable[..., Lowered]
Table = dict[str, LoweringFn]
