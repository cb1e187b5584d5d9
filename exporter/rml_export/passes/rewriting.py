"""What every pass works with: the graph, who reads what, and the log of matches and refusals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from rml_export.canonical import dtype_name
from rml_export.graph import Attrs, Graph, Node, Value
from rml_export.reference import run_reference


@dataclass(frozen=True)
class Refusal:
    """A place where a pass found its pattern and did not apply it."""

    pass_name: str
    where: str
    reason: str


@dataclass
class Rewriter:
    """One run of one pass. Keeps `readers` right while values are replaced; nodes that die are left to dead code."""

    graph: Graph
    pass_name: str = ""
    matches: int = 0
    refusals: list[Refusal] = field(default_factory=list)
    readers: dict[Value, list[Node]] = field(init=False)
    outputs: set[Value] = field(init=False)
    _new_nodes: dict[Node, list[Node]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.readers = self.graph.readers()
        self.outputs = self.graph.output_values()

    def refuse(self, node: Node, reason: str) -> None:
        """Notes why the pattern at `node` was left alone."""
        self.refusals.append(Refusal(self.pass_name, node.describe(), reason))

    def sole_reader(self, value: Value) -> bool:
        """Whether one node reads the value, once, and it is no graph output."""
        return len(self.readers.get(value, ())) == 1 and value not in self.outputs

    def is_dead(self, node: Node) -> bool:
        """Whether nothing reads the node; left to eliminate_dead_code."""
        return not any(self.readers.get(value) or value in self.outputs for value in node.outputs)

    def make(self, op: str, inputs: Sequence[Value], attrs: Attrs, name: str, before: Node) -> Value:
        """A new one-output node that will stand before `before`; returns its value."""
        (example,) = run_reference(op, [value.example for value in inputs], attrs)
        node = Node(op, list(inputs), [], attrs, name)
        value = Value(dtype_name(example), example.shape, example, producer=node)
        node.outputs = [value]
        for read in inputs:
            self.readers.setdefault(read, []).append(node)
        self._new_nodes.setdefault(before, []).append(node)
        return value

    def replace(self, old: Value, new: Value) -> None:
        """Lets all readers of `old`, and the graph's outputs, read `new`; counts a match."""
        for node in dict.fromkeys(self.readers.pop(old, ())):
            self._rewire(node, old, new)
        if old in self.outputs:
            for output in self.graph.outputs:
                if output.value is old:
                    output.value = new
            self.outputs.discard(old)
            self.outputs.add(new)
        self.matches += 1

    def replace_in(self, node: Node, old: Value, new: Value) -> None:
        """Lets one node read `new` wherever it reads `old`; counts a match."""
        self.readers[old] = [reader for reader in self.readers[old] if reader is not node]
        self._rewire(node, old, new)
        self.matches += 1

    def finish(self) -> None:
        """Puts new nodes in their places."""
        if self._new_nodes:
            nodes: list[Node] = []
            for node in self.graph.nodes:
                nodes.extend(self._new_nodes.get(node, ()))
                nodes.append(node)
            self.graph.nodes = nodes

    def _rewire(self, node: Node, old: Value, new: Value) -> None:
        """Replaces every occurrence of `old` in the node's inputs, noting the node as a reader of `new`."""
        count = sum(value is old for value in node.inputs)
        node.inputs = [new if value is old else value for value in node.inputs]
        self.readers.setdefault(new, []).extend([node] * count)


PassFn = Callable[[Rewriter], None]


def reads_alike(node: Node, old: Value, shape: tuple[int, ...]) -> bool:
    """Whether a broadcasting node has the same output shape if `old` has this shape instead."""
    shapes = [shape if value is old else value.shape for value in node.inputs]
    try:
        return np.broadcast_shapes(*shapes) == node.output.shape
    except ValueError:
        return False
