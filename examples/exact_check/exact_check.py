"""Exact models in frameworks: dummy weights, numbers that f32 holds exactly, exports checked bit for bit.

Where every intermediate value is exact, an output has one value, whatever the order of sums. So a framework, the
written graph evaluated in NumPy, and the engine must all give the very numbers of the NumPy reference.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from rml_export.evaluate import evaluate
from rml_export.export import ExportOptions, export_model
from rml_export.front_end import FrontEnd
from rml_export.golden import Tolerance
from rml_export.reader import read_graph


def dummy(*shape: int, seed: int = 0) -> np.ndarray:
    """Non-zero multiples of 1/8 from -7/8 to 7/8: a fixed sequence (exact_check.h repeats it)."""
    k = (5 * np.arange(np.prod(shape, dtype=np.int64)) + 3 * seed) % 14
    return (np.where(k < 7, k - 7, k - 6) / 8).astype(np.float32).reshape(shape)


def exact(array: np.ndarray) -> np.ndarray:
    """A float64 result as float32, which must hold it exactly."""
    result = array.astype(np.float32)
    assert (result == array).all(), "float32 does not hold the reference"
    return result


def write_exports(
    front_ends: Mapping[str, Callable[[], FrontEnd]],
    x: np.ndarray,
    expected: np.ndarray,
    folder: Path,
    suffix: str = "",
) -> None:
    """FOLDER/<framework><suffix>.json and so on. Exits, naming it, if framework or graph gives other numbers."""
    for framework, make in front_ends.items():
        front_end = make()
        path = folder / f"{framework}{suffix}"
        if not np.array_equal(front_end.run([x])[0], expected):
            sys.exit(f"{path.name}: the framework does not give the reference's numbers")
        result = export_model(front_end, path, ExportOptions(static=True, tolerance=Tolerance(0.0, 0.0)))
        if not np.array_equal(evaluate(read_graph(path), [x])[0], expected):
            sys.exit(f"{path.name}: the written graph does not give the reference's numbers")
        print(f"{path.name}: {len(result.export.graph.nodes)} nodes, exact")


def literals(array: np.ndarray) -> str:
    """The elements as C++ literals, a row a line; the comment marks keep clang-format from joining the lines."""
    rows = array.reshape(-1, array.shape[-1])
    return ",  //\n".join(", ".join(f"{float(x)!r}f" for x in row) for row in rows)
