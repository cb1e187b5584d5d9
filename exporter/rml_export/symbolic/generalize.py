"""Static graphs of one model at several batch sizes to one graph in B.

The graphs must be the same up to integers. An integer that is not the same in all of them must be a * B with one whole
number a; a constant that grows with the batch must repeat one slice, which is kept, and a broadcast_to makes the rest.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rml_export.canonical import dtype_name
from rml_export.dims import BatchMultiple, Dim
from rml_export.errors import ExportError
from rml_export.graph import Attrs, Graph, Node, Value
from rml_export.symbolic.constants import repeated_along

MIN_ROWS, MAX_ROWS = 1, 65536


def generalize(graphs: Sequence[Graph], batches: Sequence[int]) -> Graph:
    """graphs[i], exported at batch batches[i], as one graph in B; the first of them is changed and returned.

    ExportError with every place that does not fit. With n graphs, n - 1 of them test what two determine.
    """
    return _Generalization(graphs, batches).run()


class _Generalization:
    def __init__(self, graphs: Sequence[Graph], batches: Sequence[int]) -> None:
        self.graphs = graphs
        self.batches = batches
        self.problems: list[str] = []
        self.partners: dict[Value, tuple[Value, ...]] = {}  # of the first graph's values: the same in all graphs
        self.constants: dict[Value, Value] = {}  # what grows with the batch -> output of its broadcast_to
        self.nodes: list[Node] = []

    def run(self) -> Graph:
        base = self.graphs[0]
        self.match_counts()
        for inputs in zip(*(graph.inputs for graph in self.graphs), strict=True):
            self.partners[inputs[0]] = inputs
        for nodes in zip(*(graph.nodes for graph in self.graphs), strict=True):
            self.match_node(nodes)
        for outputs in zip(*(graph.outputs for graph in self.graphs), strict=True):
            values = tuple(output.value for output in outputs)
            if self.partners.get(values[0]) != values:
                self.fail(f"output '{outputs[0].name}' is made by different nodes")
        if self.problems:
            raise ExportError(self.problems)
        base.nodes = self.nodes
        for value, partners in self.partners.items():
            if not value.is_constant:
                value.shape = self.fit_dims(f"value of {value.describe()}", [item.shape for item in partners])
        if self.problems:
            raise ExportError(self.problems)
        base.batch_range = (MIN_ROWS, MAX_ROWS)
        return base

    def match_counts(self) -> None:
        """Raises at the first node that the graphs do not share: what comes after it cannot be compared."""
        for nodes in zip(*(graph.nodes for graph in self.graphs), strict=False):
            if len({(node.op, len(node.inputs)) for node in nodes}) > 1:
                ops = ", ".join(f"{node.op} at {size}" for node, size in zip(nodes, self.batches, strict=True))
                raise ExportError(f"{nodes[0].describe()}: the graph depends on the batch: {ops}")
        counts = [len(graph.nodes) for graph in self.graphs]
        if len(set(counts)) > 1:
            sizes = ", ".join(f"{count} nodes at {size}" for count, size in zip(counts, self.batches, strict=True))
            raise ExportError(f"the graph depends on the batch: {sizes}")

    def match_node(self, nodes: tuple[Node, ...]) -> None:
        """Brings the first graph's node to its form in B."""
        base = nodes[0]
        inputs = [self.match_input(base, values) for values in zip(*(node.inputs for node in nodes), strict=True)]
        base.attrs = self.fit_attrs(base, [node.attrs for node in nodes])
        base.inputs = inputs
        self.nodes.append(base)
        for values in zip(*(node.outputs for node in nodes), strict=True):
            self.partners[values[0]] = values

    def match_input(self, node: Node, values: tuple[Value, ...]) -> Value:
        first = values[0]
        if all(value.is_constant for value in values):
            return self.match_constant(node, values)
        if self.partners.get(first) != values:
            self.fail(f"{node.describe()} reads different values")
        return first

    def match_constant(self, node: Node, values: tuple[Value, ...]) -> Value:
        first = values[0]
        if all(_same_bits(first.data, value.data) for value in values):
            return first
        if first in self.constants:
            return self.constants[first]
        shape = self.fit_dims(f"{node.describe()}: constant {first.describe()}", [value.shape for value in values])
        if all(value.shape == first.shape for value in values):
            return self.fail(
                f"{node.describe()}: the elements of constant {first.describe()} depend on the batch", first
            )
        axes = [axis for axis, dim in enumerate(shape) if isinstance(dim, BatchMultiple)]
        slices = [repeated_along(value.data, axes) for value in values]
        if any(item is None for item in slices) or not all(_same_bits(slices[0], item) for item in slices):
            return self.fail(f"{node.describe()}: constant {first.describe()} does not repeat along the batch", first)
        kept = Value(dtype_name(slices[0]), slices[0].shape, slices[0], is_constant=True)
        spread = Node("broadcast_to", [kept], [], {"shape": shape}, node.name)
        spread.outputs = [Value(first.dtype, shape, first.example, producer=spread)]
        self.nodes.append(spread)
        self.constants[first] = spread.output
        return spread.output

    def fit_attrs(self, node: Node, attrs: Sequence[Attrs]) -> Attrs:
        result: Attrs = {}
        for name, value in attrs[0].items():
            label = f"{node.describe()}: attribute '{name}'"
            others = [item.get(name) for item in attrs]
            if isinstance(value, tuple) and all(isinstance(item, tuple) for item in others):
                result[name] = self.fit_dims(label, others)
            elif _is_int(value):
                result[name] = self.fit(label, others)
            else:
                result[name] = value
                if any(item != value for item in others):
                    self.fail(f"{label} depends on the batch: {self.listed(others)}")
        return result

    def fit_dims(self, label: str, tuples: Sequence[tuple[int, ...]]) -> tuple[Dim, ...]:
        if len({len(item) for item in tuples}) > 1:
            return self.fail(f"{label} depends on the batch: {self.listed(tuples)}", tuples[0])
        return tuple(self.fit(label, numbers) for numbers in zip(*tuples, strict=True))

    def fit(self, label: str, numbers: Sequence[int]) -> Dim:
        """The number if it is the same in all graphs, else the a of a * B."""
        if len(set(numbers)) == 1:
            return numbers[0]
        factor = numbers[0] // self.batches[0]
        if factor < 1 or any(number != factor * size for number, size in zip(numbers, self.batches, strict=True)):
            return self.fail(f"{label} is no multiple of the batch: {self.listed(numbers)}", numbers[0])
        return BatchMultiple(factor)

    def listed(self, items: Sequence[Any]) -> str:
        pairs: Iterator[str] = (f"{item} at {size}" for item, size in zip(items, self.batches, strict=True))
        return ", ".join(pairs)

    def fail(self, text: str, stand_in: Any = None) -> Any:
        """Notes a problem; the walk goes on with the stand-in to find the others."""
        if text not in self.problems:
            self.problems.append(text)
        return stand_in


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
