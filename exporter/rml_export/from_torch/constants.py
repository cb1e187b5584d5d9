"""Constants on their way through an export: torch tensors until an op of the graph reads them."""

from dataclasses import dataclass

import numpy as np
import torch

from rml_export.builder import Builder
from rml_export.canonical import canonical
from rml_export.errors import ExportError
from rml_export.graph import Value

_NUMPYS = (torch.float16, torch.float32, torch.float64)  # the others, bfloat16 among them, NumPy does not know


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
            array = array_of(tensor, f"constant '{constant.name}'" if constant.name else "a constant")
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


def array_of(tensor: torch.Tensor, what: str) -> np.ndarray:
    """The tensor as float32 or int32. ExportError if it is not dense, or not of such numbers; `what` names it."""
    return canonical(plain_array(tensor, what), what)


def plain_array(tensor: torch.Tensor, what: str) -> np.ndarray:
    """The tensor in its own dtype where NumPy has it. ExportError if it is not dense."""
    if tensor.layout != torch.strided or tensor.is_quantized:
        kind = "quantized" if tensor.is_quantized else str(tensor.layout).removeprefix("torch.")
        raise ExportError(f"{what} is a {kind} tensor; expected a dense one")
    if tensor.device.type == "meta":
        raise ExportError(f"{what} is on the device 'meta', which keeps no elements")
    plain = tensor.detach().cpu().resolve_conj().resolve_neg()
    if plain.dtype.is_floating_point and plain.dtype not in _NUMPYS:
        plain = plain.float()
    return plain.numpy()


def storage_key(tensor: torch.Tensor) -> tuple:
    """Equal for tensors that are the same elements in memory."""
    return (
        tensor.untyped_storage().data_ptr(),
        tensor.storage_offset(),
        tuple(tensor.shape),
        tensor.stride(),
        tensor.dtype,
    )


def numpy_dtype(dtype: torch.dtype) -> np.dtype:
    """NumPy's, float32 for those that it does not know."""
    if dtype.is_floating_point and dtype not in _NUMPYS:
        return np.dtype(np.float32)
    return np.dtype(str(dtype).removeprefix("torch."))


def canonical_dtype(dtype: torch.dtype) -> str:
    """ "f32" for floating point and bool, "i32" for integers."""
    return "f32" if dtype.is_floating_point or dtype == torch.bool else "i32"
