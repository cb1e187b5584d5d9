"""export_onnx: a model in ONNX's format to a graph file, weights and golden outputs."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from rml_export.builder import Builder
from rml_export.canonical import canonical
from rml_export.errors import ExportError
from rml_export.export import Export, ExportOptions, ExportResult, export_model, lower_model
from rml_export.from_onnx.checks import check_model
from rml_export.from_onnx.inputs import (
    EXAMPLE_BATCH,
    batch_of,
    bound_shapes,
    drawn,
    given_examples,
    read_inputs,
    reopened,
    take_sizes,
)
from rml_export.from_onnx.lowering import Lowering
from rml_export.from_onnx.mismatch import first_mismatch
from rml_export.from_onnx.model import read_model
from rml_export.from_onnx.record import Tensor
from rml_export.from_onnx.runtime import choose_runtime
from rml_export.front_end import Lowered, Progress
from rml_export.graph import Value


def export_onnx(
    model: str | Path | bytes | onnx.ModelProto,
    path: str | Path,
    *,
    inputs: Sequence[Any] | Mapping[str, Any] | None = None,
    dims: Mapping[str, int] | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    runtime: str | None = None,
    open_batch: bool = False,
    **options: Any,
) -> ExportResult:
    """Writes PATH.json, PATH.safetensors and the golden file for a model.

    model     the path of a .onnx file, its bytes, or an onnx.ModelProto.
    inputs    example inputs in the model's order, or some of them by name; others are drawn from a seeded generator,
              integers being 0.
    dims      sizes of open dims by their names; INPUT:AXIS names one that has no name. The first open axis 0 without
              a size is the batch. Example inputs give sizes too.
    runtime   what computes the golden outputs: "onnxruntime" (default where it is installed), or "reference", ONNX's.
    open_batch  opens the batch that the file fixes: axis 0 of every input where it is that of the first input.
    Options: those of ExportOptions. ExportError if the model cannot be exported; nothing is written then.
    """
    front_end = OnnxModel(model, inputs, dims, input_names, output_names, runtime, open_batch)
    return export_model(front_end, path, ExportOptions(**options))


def lower_onnx(
    model: str | Path | bytes | onnx.ModelProto,
    *,
    inputs: Sequence[Any] | Mapping[str, Any] | None = None,
    dims: Mapping[str, int] | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    runtime: str | None = None,
    open_batch: bool = False,
    **options: Any,
) -> Export:
    """Everything but writing."""
    front_end = OnnxModel(model, inputs, dims, input_names, output_names, runtime, open_batch)
    return lower_model(front_end, ExportOptions(**options))


class OnnxModel:
    """The ONNX front end (rml_export.front_end.FrontEnd) of one model."""

    def __init__(
        self,
        model: str | Path | bytes | onnx.ModelProto,
        inputs: Sequence[Any] | Mapping[str, Any] | None = None,
        dims: Mapping[str, int] | None = None,
        input_names: Sequence[str] | None = None,
        output_names: Sequence[str] | None = None,
        runtime: str | None = None,
        open_batch: bool = False,
    ) -> None:
        self.model = reopened(read_model(model)) if open_batch else read_model(model)
        graph = self.model.proto.graph
        self.inputs, problems = read_inputs(graph)
        problems += check_model(self.model)
        self.outputs = [item.name for item in graph.output]
        self.input_names = list(input_names) if input_names is not None else [item.name for item in self.inputs]
        self.output_names = list(output_names) if output_names is not None else self.outputs
        for kind, names, wanted in (
            ("input", self.input_names, self.inputs),
            ("output", self.output_names, self.outputs),
        ):
            if len(names) != len(wanted):
                problems.append(f"{len(names)} {kind} names for {len(wanted)} {kind}s")
        sizes = dict(dims or {})
        self.batched = batch_of(self.inputs, sizes)
        given = given_examples(self.inputs, inputs)
        take_sizes(self.inputs, self.batched, given, sizes)
        problems += given.problems
        try:
            shapes = bound_shapes(self.inputs, self.batched, sizes, given.batch or EXAMPLE_BATCH)
        except ExportError as error:
            problems += error.problems
        if problems:
            raise ExportError(problems)
        arrays = zip(self.inputs, drawn(self.inputs, shapes), strict=True)
        self.examples = [given.arrays.get(item.name, array) for item, array in arrays]
        self.runtime = choose_runtime(self.model, runtime)
        self.framework = self.runtime.name

    def lower(self, inputs: Sequence[np.ndarray], progress: Progress | None = None) -> Lowered:
        builder = Builder()
        lowering = Lowering(builder, self.model, progress)
        values = {
            item.name: Tensor(builder.input(name, array), item.dtype)
            for item, name, array in zip(self.inputs, self.input_names, inputs, strict=True)
        }
        for name, result in zip(self.output_names, lowering.run(values), strict=True):
            operand = result.operand
            builder.output(name, operand if isinstance(operand, Value) else lowering.pool.value(operand))
        arguments = self.arguments(inputs)
        return Lowered(builder, self.run(inputs), partial(first_mismatch, lowering, self.runtime, arguments))

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        results = self.runtime.run(self.arguments(inputs), self.outputs)
        return [canonical(item, f"output '{name}'") for item, name in zip(results, self.outputs, strict=True)]

    def arguments(self, inputs: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
        return {item.name: array.astype(item.dtype) for item, array in zip(self.inputs, inputs, strict=True)}
