"""Times our engine against the frameworks: 19 models, batches 1, 8, 64, one thread and all.

    python loadtest/bench_frameworks.py --quick          under ten minutes: five models, small batches, one thread
    python loadtest/bench_frameworks.py                  everything that is installed; hours, and it may be interrupted
    python loadtest/bench_frameworks.py --export-only    only write the graphs, ONNX files and inputs

Run it from the root of the repository after ./dev build, on a machine that does nothing else, with a Python that has
requirements/bench.txt. What is not installed is skipped and named. Results go to OUT/results.jsonl, cell by cell; a
second call measures what is missing there, unless the CPU model or a version has changed. The report is OUT/report.md,
OUT/report.json and OUT/heat_map.svg, for the C++ program and, as report_python.*, for `import rml`.
"""

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "exporter"), str(ROOT / "build/release/python")]

from rml_export.zoo import MODELS, ROUTES  # noqa: E402

from loadtest.bench.cells import BATCHES, QUICK_BATCHES, QUICK_MODELS, Cell, all_cells, thread_counts  # noqa: E402
from loadtest.bench.engine_process import EngineProcess, environment  # noqa: E402
from loadtest.bench.files import Files  # noqa: E402
from loadtest.bench.heat_map import heat_map  # noqa: E402
from loadtest.bench.machine import describe, missing_builds  # noqa: E402
from loadtest.bench.peers import FRAMEWORKS, OURS, OURS_FROM_PYTHON, Engine, our_engines  # noqa: E402
from loadtest.bench.progress import Progress  # noqa: E402
from loadtest.bench.report import make_report, to_json, to_markdown  # noqa: E402
from loadtest.bench.rounds import FEW_ROUNDS  # noqa: E402
from loadtest.bench.storage import Storage  # noqa: E402
from loadtest.bench.sweep import Plan, cells_to_do, sweep  # noqa: E402

BUILD = ROOT / "build/release"
QUICK = {"models": list(QUICK_MODELS), "batches": list(QUICK_BATCHES), "threads": [1], "rounds": 7, "sample_ms": 20.0}


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "build/bench", help="default: build/bench")
    parser.add_argument("--quick", action="store_true", help=f"{', '.join(QUICK_MODELS)}; without the slow compilers")
    parser.add_argument("--export-only", action="store_true")
    parser.add_argument("--report-only", action="store_true", help="from the results that are there")
    parser.add_argument("--retry-errors", action="store_true", help="measure cells again in which an engine failed")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS), metavar="MODEL")
    parser.add_argument("--batches", nargs="+", type=int, default=list(BATCHES), metavar="B")
    parser.add_argument("--threads", nargs="+", type=int, default=list(thread_counts()), metavar="T")
    names = [engine.name for engine in FRAMEWORKS]
    parser.add_argument("--frameworks", nargs="*", choices=names, default=names, metavar="NAME", help=", ".join(names))
    parser.add_argument(
        "--routes", nargs="+", choices=list(ROUTES), default=["torch"], metavar="ROUTE", help="ours, exported by each"
    )
    parser.add_argument("--rounds", type=int, default=15, help=f"pairs per cell, at least {FEW_ROUNDS}; default 15")
    parser.add_argument("--sample-ms", type=float, default=50.0, help="time of one sample; default 50")
    options = parser.parse_args(arguments)
    if options.quick:
        vars(options).update(QUICK)
    if options.rounds < FEW_ROUNDS:
        parser.error(f"--rounds is {options.rounds}; expected at least {FEW_ROUNDS}, as an interval needs")
    if max(options.threads) > max(thread_counts()):
        parser.error(f"--threads is {max(options.threads)}; this process may use {max(thread_counts())} CPUs")
    return options


def choose_engines(options: argparse.Namespace) -> tuple[list[Engine], dict[str, str]]:
    """Those to time, and why each of the others is not."""
    engines, skipped = list(our_engines(options.routes)), {}
    for engine in FRAMEWORKS:
        if engine.name not in options.frameworks:
            continue
        if missing := engine.missing():
            skipped[engine.name] = f"{', '.join(missing)} is not installed (requirements/bench.txt)"
        elif options.quick and engine.slow_start:
            skipped[engine.name] = "left out by --quick: it compiles for minutes"
        else:
            engines.append(engine)
    return engines, skipped


def export(options: argparse.Namespace, files: Files) -> None:
    """Each route in a process of its own. A model that fails is named; its cells then show the error."""
    batches = ",".join(map(str, options.batches))
    for route in dict.fromkeys(["torch", *options.routes]):
        print(f"exporting by {route}: {len(options.models)} models", file=sys.stderr, flush=True)
        command = [sys.executable, "-W", "ignore", "-m", "loadtest.bench.exports", route, str(files.root), batches]
        done = subprocess.run([*command, *options.models], stdout=subprocess.PIPE, text=True, env=environment(1))
        if done.returncode != 0:
            raise SystemExit(f"bench_frameworks: the export by {route} failed")
        for line in done.stdout.splitlines():
            print(f"  {line}", file=sys.stderr)


def exported_cells(options: argparse.Namespace, files: Files) -> list[Cell]:
    """Those to time; what could not be exported is named, and tried again by the next call."""
    cells = []
    for cell in all_cells(options.models, options.batches, options.threads):
        needed = [files.graph(route, cell.model) for route in ["torch", *options.routes]]
        needed += [files.data(cell.model, cell.batch), files.onnx(cell.model, cell.batch)]
        if absent := [path.name for path in needed if not path.exists()]:
            print(f"not timed: {cell.name}: {', '.join(dict.fromkeys(absent))} was not exported", file=sys.stderr)
        else:
            cells.append(cell)
    return cells


def write_reports(files: Files, storage: Storage, engines: list[Engine], skipped: dict[str, str]) -> bool:
    """False if one of ours failed anywhere."""
    machine = describe(engines, BUILD)
    results = storage.load(machine)
    for ours, stem, picture in ((OURS, "report", "heat_map"), (OURS_FROM_PYTHON, "report_python", "heat_map_python")):
        report = make_report(results, machine, ours, skipped)
        (files.root / f"{stem}.md").write_text(to_markdown(report, f"{picture}.svg"))
        (files.root / f"{stem}.json").write_text(to_json(report))
        (files.root / f"{picture}.svg").write_text(heat_map(report.rows))
    print(f"report: {files.root / 'report.md'}")
    for name, cells in report.errors.items():
        for cell, why in cells.items():
            print(f"not timed: {name}, {cell}: {why}", file=sys.stderr)
    return not any(name.startswith(OURS) for name in report.errors)


def main() -> int:
    options = parse()
    if not options.export_only and (missing := missing_builds(BUILD)):
        print(f"bench_frameworks: {', '.join(missing)}: not there; ./dev build makes them", file=sys.stderr)
        return 2
    files = Files(options.out.resolve())
    files.root.mkdir(parents=True, exist_ok=True)
    engines, skipped = choose_engines(options)
    for name, why in skipped.items():
        print(f"skipped: {name}: {why}", file=sys.stderr)
    storage = Storage(files.results)
    if not options.report_only:
        export(options, files)
    if options.export_only:
        return 0
    if not options.report_only:
        cells = exported_cells(options, files)
        machine = describe(engines, BUILD)
        plan = Plan(cells, engines, machine, options.rounds, options.sample_ms / 1000, options.retry_errors)
        to_do = len(cells_to_do(plan, storage))
        if to_do < len(cells):
            print(f"{len(cells) - to_do} of {len(cells)} cells have results in {files.results}", file=sys.stderr)
        progress = Progress(to_do)
        sweep(plan, storage, lambda engine, cell: EngineProcess(engine, cell, files), progress)
    return 0 if write_reports(files, storage, engines, skipped) else 1


if __name__ == "__main__":
    raise SystemExit(main())
