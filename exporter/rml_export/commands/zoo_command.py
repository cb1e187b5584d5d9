"""`rml-export zoo`: exports the zoo's models as a model repository."""

import argparse
from pathlib import Path
from typing import Any

from rml_export.commands.progress import ProgressLine
from rml_export.commands.summary import size_text
from rml_export.commands.usage import UsageError
from rml_export.zoo.configs import MODELS, SIZES
from rml_export.zoo.routes import ROUTES, export_zoo

_DESCRIPTION = f"""\
Exports models of the zoo, with golden files, into DIR/MODEL/1/. With several batches each gets a model of its own,
DIR/MODEL_b8/1/.

  $ rml-export zoo --size bench --batch 1,8 --out bench_models mlp cnn

Models: {", ".join(MODELS[:10])},
        {", ".join(MODELS[10:])}."""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "zoo",
        help="export the models that tests and benchmarks use",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("models", nargs="*", metavar="MODEL", help="default: all")
    parser.add_argument("--size", choices=SIZES, default="tiny")
    parser.add_argument("--route", choices=ROUTES, default="torch", help="framework and way out of it (default: torch)")
    parser.add_argument("--static", action="store_true", help="fix the batch; by default a graph takes any")
    parser.add_argument("--batch", default="2", metavar="N[,N...]", help="batches of the golden inputs (default: 2)")
    parser.add_argument("--out", metavar="DIR", required=True, help="model repository to write into")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    unknown = [model for model in options.models if model not in MODELS]
    if unknown:
        raise UsageError(f"no model named {', '.join(unknown)}; there are {', '.join(MODELS)}")
    parts = options.batch.split(",")
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise UsageError(f"--batch {options.batch}: expected positive integers")
    batches = [int(part) for part in parts]
    for model in options.models or MODELS:
        for batch in batches:
            name = model if len(batches) == 1 else f"{model}_b{batch}"
            progress = ProgressLine(f"exporting {name}")
            path = Path(options.out) / name / "1" / "model"
            result = export_zoo(
                options.route, model, options.size, batch, path, progress=progress, static=options.static
            )
            progress.finish()
            size = size_text(result.files.json_bytes + result.files.weights_bytes)
            print(f"{path.parent}: {len(result.export.graph.nodes)} nodes, {size}", flush=True)
