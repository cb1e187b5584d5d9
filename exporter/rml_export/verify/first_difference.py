"""Finds the first node of a written graph whose value is not what the model's own lowering gives.

The model is lowered once more for the inputs at hand. If that graph leaves the framework's outputs, the front end says
at which of the framework's ops. Otherwise its nodes are those of the file, one by one, and their values are compared
with what the runner makes of the file.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rml_export.errors import ExportError
from rml_export.export import ExportOptions, lower_checked
from rml_export.front_end import FrontEnd, batched_of
from rml_export.golden import Tolerance
from rml_export.graph import Graph, Node, Output
from rml_export.reader import read_graph
from rml_export.symbolic import probe_batches, with_batch
from rml_export.verify.runners import RunError, Runner
from rml_export.writer import write_graph


def first_difference(
    front_end: FrontEnd, path: Path, inputs: Sequence[np.ndarray], runner: Runner, options: ExportOptions
) -> str:
    """A text that names the node: its number in the file, its op, the framework's name for its place."""
    graph = read_graph(path)
    try:
        expected = lower_checked(front_end, inputs, options)[0].graph
        pairs = paired_nodes(graph, expected)
        if pairs is None and graph.batch_range is not None:  # axes of 1 are lowered otherwise
            (rows,) = probe_batches(expected, 1)
            inputs = with_batch(front_end.examples, batched_of(front_end), rows)
            expected = lower_checked(front_end, inputs, options)[0].graph
            pairs = paired_nodes(graph, expected)
    except ExportError as error:
        return f"the model is not lowered rightly: {error}"
    if pairs is None:
        return f"the file has {len(graph.nodes)} nodes where a new export has {len(expected.nodes)}: other models"
    try:
        found = first_alone(graph, pairs, inputs, runner, options.tolerance)
        if found is None and runner.fuses:
            found = first_fused(graph, pairs, inputs, runner, options.tolerance)
    except RunError as error:
        return f"the values of the nodes cannot be had: {error}"
    return found or "no single node differs by more than the tolerance; the differences add up"


Pairs = Sequence[tuple[int, Node, Node]]


def paired_nodes(graph: Graph, expected: Graph) -> Pairs | None:
    """Number in the file, the file's node, the new export's node; None if the graphs are not alike.

    What a file for any batch has besides, spreads a constant over the batch.
    """
    pairs: list[tuple[int, Node, Node]] = []
    waiting = list(reversed(expected.nodes))
    for number, node in enumerate(graph.nodes):
        spreads = node.op == "broadcast_to" and all(value.is_constant for value in node.inputs)
        if spreads and not (waiting and waiting[-1].op == "broadcast_to"):
            continue
        if not waiting:
            return None
        pairs.append((number, node, waiting.pop()))
    return None if waiting else pairs


def first_alone(
    graph: Graph, pairs: Pairs, inputs: Sequence[np.ndarray], runner: Runner, tolerance: Tolerance
) -> str | None:
    """Every node an output, none fused."""
    nodes = [pair[1] for pair in pairs]
    got = iter(run_with_outputs(graph, nodes, inputs, runner, fuse=False))
    for number, node, new in pairs:
        for value in new.outputs:
            text = described(number, node, new, next(got), value.example, tolerance)
            if text is not None:
                return f"first at {text}"
    return None


def first_fused(
    graph: Graph, pairs: Pairs, inputs: Sequence[np.ndarray], runner: Runner, tolerance: Tolerance
) -> str | None:
    """The shortest beginning of the graph that ends in a wrong value when its nodes may be fused, by halving."""

    def wrong(index: int) -> str | None:
        number, node, new = pairs[index]
        got = run_with_outputs(graph, [node], inputs, runner, fuse=True)
        texts = (
            described(number, node, new, array, value.example, tolerance)
            for array, value in zip(got, new.outputs, strict=True)
        )
        return next((text for text in texts if text is not None), None)

    low, high = 0, len(pairs) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if wrong(middle) else (middle + 1, high)
    text = wrong(low) if pairs else None
    return text and f"only where nodes are fused (not with --no-fusion), first in the nodes up to {text}"


def run_with_outputs(
    graph: Graph, nodes: Sequence[Node], inputs: Sequence[np.ndarray], runner: Runner, fuse: bool
) -> list[np.ndarray]:
    """The values of these nodes."""
    values = [value for node in nodes for value in node.outputs]
    shown = Graph(graph.inputs, needed(graph, nodes), [], graph.batch_range)
    shown.outputs = [Output(f"value.{index}", value) for index, value in enumerate(values)]
    with tempfile.TemporaryDirectory(prefix="rml-verify-") as folder:
        write_graph(shown, Path(folder) / "nodes")
        return runner.run(Path(folder) / "nodes", inputs, fuse)


def needed(graph: Graph, nodes: Sequence[Node]) -> list[Node]:
    """The nodes that these ones read from, and themselves, in the graph's order."""
    found: set[Node] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += [value.producer for value in node.inputs if value.producer is not None]
    return [node for node in graph.nodes if node in found]


def described(
    number: int, node: Node, new: Node, got: np.ndarray, want: np.ndarray, tolerance: Tolerance
) -> str | None:
    """None if the values are close."""
    text = tolerance.difference(got, want)
    if text is None:
        return None
    place = f"node {number} ({node.op}"
    place += f"; a new export has {new.op} here)" if new.op != node.op else ")"
    if node.name:
        place += f" in '{node.name}'"
    if got.shape == want.shape:
        with np.errstate(invalid="ignore"):
            largest = np.abs(got.astype(np.float64) - want).max()
        place += f": off by up to {largest:.3g}, allowed {tolerance.allowed(want):.3g}"
    return f"{place}; {text}"
