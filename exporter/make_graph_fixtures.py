#!/usr/bin/env python3
"""Writes the committed fixtures: every tiny model of the zoo and its neighbours by every route, with golden files.

    python exporter/make_graph_fixtures.py                 all of them into tests/fixtures/
    python exporter/make_graph_fixtures.py mlp lstm        only these models
    python exporter/make_graph_fixtures.py --route jax     only this route
    python exporter/make_graph_fixtures.py --demo          the demo's model repository, models/
    python exporter/make_graph_fixtures.py --bench DIR --batch 8     bench sizes in repository layout, DIR/MODEL/1/

Each written graph is read back, evaluated with the NumPy reference ops, and must match the framework within
1e-5 + 1e-4 |x|, element by element. The table of node counts in docs/zoo.md is made anew.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "exporter"))

import node_count_table  # noqa: E402
from rml_export.evaluate import evaluate  # noqa: E402
from rml_export.golden import Tolerance, difference, read_golden  # noqa: E402
from rml_export.reader import read_graph  # noqa: E402
from rml_export.writer import file_paths  # noqa: E402
from rml_export.zoo import ALL_MODELS, MODELS, ROUTES, export_zoo  # noqa: E402

BATCH = 2
TINY_TOLERANCE = Tolerance(atol=1e-5, rtol=0.0)
DEMO_MODELS = ("mlp", "cnn", "transformer_block", "lstm")


def check(path: Path, atol: float, rtol: float) -> None:
    """Evaluates a written graph on its golden inputs. Exits with what differs if it does."""
    golden = read_golden(file_paths(path)[2])
    graph = read_graph(path)
    for output, got, want in zip(graph.outputs, evaluate(graph, golden.inputs), golden.outputs, strict=True):
        text = difference(got, want, atol, rtol)
        if text is not None:
            sys.exit(f"{path.name}: output '{output.name}' differs from the framework: {text}")


def write_tiny(route: str, model: str, path: Path) -> None:
    result = export_zoo(route, model, "tiny", BATCH, path, tolerance=TINY_TOLERANCE)
    check(path, 1e-5, 1e-4)
    print(f"{path.relative_to(ROOT)}: {len(result.export.graph.nodes)} nodes")


def write_bench(model: str, directory: Path, batch: int) -> None:
    path = directory / model / "1" / "model"
    result = export_zoo("torch", model, "bench", batch, path, static=True)
    sizes = f"{result.files.json_bytes >> 10} + {result.files.weights_bytes >> 10} KiB"
    print(f"{path}: batch {batch}, {len(result.export.graph.nodes)} nodes, {sizes}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"default: all of {', '.join(ALL_MODELS)}")
    parser.add_argument("--route", action="append", choices=ROUTES, help="default: all of them")
    parser.add_argument("--demo", action="store_true", help=f"write models/: {', '.join(DEMO_MODELS)}")
    parser.add_argument("--bench", type=Path, metavar="DIR", help="write bench sizes there instead")
    parser.add_argument("--batch", type=int, default=8, help="batch of the bench sizes (default 8)")
    options = parser.parse_args()
    unknown = sorted(set(options.models) - set(ALL_MODELS))
    if unknown:
        parser.error(f"no model {', '.join(unknown)}; there are {', '.join(ALL_MODELS)}")
    if options.demo:
        for model in options.models or DEMO_MODELS:
            write_tiny("torch", model, ROOT / "models" / model / "1" / "model")
        return
    if options.bench:
        for model in options.models or MODELS:
            write_bench(model, options.bench, options.batch)
        return
    for route in options.route or ROUTES:
        for model in options.models or ALL_MODELS:
            write_tiny(route, model, ROOT / "tests" / "fixtures" / f"{route}_{model}")
    node_count_table.rewrite()


if __name__ == "__main__":
    main()
