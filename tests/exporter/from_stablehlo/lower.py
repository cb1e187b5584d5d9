"""Lowers the text of a module and compares the graph with XLA: what the tables of this folder share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from rml_export.canonical import canonical
from rml_export.evaluate import evaluate
from rml_export.export import Export
from rml_export.from_stablehlo import StablehloModel, lower_stablehlo
from rml_export.golden import difference


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
        wanted = StablehloModel(text, case).run(arrays)
        for index, (got, want) in enumerate(zip(evaluate(export.graph, arrays), wanted, strict=True)):
            text_of = difference(got, want, 1e-5, 1e-4)
            assert text_of is None, f"output {index}: {text_of}"
    return export


def outputs(text: str, *inputs: Any) -> list[np.ndarray]:
    """What the graph computes."""
    return evaluate(lower_stablehlo(text, inputs).graph, [canonical(np.asarray(item)) for item in inputs])


def numbers(*shape: int, seed: int = 0, low: float = -3.0, high: float = 3.0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-6, -1e-6, 20.0, -20.0, 88.0, -88.0, np.inf, -np.inf, np.nan], np.float32
)
