"""What a lowering function sees: one operation of the module, its arguments, and the builder."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rml_export.array_call import ArrayCall, ConstantPool, Operand
from rml_export.builder import Builder
from rml_export.from_stablehlo.module import Operation
from rml_export.graph import Value


class Pool(ConstantPool):
    """Constants that repeat a slice are stored as the slice, with a broadcast_to that the clean-up passes remove."""

    def value(self, array: np.ndarray, dtype: str | None = None) -> Value:
        small = one_slice(array)
        if small is array:
            return super().value(array, dtype)
        key = id(array), dtype or ""
        if key not in self.values:
            if id(array) in self.names:
                self.name(small, self.names[id(array)])
            kept = super().value(small, dtype)
            self.values[key] = self.builder.op("broadcast_to", kept, shape=array.shape, fold=False)
            self.alive.append(array)
        return self.values[key]


def one_slice(array: np.ndarray) -> np.ndarray:
    """The part that a broadcast array (np.broadcast_to) repeats; the array itself if it repeats nothing."""
    repeats = [step == 0 and size > 1 for step, size in zip(array.strides, array.shape, strict=True)]
    if not any(repeats):
        return array
    return array[tuple(slice(0, 1) if repeat else slice(None) for repeat in repeats)]


class Call(ArrayCall):
    """One operation. With `plain`, arguments become constants as they are, so that the builder folds the result."""

    def __init__(self, builder: Builder, pool: ConstantPool, operation: Operation, name: str, plain: bool) -> None:
        super().__init__(builder, pool, name)
        self.operation = operation
        self.plain = plain

    @property
    def record(self) -> tuple[tuple[int, ...], Any]:
        result = self.operation.result_type()
        return tuple(result.shape), result.dtype

    def arg_dtype(self, index: int) -> np.dtype:
        return self.operation.operand_type(index).dtype

    def __call__(self, op: str, *inputs: Operand, **attrs: Any) -> Value:
        """Adds a node. A parameter that is transposed at once, as a convolution's kernel, keeps its name."""
        result = super().__call__(op, *inputs, **attrs)
        source = inputs[0] if inputs else None
        if op == "transpose" and result.is_constant and isinstance(source, Value) and source.name:
            result.name = self.pool.unique(f"{source.name}.{op}")
        return result

    def value(self, item: Operand, dtype: str | None = None) -> Value:
        if self.plain and isinstance(item, np.ndarray):
            item = self.builder.constant(np.ascontiguousarray(item).reshape(item.shape))
        return super().value(item, dtype)


Lowered = Value | tuple[Value, ...]
LoweringFn = Callable[..., Lowered]
Table = dict[str, LoweringFn]
FoldFn = Callable[..., Any]
