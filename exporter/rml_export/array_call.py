"""What lowering functions of the front ends that work on NumPy arrays see: constants, nodes under a name, refusals."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from rml_export.builder import Builder
from rml_export.graph import Value
from rml_export.xla_ops import UnsupportedError
from rml_export.xla_ops import reshape as reshape_value

Operand = Value | np.ndarray  # an array is known at export time, in the framework's own dtype


def canonical_dtype(dtype: Any) -> str:
    """ "f32" for floating point and bool, "i32" for integers. UnsupportedError for anything else."""
    try:
        kind = np.dtype(dtype)
    except TypeError as error:  # keys of random numbers, lists of tensors
        raise UnsupportedError(f"values of dtype {dtype}") from error
    if kind.kind in "fb" or kind.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        return "f32"
    if kind.kind in "iu":
        return "i32"
    raise UnsupportedError(f"values of dtype {kind.name}")


class ConstantPool:
    """Turns arrays into constants of the graph, each stored once; arrays that are parameters keep their names."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.names: dict[int, str] = {}
        self.taken: set[str] = set()
        self.values: dict[tuple[int, str], Value] = {}
        self.alive: list[np.ndarray] = []

    def name(self, array: np.ndarray, name: str) -> None:
        """Notes the name of a parameter."""
        self.names.setdefault(id(array), name)
        self.alive.append(array)

    def name_after(self, results: Sequence[np.ndarray], args: Sequence[np.ndarray], op: str) -> None:
        """Names what was computed from one parameter alone: "fc1.weight.transpose"; the same elements keep the name."""
        names = {self.names[id(item)] for item in args if id(item) in self.names}
        if len(results) == 1 and len(args) == 1 and len(names) == 1:
            kept = op in ("broadcast_in_dim", "reshape", "squeeze", "expanddims") and results[0].size == args[0].size
            self.name(results[0], names.pop() if kept else f"{names.pop()}.{op}")

    def value(self, array: np.ndarray, dtype: str | None = None) -> Value:
        """The array as f32 or i32 (default: what its dtype maps to)."""
        kind = dtype or canonical_dtype(array.dtype)
        key = id(array), kind
        if key not in self.values:
            name = self.unique(self.names.get(id(array))) if kind == canonical_dtype(array.dtype) else None
            data = array if kind == canonical_dtype(array.dtype) else array.astype(np.float32 if kind == "f32" else int)
            self.values[key] = self.builder.constant(np.asarray(data), name)
            self.alive.append(array)  # so that no other array gets its address
        return self.values[key]

    def unique(self, name: str | None) -> str | None:
        """The name, numbered if it is taken."""
        if name is None:
            return None
        number, candidate = 1, name
        while candidate in self.taken:
            number += 1
            candidate = f"{name}#{number}"
        self.taken.add(candidate)
        return candidate


class ArrayCall(ABC):
    """One op of the framework. Arguments arrive as Value (depends on the inputs) or as arrays."""

    def __init__(self, builder: Builder, pool: ConstantPool, name: str) -> None:
        self.builder = builder
        self.pool = pool
        self.name = name

    @property
    @abstractmethod
    def record(self) -> tuple[tuple[int, ...], Any]:
        """The framework's shape and dtype of the (first) result."""

    @property
    def shape(self) -> tuple[int, ...]:
        return self.record[0]

    @property
    def dtype(self) -> str:
        """The result's dtype in the graph."""
        return canonical_dtype(self.record[1])

    @property
    def is_bool(self) -> bool:
        return self.record[1] == np.bool_

    def __call__(self, op: str, *inputs: Operand, **attrs: Any) -> Value:
        """Adds a node (rml_export.xla_ops.Emit)."""
        return self.builder.op(op, *(self.value(item) for item in inputs), name=self.name, **attrs)

    def many(self, op: str, count: int, *inputs: Operand, **attrs: Any) -> tuple[Value, ...]:
        """Adds a node with several outputs."""
        return self.builder.op_multi(op, count, *(self.value(item) for item in inputs), name=self.name, **attrs)

    def constant(self, array: Any) -> Value:
        return self.builder.constant(np.asarray(array))

    def number(self, number: float) -> Value:
        """A constant of the result's dtype."""
        return self.constant(np.float32(number) if self.dtype == "f32" else np.int32(number))

    def value(self, item: Operand, dtype: str | None = None) -> Value:
        """The argument as a value, cast to `dtype` if given."""
        if not isinstance(item, Value):
            return self.pool.value(item, dtype)
        return self("cast", item, to=dtype) if dtype is not None and item.dtype != dtype else item

    def floats(self, item: Operand, what: str) -> Value:
        """An argument that must be floating point."""
        value = self.value(item)
        if value.dtype != "f32":
            raise self.refuse(f"{what} of integers")
        return value

    def known(self, item: Operand, what: str) -> np.ndarray:
        """An argument that must not depend on the inputs: a shape, axes, paddings."""
        if isinstance(item, Value):
            raise self.refuse(f"{what} that depend{'s' if what.startswith(('a ', 'an ')) else ''} on the inputs")
        return np.asarray(item)

    def reshape(self, item: Operand, shape: Sequence[int]) -> Value:
        return reshape_value(self, self.value(item), shape)

    def refuse(self, reason: str) -> UnsupportedError:
        """The error for a use of this op that cannot be expressed; the caller raises it."""
        return UnsupportedError(reason)
