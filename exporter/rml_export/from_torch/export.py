"""export_torch: a torch.nn.Module to a graph file, weights and golden outputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind
from torch.utils import _pytree as pytree

from rml_export.builder import Builder
from rml_export.canonical import canonical
from rml_export.errors import ExportError
from rml_export.from_torch.constants import Constant, storage_key
from rml_export.from_torch.lowering import Lowering, Progress
from rml_export.from_torch.mismatch import first_mismatch
from rml_export.from_torch.trace import trace
from rml_export.golden import Tolerance, dump_golden
from rml_export.graph import Graph, Value
from rml_export.passes import PassReport, run_passes
from rml_export.writer import WrittenFiles, write_graph


@dataclass
class Export:
    """A lowered module, not written yet.

    inputs, outputs   the example inputs and the framework's outputs for them, canonical.
    """

    builder: Builder
    inputs: list[np.ndarray]
    outputs: list[np.ndarray]
    passes: PassReport

    @property
    def graph(self) -> Graph:
        return self.builder.graph


@dataclass(frozen=True)
class ExportResult:
    """What export_torch wrote."""

    export: Export
    files: WrittenFiles


def export_torch(
    module: torch.nn.Module,
    inputs: Sequence[Any],
    path: str | Path,
    *,
    tolerance: Tolerance | None = None,
    **options: Any,
) -> ExportResult:
    """Writes PATH.json, PATH.safetensors and the golden file (`golden.safetensors` beside model.json).

    inputs       example inputs as the module's forward takes them; they fix all shapes.
    tolerance    how close an engine's outputs must come to torch's; the exporter holds the graph to it too.
    Options: those of lower_torch. ExportError if the module cannot be exported; nothing is written then.
    """
    tolerance = tolerance or Tolerance()
    export = lower_torch(module, inputs, tolerance=tolerance, **options)
    producer = f"rml_export 0.1 (torch {torch.__version__.split('+')[0]})"
    golden = dump_golden(export.inputs, export.outputs, tolerance)
    return ExportResult(export, write_graph(export.graph, path, producer, golden))


def lower_torch(
    module: torch.nn.Module,
    inputs: Sequence[Any],
    *,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    skip_passes: Sequence[str] = (),
    tolerance: Tolerance | None = None,
    progress: Progress | None = None,
) -> Export:
    """Lowers a module in evaluation mode, runs the passes, and compares with torch's own outputs."""
    was_training = {part: part.training for part in module.modules()}
    module.eval()
    try:
        with torch.no_grad():
            program = trace(module, inputs)
            wanted = [item for item in pytree.tree_leaves(module(*inputs)) if isinstance(item, torch.Tensor)]
    finally:
        for part, training in was_training.items():
            part.training = training
    lowering = Lowering(Builder())
    tensors = add_inputs(lowering, program, inputs, input_names)
    nodes = list(program.graph.nodes)
    lowering.find_tied(nodes)
    lowering.run(nodes, progress)
    add_outputs(lowering, program, output_names)
    outputs = [canonical(item.detach().numpy(), f"output {i}") for i, item in enumerate(wanted)]
    compare(lowering, program, tensors, outputs, tolerance or Tolerance())
    report = run_passes(lowering.builder.graph, skip_passes)
    return Export(lowering.builder, [canonical(item.detach().numpy()) for item in tensors], outputs, report)


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
        if spec.kind == InputKind.USER_INPUT:
            example = next(leaves)
            if isinstance(spec.arg, ConstantArgument) or not isinstance(example, torch.Tensor):
                lowering.known[node] = example
                continue
            name = names[len(tensors)] if names and len(tensors) < len(names) else spec.arg.name
            lowering.known[node] = lowering.builder.input(name, example.detach().numpy())
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


def compare(
    lowering: Lowering,
    program: Any,
    tensors: Sequence[torch.Tensor],
    outputs: Sequence[np.ndarray],
    tolerance: Tolerance,
) -> None:
    """ExportError if the graph's examples are not torch's outputs; names the first value that differs."""
    for output, want in zip(lowering.builder.graph.outputs, outputs, strict=True):
        text = tolerance.difference(output.value.example, want)
        if text is not None:
            place = first_mismatch(program, lowering.known, tensors, tolerance)
            raise ExportError(f"output '{output.name}' differs from torch: {text}; {place}")
