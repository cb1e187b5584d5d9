"""A PyTorch module as StableHLO: torch.export, then torch-mlir in its own process."""

from collections.abc import Sequence
from operator import getitem
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch.export.graph_signature import ConstantArgument, InputKind, TensorArgument

from rml_export.errors import ExportError
from rml_export.from_stablehlo.front_end import Argument, Produced
from rml_export.from_stablehlo.torch_mlir import WORKER, TorchMlirError
from rml_export.from_torch import TorchModel
from rml_export.from_torch.constants import plain_array, storage_key
from rml_export.from_torch.export import default_names
from rml_export.from_torch.trace import explained, source_line
from rml_export.unsupported import Unsupported, describe

_POSITIONS = frozenset({torch.ops.aten.argmax.default, torch.ops.aten.argmin.default, torch.ops.aten.argsort.default})
_VALUES_AND_POSITIONS = frozenset({torch.ops.aten.topk.default, torch.ops.aten.sort.default})
_COPIES = frozenset(
    {
        torch.ops.aten.lift_fresh_copy.default,
        torch.ops.aten.detach_.default,
        torch.ops.aten.detach.default,
        torch.ops.aten.clone.default,
        torch.ops.aten._to_copy.default,
        torch.ops.aten.to.dtype,
    }
)
_MAX_TEXT = 1000  # torch-mlir explains at length


def produce(model: TorchModel, inputs: Sequence[np.ndarray]) -> Produced:
    """Parameters and buffers are arguments of @main under their names."""
    program = model.evaluating(lambda: export(model, inputs))
    refuse_wrapping_indices(program)
    arguments = named_arguments(model, program)
    count = sum(isinstance(spec.arg, TensorArgument) for spec in program.graph_signature.output_specs)
    names = model.output_names if model.output_names is not None else default_names(program, count)
    try:
        text = WORKER.lower(program)
    except TorchMlirError as error:
        raise ExportError(refused(error)) from error
    return Produced(text, arguments, list(names))


def export(model: TorchModel, inputs: Sequence[np.ndarray]) -> Any:
    """The program for these inputs; its ops are decomposed where torch-mlir runs."""
    with explained():
        return torch.export.export(model.module, model.arguments(inputs), strict=False)


def refuse_wrapping_indices(program: Any) -> None:
    """ExportError for x[i] where i is computed from the inputs, or is a constant with negative numbers: torch-mlir does
    not count a negative i from the end.

    Nothing would tell as long as the example inputs hold no negative index, so that computed ones are refused whatever
    they hold.
    """
    signature = program.graph_signature
    computed = set(signature.user_inputs)  # names of the values that depend on the inputs
    found = []
    for node in program.graph.nodes:
        if node.op != "call_function" or computed.isdisjoint(argument.name for argument in node.all_input_nodes):
            continue
        if not counts_from_zero(node):
            computed.add(node.name)
        indices = node.args[1] if node.target == torch.ops.aten.index.Tensor else ()
        if any(index is not None and index.name in computed for index in indices):
            advice = "of computed indices from the end; export without --via, or use index_select or an embedding"
        elif any(index is not None and has_negative(program, index) for index in indices):
            advice = "of constant indices from the end; export without --via, or count from the start"
        else:
            continue
        line = source_line(node)
        reason = f"torch-mlir does not count the negative ones {advice}"
        found.append(Unsupported("aten.index.Tensor", reason, f"at {line}" if line else ""))
    if found:
        raise ExportError(describe(found))


def has_negative(program: Any, index: Any) -> bool:
    """Whether a constant, or a copy of one, holds negative integers. What is computed of constants is not looked at."""
    while index.target in _COPIES:
        index = index.args[0]
    specs = [spec for spec in program.graph_signature.input_specs if spec.arg.name == index.name]
    if index.op != "placeholder" or not specs:
        return False
    tensor = {**program.state_dict, **program.constants}.get(specs[0].target)
    return isinstance(tensor, torch.Tensor) and not tensor.is_floating_point() and bool((tensor < 0).any())


def counts_from_zero(node: Any) -> bool:
    """Positions within an axis, which are never negative."""
    if node.target is getitem:
        return node.args[0].target in _VALUES_AND_POSITIONS and node.args[1] == 1
    return node.target in _POSITIONS


def named_arguments(model: TorchModel, program: Any) -> list[Argument]:
    """One for each placeholder of the program, in its order."""
    first_names: dict[tuple, str] = {}  # tied parameters go by the first of their names
    for name, tensor in program.state_dict.items():
        first_names.setdefault(storage_key(tensor), name)
    names = iter(model.input_names or ())
    arguments: list[Argument] = []
    for spec in program.graph_signature.input_specs:
        if spec.kind == InputKind.USER_INPUT:
            if isinstance(spec.arg, ConstantArgument):
                raise ExportError(
                    f"input '{spec.arg.name}' is no tensor: PyTorch's way to StableHLO takes tensors only"
                )
            arguments.append(Argument(next(names, spec.arg.name)))
            continue
        stored = spec.kind in (InputKind.PARAMETER, InputKind.BUFFER) and spec.target in program.state_dict
        tensor = (program.state_dict if stored else program.constants)[spec.target].detach()
        name = first_names[storage_key(tensor)] if stored else str(spec.target)
        arguments.append(Argument(name, plain_array(tensor, f"constant '{name}'")))
    asked = len(model.input_names or ())
    if asked and asked != len(model.examples):
        raise ExportError(f"{asked} input names for {len(model.examples)} inputs: {', '.join(model.input_names or ())}")
    return arguments


def refused(error: TorchMlirError) -> list[str]:
    """What torch-mlir does not lower, by ATen's name, module and line; its own words where no single op is at fault."""
    found = []
    for item in error.unsupported:
        line = source_line(SimpleNamespace(meta={"stack_trace": item["stack"]}))
        places = [f"in module '{item['module']}'" if item["module"] else "", f"at {line}" if line else ""]
        where = " ".join(filter(None, places))
        found.append(Unsupported(item["op"], "torch-mlir cannot lower it to StableHLO", where))
    return describe(found) if found else [f"torch-mlir: {str(error)[:_MAX_TEXT]}"]
