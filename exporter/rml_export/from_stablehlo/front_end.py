"""Models on their way through StableHLO: what a producer hands over, and the front end that lowers it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from rml_export.array_call import Operand, canonical_dtype
from rml_export.builder import Builder
from rml_export.canonical import NUMPY_DTYPES
from rml_export.errors import ExportError
from rml_export.from_stablehlo.lowering import Lowering
from rml_export.from_stablehlo.module import TensorType, main_block, parse, tensor_type
from rml_export.front_end import FrontEnd, Lowered, Progress
from rml_export.graph import Value

# The framework of a direct front end -> the module whose produce(model, inputs) makes StableHLO of it.
_PRODUCERS = {
    "jax": "rml_export.from_stablehlo.jax_module",
    "torch": "rml_export.from_stablehlo.torch_module",
    "tensorflow": "rml_export.from_stablehlo.tf_module",
}


@dataclass(frozen=True)
class Argument:
    """One argument of @main: a constant if there is an array (without a name if that is empty), else the next of the
    model's inputs. With `left_out`, @main does not take it: XLA leaves out what has no elements."""

    name: str
    array: np.ndarray | None = None
    left_out: bool = False


@dataclass(frozen=True)
class Produced:
    """A model as a StableHLO module (text, or parsed), with what its @main takes and returns.

    lines   lines of the model by the names of the framework's ops, where the module's locations are such names.
    """

    module: Any
    arguments: Sequence[Argument]
    outputs: Sequence[str]
    lines: Mapping[str, str] = field(default_factory=dict)


Produce = Callable[[Any, Sequence[np.ndarray]], Produced]


def lower_module(produced: Produced, inputs: Sequence[np.ndarray], progress: Progress | None = None) -> Builder:
    """The graph of @main. ExportError with every problem found."""
    module = parse(produced.module) if isinstance(produced.module, str | bytes) else produced.module
    kinds = [argument.type for argument in main_block(module).arguments]
    taken = [argument for argument in produced.arguments if not argument.left_out]
    if len(kinds) != len(taken):
        names = ", ".join(argument.name for argument in taken)
        raise ExportError(f"@main takes {len(kinds)} arguments, expected {len(taken)}: {names}")
    builder = Builder()
    lowering = Lowering(builder, module, progress, produced.lines)
    remaining, types = iter(inputs), map(tensor_type, kinds)
    values: list[Operand] = []
    for argument in produced.arguments:
        array = next(remaining) if argument.array is None else argument.array
        item = builder.input(argument.name, array) if argument.array is None else array
        if not argument.left_out:
            values.append(fitting(lowering, argument.name, item, next(types)))
    results = lowering.run("main", values)
    if len(results) != len(produced.outputs):
        raise ExportError(f"{len(produced.outputs)} output names for {len(results)} outputs")
    for name, item in zip(produced.outputs, results, strict=True):
        builder.output(name, item if isinstance(item, Value) else lowering.pool.value(item))
    return builder


def fitting(lowering: Lowering, name: str, item: Operand, kind: TensorType) -> Operand:
    """The argument, if @main takes it in this shape; a constant in the module's dtype and under its name."""
    if item.shape != kind.shape:
        raise ExportError(f"@main takes '{name}' as {list(kind.shape)}, it is {list(item.shape)}")
    if isinstance(item, Value):
        if item.dtype != canonical_dtype(kind.dtype):
            raise ExportError(f"@main takes '{name}' as {kind.dtype}, it is {NUMPY_DTYPES[item.dtype].__name__}")
        return item
    constant = item if item.dtype == kind.dtype else item.astype(kind.dtype)
    if name:
        lowering.pool.name(constant, name)
    return constant


class ThroughStablehlo:
    """A model of another front end, lowered from the StableHLO that its framework makes of it."""

    def __init__(self, model: FrontEnd, produce: Produce) -> None:
        self.model = model
        self.produce = produce
        self.framework = f"{model.framework} via StableHLO"
        self.examples = model.examples

    def lower(self, inputs: Sequence[np.ndarray], progress: Progress | None = None) -> Lowered:
        return Lowered(lower_module(self.produce(self.model, inputs), inputs, progress), self.run(inputs))

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        return self.model.run(inputs)


def through_stablehlo(model: FrontEnd) -> ThroughStablehlo:
    """The front end that takes a JaxModel (TorchModel, TfModel) by its framework's compiler path."""
    framework = model.framework.split()[0]
    return ThroughStablehlo(model, import_module(_PRODUCERS[framework]).produce)
