#!/usr/bin/env python3
"""One classifier in three frameworks and in rml: do all of them give the same numbers?

    ./dev build rml-graph-run
    .venv/bin/python examples/rml_infer_example/rml_infer_example.py

Writes the model of models.py in each framework, exports it, runs each export by rml-graph-run, and prints the largest
difference of each pair of results. Exit code 0 if all are within 1e-5, 1 if one is not, 2 if something is missing.
"""

import argparse
import sys
import tempfile
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parents[1] / "exporter")]

from rml_export.verify import EngineRunner, engine_advice, find_engine  # noqa: E402

from models import FRAMEWORKS, weights  # noqa: E402

TOLERANCE = 1e-5


def results(batch: int, engine: EngineRunner, folder: Path) -> dict[str, np.ndarray]:
    """Each framework's numbers, and rml's for each export."""
    x = np.random.default_rng(1).standard_normal((batch, 16)).astype(np.float32)
    found: dict[str, np.ndarray] = {}
    for name, run in FRAMEWORKS.items():
        path = folder / name
        found[name] = run(weights(), x, path)
        (found[f"rml({name})"],) = engine.run(path, [x])
    return found


def differences(found: Mapping[str, np.ndarray]) -> dict[tuple[str, str], float]:
    """The largest difference of each pair; infinite where one has NaN or another shape."""
    result = {}
    for a, b in combinations(found, 2):
        same_shape = found[a].shape == found[b].shape
        largest = float(np.abs(found[a] - found[b]).max()) if same_shape else np.inf
        result[a, b] = largest if np.isfinite(largest) else np.inf
    return result


def table(names: list[str], pairs: Mapping[tuple[str, str], float]) -> str:
    width = max(map(len, names)) + 1
    lines = [" " * width + "".join(f"{name:>{width}}" for name in names[1:])]
    for row, name in enumerate(names[:-1]):
        cells = (f"{pairs[name, other]:>{width}.1e}" for other in names[row + 1 :])
        lines.append(f"{name:<{width}}" + " " * (width * row) + "".join(cells))
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=8, help="rows of the input (default: 8)")
    options = parser.parse_args()
    if options.batch < 1:
        parser.error(f"--batch {options.batch}: expected a positive integer")
    program = find_engine()
    if program is None:
        print(engine_advice(), file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="rml-infer-example-") as folder:
        found = results(options.batch, EngineRunner(program), Path(folder))
    pairs = differences(found)
    print(table(list(found), pairs))
    wrong = [f"{a} and {b} by {value:.1e}" for (a, b), value in pairs.items() if not value <= TOLERANCE]
    print(f"off by more than {TOLERANCE}: {', '.join(wrong)}" if wrong else f"all pairs are within {TOLERANCE}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
