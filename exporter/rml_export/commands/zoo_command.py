"""`rml-export zoo`: exports the zoo's models as a model repository."""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from rml_export.commands.export_command import is_installed
from rml_export.commands.progress import ProgressLine
from rml_export.commands.summary import size_text
from rml_export.commands.usage import UsageError
from rml_export.errors import ExportError
from rml_export.zoo.configs import ALL_MODELS, MODELS, NEIGHBOURS, SIZES
from rml_export.zoo.finished import is_finished
from rml_export.zoo.routes import ROUTES, export_zoo, packages

_DESCRIPTION = f"""\
Exports models of the zoo, with golden files, into DIR/MODEL/1/. With several routes or batches each gets a model of its
own, DIR/jax_MODEL_b8/1/.

  $ rml-export zoo --out repository mlp cnn                        tiny, from PyTorch
  $ rml-export zoo --out repository --size bench --route all       every model from every framework by every way
  $ rml-export zoo --out repository --size bench --route all --resume
                                                                   goes on where that stopped
  $ rml-export zoo --out repository --size bench neighbours        the neighbours, from PyTorch
  $ rml-server --model-repository repository

A model that cannot be exported does not stop the others; all of them are named at the end.

Models: {", ".join(MODELS[:10])},
        {", ".join(MODELS[10:])}.
Neighbours, nets as users write them: {", ".join(NEIGHBOURS)};
        `neighbours` stands for all of them.
Routes: {", ".join(ROUTES)}."""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "zoo",
        help="export the models that tests and benchmarks use",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("models", nargs="*", metavar="MODEL", help="default: all but the neighbours")
    parser.add_argument("--size", choices=SIZES, default="tiny")
    parser.add_argument(
        "--route", default="torch", metavar="R[,R...]", help="frameworks and ways out of them, or all (default: torch)"
    )
    parser.add_argument("--static", action="store_true", help="fix the batch; by default a graph takes any")
    parser.add_argument("--batch", default="2", metavar="N[,N...]", help="batches of the golden inputs (default: 2)")
    parser.add_argument("--out", metavar="DIR", required=True, help="model repository to write into")
    parser.add_argument("--resume", action="store_true", help="leave alone what an earlier run of this command wrote")
    parser.set_defaults(run=run)


@dataclass(frozen=True)
class Job:
    """One model to write. name: in the repository."""

    name: str
    route: str
    model: str
    batch: int


def run(options: argparse.Namespace) -> None:
    jobs = list(planned(options))
    problems: list[str] = []
    for number, job in enumerate(jobs, 1):
        path = Path(options.out) / job.name / "1" / "model"
        label = f"[{number}/{len(jobs)}] {path.parent}"
        if options.resume and is_finished(path, job.model, options.size, job.batch, options.static):
            print(f"{label}: done before", flush=True)
            continue
        try:
            print(f"{label}: {export_job(job, options, path)}", flush=True)
        except ExportError as error:
            problems.append(f"{job.name}: {error}")
            print(f"{label}: FAILED", flush=True)
    if problems:
        done = f"{len(jobs) - len(problems)} of {len(jobs)} models exported"
        raise ExportError([done, *problems])


def export_job(job: Job, options: argparse.Namespace, path: Path) -> str:
    """What was written, in a few words."""
    start = time.monotonic()
    progress = ProgressLine(f"exporting {job.name}")
    try:
        settings = {"progress": progress, "stage": progress.stage, "static": options.static}
        result = export_zoo(job.route, job.model, options.size, job.batch, path, **settings)
    finally:
        progress.finish()
    size = size_text(result.files.json_bytes + result.files.weights_bytes)
    return f"{len(result.export.graph.nodes)} nodes, {size}, {time.monotonic() - start:.1f} s"


def planned(options: argparse.Namespace) -> Iterator[Job]:
    """The models to write, route by route. UsageError for names that there are not."""
    models = chosen_models(options.models)
    parts = options.batch.split(",")
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise UsageError(f"--batch {options.batch}: expected positive integers")
    parts = list(dict.fromkeys(parts))
    routes = chosen_routes(options.route)
    for route in routes:
        for model in models:
            for part in parts:
                name = (f"{route}_" if len(routes) > 1 else "") + model + (f"_b{part}" if len(parts) > 1 else "")
                yield Job(name, route, model, int(part))


def chosen_models(names: Sequence[str]) -> list[str]:
    unknown = [name for name in names if name not in (*ALL_MODELS, "neighbours")]
    if unknown:
        raise UsageError(f"no model named {', '.join(unknown)}; there are {', '.join(ALL_MODELS)}, and neighbours")
    groups = [NEIGHBOURS if name == "neighbours" else (name,) for name in names]
    return list(dict.fromkeys(chain.from_iterable(groups))) or list(MODELS)


def chosen_routes(text: str) -> list[str]:
    routes = list(ROUTES) if text == "all" else list(dict.fromkeys(text.split(",")))
    unknown = [route for route in routes if route not in ROUTES]
    if unknown:
        raise UsageError(f"no route named {', '.join(unknown)}; there are {', '.join(ROUTES)}, and all")
    missing = {package for route in routes for package in packages(route) if not is_installed(package)}
    if missing:
        raise UsageError(f"--route {text}: {', '.join(sorted(missing))} not installed")
    return routes
