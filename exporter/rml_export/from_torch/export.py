"""export_torch: a torch.nn.Module to a graph file, weights and golden outputs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind
from torch.utils import _pytree as pytree

from rml_export.builder import Builder
from rml_export.errors import ExportError
from rml_export.export import Export, ExportOptions, ExportResult, export_model, lower_model, take_way
from rml_export.from_torch.constants import Constant, array_of, storage_key
from rml_export.from_torch.lowering import Lowering
from rml_export.from_torch.mismatch import first_mismatch
from rml_export.from_torch.trace import trace
from rml_export.front_end import Lowered, Progress
from rml_export.graph import Value


def export_torch(
    module: torch.nn.Module,
    inputs: Sequence[Any],
    path: str | Path,
    *,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    via: str = "direct",
    **options: Any,
) -> ExportResult:
    """Writes PATH.json, PATH.safetensors and the golden file (`golden.safetensors` beside model.json).

    inputs       example inputs as the module's forward takes them; they fix all shapes but the batch.
    via          "direct", or "stablehlo": what the framework's compiler path makes of it, lowered by from_stablehlo.
    Options: those of ExportOptions. ExportError if the module cannot be exported; nothing is written then.
    """
    model = take_way(TorchModel(module, inputs, input_names, output_names), via)
    return export_model(model, path, ExportOptions(**options))


def lower_torch(
    module: torch.nn.Module,
    inputs: Sequence[Any],
    *,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    via: str = "direct",
    **options: Any,
) -> Export:
    """Lowers a module in evaluation mode, runs the passes, and compares with torch's own outputs."""
    return lower_model(take_way(TorchModel(module, inputs, input_names, output_names), via), ExportOptions(**options))


class TorchModel:
    """The PyTorch front end (rml_export.front_end.FrontEnd) of one module."""

    def __init__(
        self,
        module: torch.nn.Module,
        inputs: Sequence[Any],
        input_names: Sequence[str] | None = None,
        output_names: Sequence[str] | None = None,
    ) -> None:
        self.module = module
        self.input_names = input_names
        self.output_names = output_names
        self.framework = f"torch {torch.__version__.split('+')[0]}"
        self.leaves, self.structure = pytree.tree_flatten(tuple(inputs))
        tensors = [leaf for leaf in self.leaves if isinstance(leaf, torch.Tensor)]
        self.examples = [array_of(tensor, f"input {i}") for i, tensor in enumerate(tensors)]

    def lower(self, inputs: Sequence[np.ndarray], progress: Progress | None = None) -> Lowered:
        arguments = self.arguments(inputs)
        program = self.evaluating(lambda: trace(self.module, arguments))
        lowering = Lowering(Builder())
        tensors = add_inputs(lowering, program, arguments, self.input_names)
        nodes = list(program.graph.nodes)
        lowering.find_tied(nodes)
        lowering.run(nodes, progress)
        add_outputs(lowering, program, self.output_names)
        return Lowered(
            lowering.builder,
            self.run(inputs),
            lambda tolerance: first_mismatch(program, lowering.known, tensors, tolerance),
        )

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        arguments = self.arguments(inputs)
        try:
            results = pytree.tree_leaves(self.evaluating(lambda: self.module(*arguments)))
        except Exception as error:  # a module raises whatever it likes
            raise ExportError(f"the module cannot run: {type(error).__name__}: {error}") from error
        tensors = [item for item in results if isinstance(item, torch.Tensor)]
        return [array_of(item, f"output {i}") for i, item in enumerate(tensors)]

    def arguments(self, inputs: Sequence[np.ndarray]) -> tuple[Any, ...]:
        """The module's arguments with these arrays as tensors, in the examples' own dtypes."""
        arrays = iter(inputs)
        leaves = [
            torch.from_numpy(np.array(next(arrays))).to(leaf.dtype) if isinstance(leaf, torch.Tensor) else leaf
            for leaf in self.leaves
        ]
        return pytree.tree_unflatten(leaves, self.structure)

    def evaluating(self, action: Any) -> Any:
        """What the action returns with the module in evaluation mode; each part's own mode is put back."""
        was_training = {part: part.training for part in self.module.modules()}
        self.module.eval()
        try:
            with torch.no_grad():
                return action()
        finally:
            for part, training in was_training.items():
                part.training = training


def add_inputs(
    lowering: Lowering, program: Any, inputs: Sequence[Any], names: Sequence[str] | None
) -> list[torch.Tensor]:
    """Graph inputs for tensors, constants for parameters, buffers and lifted tensors; returns the input tensors."""
    first_names: dict[tuple, str] = {}  # tied parameters go by the first of their names
    for name, tensor in program.state_dict.items():
        first_names.setdefault(storage_key(tensor), name)
    placeholders = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    leaves = iter(pytree.tree_leaves(tuple(inputs)))
    tensors: list[torch.Tensor] = []
    for spec in program.graph_signature.input_specs:
        node = placeholders[spec.arg.name]
        if spec.kind == InputKind.TOKEN:  # orders ops with effects, which are refused
            lowering.known[node] = None
        elif spec.kind == InputKind.USER_INPUT:
            example = next(leaves)
            if isinstance(spec.arg, ConstantArgument) or not isinstance(example, torch.Tensor):
                lowering.known[node] = example
                continue
            name = names[len(tensors)] if names and len(tensors) < len(names) else spec.arg.name
            lowering.known[node] = lowering.builder.input(name, array_of(example, f"input '{name}'"))
            tensors.append(example)
        elif spec.kind in (InputKind.PARAMETER, InputKind.BUFFER) and spec.target in program.state_dict:
            tensor = program.state_dict[spec.target]
            lowering.known[node] = Constant(tensor.detach(), first_names[storage_key(tensor)])
        else:  # non-persistent buffers and tensors made in forward are kept apart from the state
            name = None if spec.kind == InputKind.CONSTANT_TENSOR else spec.target
            lowering.known[node] = Constant(program.constants[spec.target].detach(), name)
    if names is not None and len(names) != len(tensors):
        raise ExportError(f"{len(names)} input names for {len(tensors)} inputs: {', '.join(names)}")
    return tensors


def add_outputs(lowering: Lowering, program: Any, names: Sequence[str] | None) -> None:
    """Graph outputs, named as asked, by the keys of a returned dict, or output, output_1 ..."""
    mutated = [spec.target for spec in program.graph_signature.output_specs if spec.kind != OutputKind.USER_OUTPUT]
    if mutated:
        raise ExportError(
            f"the model writes to its buffers or inputs: {', '.join(map(str, mutated))}; a served model has no state"
        )
    (result,) = next(node for node in program.graph.nodes if node.op == "output").args
    found = [lowering.known[item] for item in result if isinstance(item, torch.fx.Node)]
    names = list(names) if names is not None else default_names(program, len(found))
    if len(names) != len(found):
        raise ExportError(f"{len(names)} output names for {len(found)} outputs: {', '.join(names)}")
    for name, item in zip(names, found, strict=True):
        value = item if isinstance(item, Value) else lowering.pool.value(item)
        lowering.builder.output(name, value)


def default_names(program: Any, count: int) -> list[str]:
    """The keys of a returned dict of tensors; else output, or output_0, output_1 ..."""
    spec = program.call_spec.out_spec
    if spec is not None and spec.type is dict and len(spec.context) == count:
        return [str(key) for key in spec.context]
    return ["output"] if count == 1 else [f"output_{i}" for i in range(count)]
