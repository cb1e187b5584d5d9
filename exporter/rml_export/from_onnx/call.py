"""What a lowering function sees: one node, its attributes, ONNX's dtypes, and the builder."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx

from rml_export.array_call import ArrayCall, ConstantPool, Operand
from rml_export.builder import Builder
from rml_export.from_onnx.record import Record
from rml_export.graph import Value
from rml_export.xla_ops import UnsupportedError

__all__ = ["Call", "LoweringFn", "Operand", "Table"]


class Call(ArrayCall):
    """One node.

    attributes   with those of an enclosing function's call filled in
    version      the opset version that defined the operator as it is here
    dtypes       ONNX's dtype of each input; None where an optional one is left out
    records      ONNX's type of each output
    """

    def __init__(
        self,
        builder: Builder,
        pool: ConstantPool,
        node: onnx.NodeProto,
        name: str,
        attributes: Mapping[str, onnx.AttributeProto],
        version: int,
        dtypes: Sequence[np.dtype | None],
        records: Sequence[Record],
    ) -> None:
        super().__init__(builder, pool, name)
        self.node = node
        self.attributes = attributes
        self.version = version
        self.dtypes = dtypes
        self.records = records
        self.read: set[str] = set()

    @property
    def record(self) -> tuple[tuple[int, ...], Any]:
        """The shape is empty where ONNX does not know all of it, which lowerings do not rely on."""
        first = self.records[0]
        if first.dtype is None:
            raise UnsupportedError("a result whose type ONNX cannot tell")
        return first.shape if first.shape is not None else (), first.dtype

    def attr(self, name: str, default: Any = None) -> Any:
        """An attribute's value, text as str; the default where it is left out."""
        self.read.add(name)
        if name not in self.attributes:
            return default
        value = onnx.helper.get_attribute_value(self.attributes[name])
        return value.decode() if isinstance(value, bytes) else value

    def unread(self) -> list[str]:
        """Attributes that the lowering did not look at: what they ask for would be lost."""
        return sorted(set(self.attributes) - self.read)

    def integers(self, item: Operand | None, attribute: str, what: str) -> list[int] | None:
        """Numbers that newer opsets give as an input and older ones as an attribute; None where neither is there."""
        given = self.attr(attribute) if item is None else self.known(item, what).reshape(-1)
        if given is None:
            return None
        return [int(number) for number in (given if isinstance(given, Sequence | np.ndarray) else [given])]

    def axis(self, rank: int, default: int | None = None) -> int:
        """The attribute `axis`, non-negative."""
        return self.one_axis(self.attr("axis", default), rank)

    def one_axis(self, axis: int, rank: int) -> int:
        if not -rank <= axis < rank:
            raise self.refuse(f"axis {axis} of an input of rank {rank}")
        return int(axis) % rank

    def many_axes(self, axes: Sequence[int], rank: int) -> tuple[int, ...]:
        """Non-negative and sorted."""
        return tuple(sorted({self.one_axis(axis, rank) for axis in axes}))


Lowered = Value | tuple[Value | None, ...]
LoweringFn = Callable[..., Lowered]
Table = dict[str, LoweringFn]
