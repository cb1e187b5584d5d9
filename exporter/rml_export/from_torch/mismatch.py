"""Finds the first node at which an export and torch disagree, for the error text."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.fx import Interpreter, Node

from rml_export.from_torch.constants import array_of
from rml_export.from_torch.trace import module_path, source_line
from rml_export.golden import Tolerance
from rml_export.graph import Value


def first_mismatch(
    program: Any, known: Mapping[Node, Any], inputs: Sequence[torch.Tensor], tolerance: Tolerance
) -> str:
    """Runs the program in torch and compares node by node."""
    finder = _Finder(program.graph_module, known, tolerance)
    flat = [known[node] for node in program.graph.nodes if node.op == "placeholder"]
    tensors = iter(inputs)
    with torch.no_grad():
        finder.run(*(next(tensors) if isinstance(item, Value) else getattr(item, "tensor", item) for item in flat))
    return finder.found or "no single node differs by more than the tolerance"


class _Finder(Interpreter):
    def __init__(self, module: torch.fx.GraphModule, known: Mapping[Node, Any], tolerance: Tolerance) -> None:
        super().__init__(module)
        self.by_name = {node.name: item for node, item in known.items()}
        self.tolerance = tolerance
        self.found = ""

    def run_node(self, n: Node) -> Any:
        result = super().run_node(n)
        value = self.by_name.get(n.name)
        if not self.found and isinstance(value, Value) and isinstance(result, torch.Tensor):
            text = self.tolerance.difference(value.example, array_of(result, n.name))
            if text is not None:
                where = f" at {source_line(n)}" if source_line(n) else ""
                self.found = f"first at {n.target} in module '{module_path(n)}'{where}: {text}"
        return result
