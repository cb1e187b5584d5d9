"""Lowers the text of a module and compares the graph with XLA: what the tables of this folder share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from rml_export.canonical import canonical
from rml_export.evaluate import evaluate
from rml_export.export import Export
from rml_export.from_stablehlo import StablehloModel, lower_stablehlo

from tests.exporter.comparing import assert_agrees


def main(body: str, arguments: str, results: str, more: str = "") -> str:
    """A module whose @main has this body; the last line of the body is the operands of return."""
    *lines, returned = [line.strip() for line in body.strip().splitlines()]
    count = len([item for item in results.split(";") if item.strip()])
    types = ", ".join(item.strip() for item in results.split(";"))
    kind = types if count == 1 else f"({types})"
    text = "\n  ".join([*lines, f"func.return {returned} : {types}"])
    return f"module {{\n func.func public @main({arguments}) -> {kind} {{\n  {text}\n }}\n{more}\n}}"


def check(text: str, *inputs: Any, others: Sequence[tuple] = ()) -> Export:
    """Lowers the module, and compares on these inputs and on others with what XLA computes."""
    export = lower_stablehlo(text, inputs)
    for case in (inputs, *others):
        arrays = [canonical(np.asarray(item)) for item in case]
        assert_agrees(export, arrays, StablehloModel(text, case).run(arrays))
    return export


def outputs(text: str, *inputs: Any) -> list[np.ndarray]:
    """What the graph computes."""
    return evaluate(lower_stablehlo(text, inputs).graph, [canonical(np.asarray(item)) for item in inputs])
