"""Constants on their way through an export: torch tensors until an op of the graph reads them."""

from dataclasses import dataclass

import torch

from rml_export.builder import Builder
from rml_export.canonical import canonical
from rml_export.graph import Value


@dataclass(eq=False)
class Constant:
    """A tensor known at export time, in torch's own dtype. Named: a parameter or buffer, or made from one alone."""

    tensor: torch.Tensor
    name: str | None = None


class ConstantPool:
    """Turns constants into values of the graph, each stored once however many names or readers it has."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._values: dict[tuple, Value] = {}
        self._names: set[str] = set()
        self._alive: list[torch.Tensor] = []

    def value(self, constant: Constant, dtype: str | None = None) -> Value:
        """The constant as f32 or i32 (default: what its dtype maps to). Tied parameters give one value."""
        tensor = constant.tensor
        key = (*storage_key(tensor), dtype)
        if key not in self._values:
            array = canonical(
                tensor.detach().cpu().numpy(), f"constant '{constant.name}'" if constant.name else "a constant"
            )
            if dtype is not None and canonical_dtype(tensor.dtype) != dtype:
                array = array.astype("float32" if dtype == "f32" else "int32")
            name = self._unique(constant.name) if constant.name else None
            self._values[key] = self._builder.constant(array, name)
            self._alive.append(tensor)  # so that no other tensor gets its address
        return self._values[key]

    def _unique(self, name: str) -> str:
        candidate, number = name, 1
        while candidate in self._names:
            number += 1
            candidate = f"{name}#{number}"
        self._names.add(candidate)
        return candidate


def storage_key(tensor: torch.Tensor) -> tuple:
    """Equal for tensors that are the same elements in memory."""
    return (
        tensor.untyped_storage().data_ptr(),
        tensor.storage_offset(),
        tuple(tensor.shape),
        tensor.stride(),
        tensor.dtype,
    )


def canonical_dtype(dtype: torch.dtype) -> str:
    """ "f32" for floating point and bool, "i32" for integers."""
    return "f32" if dtype.is_floating_point or dtype == torch.bool else "i32"
