"""A traced function as a graph of constants, and what TensorFlow remembers of it: variables' names, lines of code."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from linecache import getline
from pathlib import Path
from typing import Any

import keras
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from rml_export.errors import ExportError

# Frames of these packages say nothing about the user's model.
_PACKAGES = tuple(f"{Path(str(module.__file__)).parent}/" for module in (tf, keras))


@dataclass(frozen=True)
class Frozen:
    """function: without variables, calls inlined where TensorFlow does so; names, lines: see Lowering."""

    function: Any
    names: dict[str, str]
    lines: dict[str, str]


def freeze(traced: Any, entry: Callable[..., Any]) -> Frozen:
    """entry: the function that was traced, whose frame ends the user's part of a stack."""
    refuse_assignments(traced)
    names = variable_names(traced)
    lines: dict[str, str] = {}
    collect_lines(traced.graph, "", entry.__code__.co_filename, lines)
    return Frozen(convert_variables_to_constants_v2(traced, lower_control_flow=False), names, lines)


def variable_names(traced: Any) -> dict[str, str]:
    """The variables' names by those of the placeholders that stand for them."""
    handles = {id(variable.handle): variable.name.removesuffix(":0") for variable in traced.graph.variables}
    return {inner.op.name: handles[id(outer)] for outer, inner in traced.graph.captures if id(outer) in handles}


def refuse_assignments(traced: Any) -> None:
    """ExportError if the function writes to a variable: freezing would fail, and XLA would return it."""
    names = variable_names(traced)
    written = {
        names.get(operation.inputs[0].op.name, operation.inputs[0].op.name)
        for operation in traced.graph.get_operations()
        if operation.type.startswith("Assign") and operation.type.endswith("VariableOp")
    }
    if written:
        listed = ", ".join(sorted(written))
        raise ExportError(f"the function writes to its variables: {listed}; a served model has no state")


def collect_lines(graph: Any, path: str, entry: str, lines: dict[str, str]) -> None:
    """operation name -> "model.py:12: code" of the innermost frame outside TensorFlow, calls included."""
    for operation in graph.get_operations():
        line = source_line(operation, entry)
        if line:
            lines[path + operation.name] = line
        for attr in operation.op_def.attr:
            if attr.type == "func":
                body = graph._get_function(operation.get_attr(attr.name).name)
                if hasattr(body, "graph"):
                    collect_lines(body.graph, f"{path}{operation.name}/", entry, lines)


def source_line(operation: Any, entry: str) -> str:
    for frame in reversed(operation.traceback or []):
        if frame.filename == entry:
            return ""
        if not frame.filename.startswith(_PACKAGES):
            code = getline(frame.filename, frame.lineno).strip()
            return f"{Path(frame.filename).name}:{frame.lineno}" + (f": {code}" if code else "")
    return ""


def in_order(graph: Any) -> list[Any]:
    """The operations that the outputs need, each after those that it reads (loops of TensorFlow 1 are cut anywhere)."""
    needed = {operation.name for operation in sources([tensor.op for tensor in graph.outputs])}
    return sources([operation for operation in graph.get_operations() if operation.name in needed])


def sources(operations: Sequence[Any]) -> list[Any]:
    """These operations and all that they read, sources first."""
    done: dict[str, Any] = {}
    entered: set[str] = set()
    for start in operations:
        stack = [start]
        while stack:
            operation = stack[-1]
            if operation.name in entered:
                stack.pop()
                done.setdefault(operation.name, operation)
                continue
            entered.add(operation.name)
            stack += [tensor.op for tensor in operation.inputs if tensor.op.name not in entered]
    return list(done.values())
