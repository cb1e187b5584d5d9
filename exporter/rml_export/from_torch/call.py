"""What a lowering function sees: one call of an ATen op, its arguments, and the builder."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import Node

from rml_export.builder import Builder
from rml_export.errors import ExportError
from rml_export.from_torch.constants import Constant, ConstantPool, canonical_dtype
from rml_export.from_torch.trace import module_path
from rml_export.graph import Value

Operand = Value | Constant | bool | int | float
Lowered = Value | tuple[Value | None, ...]


class UnsupportedError(ExportError):
    """An op, or a use of an op, that rml-graph cannot express; the exporter collects all of them."""


class Call:
    """One call. Arguments arrive as Value (depends on the inputs), Constant or plain Python objects."""

    def __init__(self, builder: Builder, pool: ConstantPool, node: Node, tied: set[tuple]) -> None:
        self.builder = builder
        self.pool = pool
        self.node = node
        self.name = module_path(node)
        self.tied = tied

    @property
    def meta(self) -> Any:
        """torch's record of the result: a fake tensor, or a sequence of them."""
        return self.node.meta["val"]

    @property
    def dtype(self) -> str:
        """The result's dtype in the graph (the first result's, if there are many)."""
        meta = self.meta[0] if isinstance(self.meta, list | tuple) else self.meta
        return canonical_dtype(meta.dtype)

    @property
    def is_bool(self) -> bool:
        """Whether the result is boolean in torch."""
        return self.meta.dtype == torch.bool

    def arg_dtype(self, index: int) -> torch.dtype:
        """torch's dtype of an argument: of a tensor, or of a Python number."""
        argument = self.node.args[index]
        if isinstance(argument, Node):
            return argument.meta["val"].dtype
        kinds = {bool: torch.bool, int: torch.int64, float: torch.float32}
        return kinds[type(argument)]

    def op(self, op: str, *inputs: Operand, fold: bool = True, **attrs: Any) -> Value:
        """Adds a node; constants and numbers among the inputs become values of their own dtype."""
        return self.builder.op(op, *(self.value(item) for item in inputs), name=self.name, fold=fold, **attrs)

    def op_multi(self, op: str, count: int, *inputs: Operand, **attrs: Any) -> tuple[Value, ...]:
        """Adds a node with several outputs."""
        return self.builder.op_multi(op, count, *(self.value(item) for item in inputs), name=self.name, **attrs)

    def value(self, item: Operand, dtype: str | None = None) -> Value:
        """The argument as a value, cast to `dtype` if given. A bare float is f32, a bare integer i32."""
        if isinstance(item, Constant):
            return self.pool.value(item, dtype)
        if not isinstance(item, Value):
            kind = dtype or ("f32" if isinstance(item, float | bool) else "i32")
            torch_dtype = torch.float32 if kind == "f32" else torch.int64
            return self.builder.constant(torch.tensor(item, dtype=torch_dtype).numpy())
        if dtype is not None and item.dtype != dtype:
            return self.builder.op("cast", item, name=self.name, to=dtype)
        return item

    def f32(self, item: Operand) -> Value:
        return self.value(item, "f32")

    def i32(self, item: Operand) -> Value:
        return self.value(item, "i32")

    def like(self, item: Operand) -> Value:
        """The argument in the result's dtype."""
        return self.value(item, self.dtype)

    def reshape(self, item: Operand, shape: Sequence[int]) -> Value:
        """The value in another shape; itself if it has it."""
        value = self.value(item)
        return value if value.shape == tuple(shape) else self.op("reshape", value, shape=tuple(shape))

    def refuse(self, reason: str) -> UnsupportedError:
        """The error for a use of this op that cannot be expressed; the caller raises it."""
        return UnsupportedError(reason)


LoweringFn = Callable[..., Lowered]
Table = dict[Any, LoweringFn]


def shape_of(item: Operand) -> tuple[int, ...]:
    """The shape of an argument; () for a number."""
    if isinstance(item, Constant):
        return tuple(item.tensor.shape)
    return item.shape if isinstance(item, Value) else ()


def axis_of(axis: int, rank: int) -> int:
    """The axis, non-negative."""
    return axis + rank if axis < 0 else axis


def pair(value: int | Sequence[int]) -> tuple[int, int]:
    """(a, b) of an int or a list of one or two."""
    if isinstance(value, int):
        return value, value
    return (value[0], value[0]) if len(value) == 1 else (value[0], value[1])
