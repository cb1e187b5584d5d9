"""What a front end offers to the export pipeline (export.py): lower the model for given inputs, and run it there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rml_export.builder import Builder
from rml_export.golden import Tolerance
from rml_export.graph import Graph
from rml_export.symbolic.batches import batched_inputs

Progress = Callable[[int, int], None]  # (calls lowered, calls in all)


def no_blame(tolerance: Tolerance) -> str:
    """For a front end whose framework does not show its inner values."""
    return "the framework does not show the values in between"


@dataclass
class Lowered:
    """A model lowered for inputs of fixed shapes; no pass has run yet.

    builder   holds the whole graph, inputs and outputs included; its example values are those for the inputs given.
    outputs   the framework's own outputs for these inputs, canonical, in the graph's order.
    blame     says at which of the framework's ops the graph first leaves the framework's values.
    """

    builder: Builder
    outputs: list[np.ndarray]
    blame: Callable[[Tolerance], str] = no_blame

    @property
    def graph(self) -> Graph:
        return self.builder.graph


class FrontEnd(Protocol):
    """A model in its framework, with example inputs.

    framework   name and version for the file's producer: "torch 2.13.0".
    examples    example inputs in the graph's order, canonical (float32 or int32). Shapes other than the batch are fixed
                by them.
    batched     optional: for each input whether axis 0 is the batch, where the model itself says so (batched_of).
    """

    framework: str
    examples: list[np.ndarray]

    def lower(self, inputs: Sequence[np.ndarray], progress: Progress | None = None) -> Lowered:
        """Traces and lowers the model for inputs of these shapes. ExportError with every problem found."""
        ...

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The framework's own outputs, canonical. ExportError if the framework cannot take these shapes."""
        ...


def batched_of(front_end: FrontEnd) -> list[bool]:
    """For each input whether axis 0 is the batch: what the model says, else what the examples' sizes show."""
    own: list[bool] | None = getattr(front_end, "batched", None)
    return own if own is not None else batched_inputs(front_end.examples)
