"""The exporter's graph: values linked to the nodes that make them. Ids exist only in files (writer.py, reader.py).

Values and nodes are compared by identity. A node's inputs may be rewired; everything else is built once.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rml_export.dims import Dim

Attrs = dict[str, Any]  # ints are Dim, lists are tuples


@dataclass(eq=False)
class Value:
    """One tensor of a graph.

    example    the concrete array that this value has for the example inputs; a constant's data. None only in graphs
               read from a file, for values that are no constant.
    name       of an input or of a constant that keeps its name in the weights file; None otherwise.
    producer   the node that makes it; None for inputs and constants.
    """

    dtype: str
    shape: tuple[Dim, ...]
    example: np.ndarray | None = None
    name: str | None = None
    producer: "Node | None" = None
    is_constant: bool = False
    rows: bool = False

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def data(self) -> np.ndarray:
        """A constant's elements."""
        if not self.is_constant or self.example is None:
            raise ValueError(f"value {self.name or '(unnamed)'} is not a constant")
        return self.example

    def describe(self) -> str:
        """The name if there is one, and the type: "'x' f32[2, 3]"."""
        shape = ", ".join(str(dim) for dim in self.shape)
        return (f"'{self.name}' " if self.name else "") + f"{self.dtype}[{shape}]"


@dataclass(eq=False)
class Node:
    """One operator call; `name` is the framework's module path, empty if it has none."""

    op: str
    inputs: list[Value]
    outputs: list[Value]
    attrs: Attrs = field(default_factory=dict)
    name: str = ""

    @property
    def output(self) -> Value:
        """The output of a node that has one."""
        (value,) = self.outputs
        return value

    def describe(self) -> str:
        return f"node '{self.name}' ({self.op})" if self.name else f"node ({self.op})"


@dataclass(eq=False)
class Output:
    """A named result of the graph."""

    name: str
    value: Value
    rows: bool = False


@dataclass(eq=False)
class Graph:
    """Inputs, nodes in execution order, outputs. Constants are whatever constant values the nodes read."""

    inputs: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    batch_range: tuple[int, int] | None = None  # bounds of B; None for a static graph

    def constants(self) -> list[Value]:
        """Constants in the order of their first use."""
        found: dict[Value, None] = {}
        for node in self.nodes:
            found.update((value, None) for value in node.inputs if value.is_constant)
        return list(found)

    def readers(self) -> dict[Value, list[Node]]:
        """For each value, the nodes that read it, once per reading input."""
        result: dict[Value, list[Node]] = {}
        for node in self.nodes:
            for value in node.inputs:
                result.setdefault(value, []).append(node)
        return result

    def output_values(self) -> set[Value]:
        return {output.value for output in self.outputs}

    def node_outputs(self) -> Iterator[Value]:
        for node in self.nodes:
            yield from node.outputs

    def replace_uses(self, old: Value, new: Value) -> None:
        """Lets every node and output that reads `old` read `new`."""
        for node in self.nodes:
            node.inputs = [new if value is old else value for value in node.inputs]
        for output in self.outputs:
            if output.value is old:
                output.value = new


def count_by_op(graph: Graph) -> dict[str, int]:
    """Nodes per op, most frequent first."""
    counts: dict[str, int] = {}
    for node in graph.nodes:
        counts[node.op] = counts.get(node.op, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
