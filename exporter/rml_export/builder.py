"""The Builder: every front end calls it once per lowered op.

Each value carries a concrete NumPy example, computed with the reference ops. That gives shapes and dtypes, lets a front
end compare every lowered value with its framework, and folds whatever depends on constants only.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rml_export.canonical import canonical, dtype_name
from rml_export.errors import ExportError
from rml_export.evaluate import evaluate
from rml_export.graph import Graph, Node, Output, Value
from rml_export.op_check import check_inputs, complete_attrs, find_spec
from rml_export.passes import PassReport, run_passes
from rml_export.reference import run_reference
from rml_export.writer import WrittenFiles, write_graph

MAX_RANK = 8


class Builder:
    """Builds one graph. Not for use after write()."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.folded = 0  # op calls that became constants

    def input(self, name: str, example: Any, rows: bool = False) -> Value:
        """A graph input of the example's type."""
        check_name(name, "input")
        if any(value.name == name for value in self.graph.inputs):
            raise ExportError(f"two inputs are named '{name}'")
        array = canonical(example, f"input '{name}'")
        value = self._value(array, name=name)
        value.rows = rows
        self.graph.inputs.append(value)
        return value

    def constant(self, array: Any, name: str | None = None) -> Value:
        """A constant. A named one is stored under its name; an unnamed, small and finite one goes into the JSON."""
        value = self._value(canonical(array, f"constant '{name}'" if name else "a constant"), name=name)
        value.is_constant = True
        return value

    def op(self, op: str, *inputs: Value, name: str = "", fold: bool = True, **attrs: Any) -> Value:
        """Adds a node with one output and returns it; a constant instead if every input is one and `fold` is set."""
        return self._call(op, 1, inputs, name, fold, attrs)[0]

    def op_multi(self, op: str, count: int, *inputs: Value, name: str = "", **attrs: Any) -> tuple[Value, ...]:
        """Adds a node with `count` outputs."""
        return self._call(op, count, inputs, name, True, attrs)

    def output(self, name: str, value: Value, rows: bool = False) -> None:
        """Names a result. An input or a constant is routed through a reshape: outputs must be computed."""
        check_name(name, "output")
        if any(output.name == name for output in self.graph.outputs):
            raise ExportError(f"two outputs are named '{name}'")
        if value.producer is None:
            value = self._call("reshape", 1, (value,), "", False, {"shape": value.shape})[0]
        self.graph.outputs.append(Output(name, value, rows))

    def evaluate(self, inputs: Sequence[Any]) -> list[np.ndarray]:
        """Runs the graph on new inputs with the reference ops."""
        return evaluate(self.graph, inputs)

    def write(self, path: str | Path, producer: str = "rml_export", skip_passes: Sequence[str] = ()) -> "WriteResult":
        """Runs the clean-up passes and writes NAME.json and NAME.safetensors for `path` = NAME or NAME.json."""
        report = run_passes(self.graph, skip=skip_passes)
        return WriteResult(report, write_graph(self.graph, path, producer))

    def _value(self, array: np.ndarray, name: str | None = None, producer: Node | None = None) -> Value:
        if array.ndim > MAX_RANK:
            raise ExportError(f"a value of shape {list(array.shape)} has rank {array.ndim}; the limit is {MAX_RANK}")
        return Value(dtype_name(array), array.shape, array, name, producer)

    def _call(
        self, op: str, count: int, inputs: Sequence[Value], name: str, fold: bool, attrs: dict[str, Any]
    ) -> tuple[Value, ...]:
        label = f"node '{name}' ({op})" if name else f"node ({op})"
        spec = find_spec(op, label)
        check_inputs(spec, inputs, label)
        rank = inputs[0].rank + (len(attrs.get("axes", ())) if op == "unsqueeze" else 0)
        full = complete_attrs(spec, attrs, rank, label)
        if count != spec.outputs:
            raise ExportError(f"{label}: asked for {count} outputs, it has {spec.outputs}")
        try:
            examples = run_reference(op, [value.example for value in inputs], full)
        except (ValueError, IndexError) as error:
            types = ", ".join(value.describe() for value in inputs)
            raise ExportError(f"{label} on {types}: {error}") from error
        if fold and all(value.is_constant for value in inputs):
            self.folded += 1
            return tuple(self.constant(example) for example in examples)
        node = Node(op, list(inputs), [], full, name)
        node.outputs = [self._value(example, producer=node) for example in examples]
        self.graph.nodes.append(node)
        return tuple(node.outputs)


def check_name(name: str, what: str) -> None:
    """ExportError for a name that the engine would refuse."""
    if not name:
        raise ExportError(f"an {what} has an empty name; expected a text")


class WriteResult:
    """What write() did: the passes' report and the files."""

    def __init__(self, passes: PassReport, files: WrittenFiles) -> None:
        self.passes = passes
        self.files = files
