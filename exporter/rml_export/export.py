"""The export pipeline that all front ends share: lower, compare, clean up, generalise over the batch, check, write."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rml_export.errors import ExportError
from rml_export.evaluate import evaluate
from rml_export.front_end import FrontEnd, Lowered, Progress, batched_of
from rml_export.golden import Tolerance, dump_golden
from rml_export.graph import Graph
from rml_export.passes import PassReport, run_passes
from rml_export.symbolic import MAX_ROWS, generalize, mark_rows, probe_batches, with_batch
from rml_export.writer import WrittenFiles, write_graph

VERSION = "0.1"


WAYS = ("direct", "stablehlo")


def take_way(model: FrontEnd, via: str) -> FrontEnd:
    """The model by this way out of its framework: its own graph, or the StableHLO that its compiler path makes."""
    if via not in WAYS:
        raise ExportError(f"via '{via}'; expected one of {', '.join(WAYS)}")
    if via == "direct":
        return model
    from rml_export.from_stablehlo import through_stablehlo  # needs JAX, which the direct ways do not

    return through_stablehlo(model)


@dataclass(frozen=True)
class ExportOptions:
    """How to export.

    static       keep the examples' batch instead of writing a graph for any batch.
    tolerance    how close an engine's outputs must come to the framework's; the exporter holds the graph to it too.
    skip_passes  names of clean-up passes to leave out.
    progress     called with (calls lowered, calls in all) of each trace.
    stage        called with what is done next, "lowering at batch 5 (1 of 3)": a model is lowered several times.
    """

    static: bool = False
    tolerance: Tolerance = field(default_factory=Tolerance)
    skip_passes: Sequence[str] = ()
    progress: Progress | None = None
    stage: Callable[[str], None] = lambda text: None


@dataclass
class Export:
    """A lowered model, not written yet.

    inputs, outputs   the example inputs and the framework's outputs for them, canonical.
    folded            op calls that became constants.
    """

    graph: Graph
    inputs: list[np.ndarray]
    outputs: list[np.ndarray]
    passes: PassReport
    folded: int
    framework: str


@dataclass(frozen=True)
class ExportResult:
    """What an export wrote."""

    export: Export
    files: WrittenFiles


def export_model(front_end: FrontEnd, path: str | Path, options: ExportOptions) -> ExportResult:
    """Writes PATH.json, PATH.safetensors and the golden file (`golden.safetensors` beside model.json).

    ExportError if the model cannot be exported; nothing is written then.
    """
    export = lower_model(front_end, options)
    return ExportResult(export, write_export(export, path, options.tolerance))


def write_export(export: Export, path: str | Path, tolerance: Tolerance) -> WrittenFiles:
    """All files of an export, or none."""
    golden = dump_golden(export.inputs, export.outputs, tolerance)
    return write_graph(export.graph, path, f"rml_export {VERSION} ({export.framework})", golden)


def lower_model(front_end: FrontEnd, options: ExportOptions) -> Export:
    """Everything but writing."""
    options.stage("lowering for the examples")
    lowered, report = lower_checked(front_end, front_end.examples, options)
    graph = lowered.graph
    batched = batched_of(front_end)
    if not options.static and any(batched):
        graph = make_symbolic(front_end, lowered.graph, batched, options)
    folded = lowered.builder.folded
    return Export(graph, front_end.examples, lowered.outputs, report, folded, front_end.framework)


def lower_checked(
    front_end: FrontEnd, inputs: Sequence[np.ndarray], options: ExportOptions
) -> tuple[Lowered, PassReport]:
    """Lowers for these inputs, holds the graph against the framework's outputs, and runs the passes."""
    lowered = front_end.lower(inputs, options.progress)
    if not lowered.graph.outputs:
        raise ExportError("the model returns no tensors; expected at least one, an output of the graph")
    for output, want in zip(lowered.graph.outputs, lowered.outputs, strict=True):
        text = options.tolerance.difference(output.value.example, want)
        if text is not None:
            framework = front_end.framework.split()[0]
            place = lowered.blame(options.tolerance)
            raise ExportError(f"output '{output.name}' differs from {framework}: {text}; {place}")
    return lowered, run_passes(lowered.graph, options.skip_passes)


def make_symbolic(front_end: FrontEnd, static: Graph, batched: Sequence[bool], options: ExportOptions) -> Graph:
    """The graph for any batch: fitted to exports at two sizes, tested on a third one and at batch 1."""
    rows = next(array.shape[0] for array, has in zip(front_end.examples, batched, strict=True) if has)
    if rows > MAX_ROWS:
        raise ExportError(f"the example inputs have {rows} rows; expected at most {MAX_ROWS}, as a graph in B takes")
    sizes = probe_batches(static, 3)
    graphs = []
    try:
        for number, size in enumerate(sizes, 1):
            options.stage(f"lowering at batch {size} ({number} of {len(sizes)})")
            inputs = with_batch(front_end.examples, batched, size)
            graphs.append(lower_checked(front_end, inputs, options)[0].graph)
        graph = generalize(graphs, sizes)
        mark_rows(graph)
        options.stage("checking at batches 1 and 2")
        check_symbolic(front_end, graph, batched, options.tolerance)
    except ExportError as error:
        advice = "no graph for any batch; a static one (--static, static=True) may be possible"
        raise ExportError([f"{advice}: looked at batches {', '.join(map(str, sizes))}", *error.problems]) from error
    return graph


def check_symbolic(front_end: FrontEnd, graph: Graph, batched: Sequence[bool], tolerance: Tolerance) -> None:
    """Evaluates the graph at batches that it was not made from, and each row alone where rows are independent."""
    for size in (1, 2):
        inputs = with_batch(front_end.examples, batched, size, seed=size)
        got = evaluate(graph, inputs)
        for output, result, want in zip(graph.outputs, got, front_end.run(inputs), strict=True):
            text = tolerance.difference(result, want)
            if text is not None:
                raise ExportError(f"at batch {size}, output '{output.name}' differs from the framework: {text}")
    for row in range(2):
        alone = [array[row : row + 1] if has else array for array, has in zip(inputs, batched, strict=True)]
        for output, together, single in zip(graph.outputs, got, evaluate(graph, alone), strict=True):
            count = single.shape[0] if single.ndim else 0
            if output.rows and (text := tolerance.difference(together[row * count : (row + 1) * count], single)):
                raise ExportError(f"output '{output.name}': row {row} alone differs from itself in a batch: {text}")
