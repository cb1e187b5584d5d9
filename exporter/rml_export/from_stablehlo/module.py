"""A StableHLO module as the importer sees it: parsed by jaxlib's MLIR bindings, types and constants as NumPy's."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import jax
import numpy as np
from jax._src.interpreters.mlir import make_ir_context  # registers func, arith, shape, chlo and stablehlo
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from rml_export.errors import ExportError
from rml_export.from_stablehlo.text import clean
from rml_export.xla_ops import UnsupportedError

_DTYPES: dict[str, Any] = {
    "i1": np.bool_,
    "index": np.int64,
    "f16": np.float16,
    "bf16": jax.numpy.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"ui{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
}
_BYTECODE = b"ML\xefR"
_MAX_TEXT = 1000  # what MLIR says of a module that it cannot read


@dataclass(frozen=True)
class TensorType:
    """Shape and dtype of a value as the module records them."""

    shape: tuple[int, ...]
    dtype: np.dtype


class Operation:
    """One operation: its name, types, attributes as Python numbers, and where it comes from."""

    def __init__(self, view: Any) -> None:
        self.raw = view.operation
        self.name: str = self.raw.name

    def __contains__(self, attribute: str) -> bool:
        return attribute in self.raw.attributes

    def attribute(self, name: str) -> Any:
        return self.raw.attributes[name]

    def int(self, name: str, default: int = 0) -> int:
        return int(self.attribute(name).value) if name in self else default

    def ints(self, name: str, default: Sequence[int] = ()) -> tuple[int, ...]:
        """An array of integers, or of booleans as 0 and 1."""
        return tuple(int(item) for item in self.attribute(name)) if name in self else tuple(default)

    def text(self, name: str) -> str:
        """The word of an enumeration or symbol: "GT" of #stablehlo<comparison_direction GT>, "f" of @f."""
        words = str(self.attribute(name)).strip('#@"<>').split()
        return words[-1].rstrip('>"')

    def pads(self, rank: int) -> list[tuple[int, int]]:
        """The padding of a window, low and high for each axis."""
        if "padding" not in self:
            return [(0, 0)] * rank
        return [(int(low), int(high)) for low, high in elements(self.attribute("padding"))]

    def result_type(self, index: int = 0) -> TensorType:
        return tensor_type(self.raw.results[index].type)

    def operand_type(self, index: int) -> TensorType:
        return tensor_type(self.raw.operands[index].type)

    @property
    def label(self) -> str:
        """The name in messages: a custom call goes by its target as well."""
        if self.name == "stablehlo.custom_call":
            return f"{self.name} @{self.text('call_target_name')}"
        return self.name


def parse(source: str | bytes) -> ir.Module:
    """The module of a text or of a portable artifact (MLIR bytecode). ExportError if MLIR cannot read it."""
    context = make_ir_context()
    try:
        if isinstance(source, bytes) and source.startswith(_BYTECODE):
            return stablehlo.deserialize_portable_artifact(context, source)
        text = source.decode() if isinstance(source, bytes) else source
        return ir.Module.parse(clean(text), context)
    except (ir.MLIRError, ValueError) as error:  # a UnicodeDecodeError is a ValueError
        raise ExportError(f"this is no StableHLO module: {str(error)[:_MAX_TEXT]}") from error


def functions(module: ir.Module) -> dict[str, Any]:
    """The functions by name."""
    found = [item.operation for item in module.body.operations if item.operation.name == "func.func"]
    return {item.attributes["sym_name"].value: item for item in found}


def main_block(module: ir.Module) -> Any:
    """The body of @main. ExportError if there is none."""
    found = functions(module)
    if "main" not in found:
        raise ExportError(f"the module has no @main; its functions: {', '.join(found) or 'none'}")
    return found["main"].regions[0].blocks[0]


def tensor_type(kind: Any) -> TensorType:
    """UnsupportedError for what is no tensor of numbers with a fixed shape."""
    try:
        ranked = ir.RankedTensorType(kind)
    except ValueError as error:
        raise UnsupportedError(f"a value of type {kind}") from error
    dtype = _DTYPES.get(str(ranked.element_type))
    if dtype is None:
        raise UnsupportedError(f"values of dtype {ranked.element_type}")
    if not ranked.has_static_shape:
        raise UnsupportedError(f"a value of type {kind}, whose shape is not known")
    return TensorType(tuple(ranked.shape), np.dtype(dtype))


def elements(attribute: Any) -> np.ndarray:
    """The array that a dense attribute is."""
    kind = tensor_type(attribute.type)
    if kind.dtype == np.dtype(jax.numpy.bfloat16):
        return bfloat16_elements(str(attribute), kind)
    if not isinstance(attribute, ir.DenseElementsAttr):
        raise UnsupportedError(f"a constant written as {str(attribute)[:40]}")
    array = np.array(attribute, copy=False) if not attribute.is_splat else splat(attribute, kind)
    return array if array.dtype == kind.dtype else array.astype(kind.dtype)


def bfloat16_elements(text: str, kind: TensorType) -> np.ndarray:
    """From the printed form, because the bindings have no bfloat16: hexadecimal, or numbers and bit patterns."""
    body = text[text.index("<") + 1 : text.rindex("> :")]
    if body.startswith('"0x'):
        return np.frombuffer(bytes.fromhex(body.strip('"')[2:]), kind.dtype).reshape(kind.shape)
    bits, numbers = np.dtype(np.uint16), []
    for word in re.findall(r"[^\[\],\s]+", body):
        pattern = np.array(int(word, 16), bits).view(kind.dtype) if word.startswith("0x") else float(word)
        numbers.append(np.asarray(pattern, kind.dtype))
    array = np.array(numbers, kind.dtype)
    return np.broadcast_to(array.reshape(()), kind.shape) if array.size == 1 else array.reshape(kind.shape)


def splat(attribute: Any, kind: TensorType) -> np.ndarray:
    """One number for all elements: not stored once for each."""
    array = np.array(attribute)
    number = array.reshape(-1)[0] if prod(kind.shape) else np.zeros((), kind.dtype)
    return np.broadcast_to(np.asarray(number), kind.shape)


def source_line(operation: Operation) -> str:
    """ "model.py:12" of the innermost frame outside of installed packages, or the line of the module's own text."""
    places = re.findall(r'"([^"]*)":(\d+)', str(operation.raw.location))
    own = [(file, line) for file, line in places if "site-packages" not in file]
    for file, line in own or places:
        return f"line {line} of the module" if file == "-" else f"{file.rpartition('/')[2]}:{line}"
    return ""


def location_names(operation: Operation) -> list[str]:
    """The names of the framework's ops that the operation comes from, as TensorFlow records them."""
    return [name for text in re.findall(r'"([^"]+)"', str(operation.raw.location)) for name in text.split(";")]


def scope(operation: Operation) -> str:
    """The name scopes that JAX records: "encoder/layer" of jit(f)/encoder/layer/dot_general."""
    match = re.match(r'loc\("([^":]*/[^":]*)"\(', str(operation.raw.location))
    parts = match.group(1).split("/")[:-1] if match else []
    return "/".join(part for part in parts if "(" not in part)
