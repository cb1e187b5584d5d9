"""What the subcommands that export one model share: their options, the way through an export, the summary."""

import argparse
import importlib.util
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rml_export.commands.progress import ProgressLine
from rml_export.commands.summary import summarize
from rml_export.commands.usage import UsageError

# What rml-server takes for a model's name and version (server/repository/scan.cc); others it would list as failed.
_MODEL_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")
_MAX_VERSION = 2**63 - 1

_ANY_BATCH = """\
The graph takes any batch (axis 0 of the inputs); all other dimensions are fixed by the examples. --static fixes the
batch too.

"""
_CHECKED = """\
The graph is compared with the framework's own outputs before anything is written. Everything that rml-graph cannot
express is listed at once, with the line of the model that it comes from, and nothing is written then."""


@dataclass(frozen=True)
class Route:
    """A subcommand that exports one model.

    name, title   "jax", "JAX"
    packages      what has to be importable, and is installed by pip install ./exporter[name]
    model         how the model is given, with an example to copy
    source        the positional argument's name and help
    front_end     makes the rml_export.front_end.FrontEnd from the command line
    options       adds options of this route alone
    ways          for --via, the first being the default (rml_export.export.take_way): what each has to import besides;
                  pip install ./exporter[name-way] installs that
    fixed         why the batch is always fixed; empty: --static decides
    """

    name: str
    title: str
    packages: tuple[str, ...]
    model: str
    source: tuple[str, str]
    front_end: Callable[[argparse.Namespace], Any]
    options: Callable[[argparse.ArgumentParser], None] | None = None
    ways: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"direct": ()})
    fixed: str = ""

    def add_parser(self, commands: Any) -> None:
        parser = commands.add_parser(
            self.name,
            help=f"export a model from {self.title}",
            description=f"{self.model}\n\n{'' if self.fixed else _ANY_BATCH}{_CHECKED}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        metavar, text = self.source
        parser.add_argument("source", metavar=metavar, help=text)
        if self.options is not None:
            self.options(parser)
        if len(self.ways) > 1:
            text = "lower the framework's own graph (direct), or the StableHLO that its compiler path makes (needs JAX)"
            default = next(iter(self.ways))
            parser.add_argument("--via", choices=self.ways, default=default, help=f"{text}; default: {default}")
        add_options(parser, can_choose_batch=not self.fixed)
        parser.set_defaults(run=lambda options: run(self, options))


def add_options(parser: argparse.ArgumentParser, can_choose_batch: bool) -> None:
    where = parser.add_argument_group("where to")
    where.add_argument("-o", "--out", metavar="DIR", default="models", help="model repository (default: models)")
    where.add_argument("--name", help="the model's name there (default: the function's or the file's name)")
    where.add_argument("--version", type=int, default=1, help="its version, a positive integer (default: 1)")
    where.add_argument("--path", help="write PATH.json and so on instead of a repository")
    what = parser.add_argument_group("what")
    what.add_argument("--input", action="append", default=[], metavar="NAME=TYPE[DIMS]", help="an example input")
    if can_choose_batch:
        what.add_argument("--static", action="store_true", help="fix the batch to that of the example inputs")
    else:
        parser.set_defaults(static=True)
    what.add_argument("--output-name", action="append", metavar="NAME", help="names of the outputs, in order")
    what.add_argument("--atol", type=float, default=1e-4, help="tolerance of the golden file (default: 1e-4)")
    what.add_argument("--rtol", type=float, default=1e-4, help="the same, times the largest output (default: 1e-4)")
    what.add_argument("--skip-pass", action="append", default=[], metavar="PASS", help="leave out a clean-up pass")
    what.add_argument("--verify", action="store_true", help="compare with the engine on random inputs before writing")
    what.add_argument(
        "--verify-with",
        choices=("engine", "reference"),
        help="what --verify runs the graph in: the engine (rml-graph-run; default), or the exporter's ops in NumPy",
    )
    what.add_argument("--verbose", action="store_true", help="say where passes left something alone, and why")


def run(route: Route, options: argparse.Namespace) -> None:
    from rml_export.export import ExportOptions, lower_model, take_way, write_export

    check_usage(options)
    tolerance = tolerance_of(options)
    via = options.via if len(route.ways) > 1 else "direct"
    check_installed(route, via)
    runner = verification_runner(options)
    front_end = take_way(route.front_end(options), via)
    name = model_name(options)
    path = Path(options.path) if options.path is not None else Path(options.out) / name / str(options.version) / "model"
    progress = ProgressLine(f"exporting {name}")
    settings = ExportOptions(
        static=options.static,
        tolerance=tolerance,
        skip_passes=options.skip_pass,
        progress=progress,
        stage=progress.stage,
    )
    try:
        export = lower_model(front_end, settings)
        verified = verify_unwritten(export, front_end, runner, settings) if runner is not None else None
    finally:
        progress.finish()
    files = write_export(export, path, tolerance)
    fixed = route.fixed or ("as --static asks" if options.static else "")
    print(summarize(export, files, fixed, options.verbose))
    if verified is not None:
        print(verified_text(verified))


def check_usage(options: argparse.Namespace) -> None:
    from rml_export.passes import PASSES

    unknown = [name for name in options.skip_pass if name not in PASSES]
    if unknown:
        raise UsageError(f"no pass named {', '.join(unknown)}; there are {', '.join(PASSES)}")
    if not 0 < options.version <= _MAX_VERSION:
        raise UsageError(f"--version {options.version}: expected a positive integer of at most 63 bits")
    if options.path is not None and options.path.rpartition("/")[2] in ("", ".", ".."):
        raise UsageError(f"--path '{options.path}': expected a file's name at the end")
    if options.path is None and not _MODEL_NAME.fullmatch(model_name(options)):
        rule = "letters, digits, '.', '_' and '-', at most 128, not starting with '.'"
        raise UsageError(f"--name {model_name(options)!a}: expected {rule}")


def verification_runner(options: argparse.Namespace) -> Any:
    """What --verify compares the framework with; None without it."""
    from rml_export.verify import EngineRunner, ReferenceRunner, engine_advice, find_engine

    if not options.verify and options.verify_with is None:
        return None
    if options.verify_with == "reference":
        return ReferenceRunner()
    program = find_engine()
    if program is None:
        raise UsageError(f"--verify: {engine_advice()}. Without the engine: --verify-with reference")
    return EngineRunner(program)


def verify_unwritten(export: Any, front_end: Any, runner: Any, settings: Any) -> Any:
    """Verifies files in a temporary folder, so that nothing wrong gets into a model repository."""
    from rml_export.export import write_export
    from rml_export.verify import verify

    with tempfile.TemporaryDirectory(prefix="rml-export-") as folder:
        path = Path(folder) / "model"
        write_export(export, path, settings.tolerance)
        return verify(front_end, path, runner, settings)


def verified_text(verified: Any) -> str:
    batches = [str(rows) for rows in verified.batches if rows is not None]
    at = f"at batches {', '.join(batches)}" if batches else f"on {len(verified.batches)} sets of inputs"
    return f"verified {verified.runner} {at}: at most {100 * verified.worst:.1f} % of the tolerance used"


def check_installed(route: Route, via: str) -> None:
    """UsageError with the command that installs what is missing."""
    besides = route.ways[via]
    missing = [package for package in (*route.packages, *besides) if not is_installed(package)]
    if missing:
        extra = f"{route.name}-{via}" if besides else route.name
        raise UsageError(f"{', '.join(missing)} not installed; say: pip install './exporter[{extra}]'")


def is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def model_name(options: argparse.Namespace) -> str:
    """As asked, else the function's or the file's name."""
    return options.name if options.name is not None else Path(options.source.rpartition(":")[2]).stem


def tolerance_of(options: argparse.Namespace) -> Any:
    from rml_export.golden import Tolerance

    try:
        return Tolerance(options.atol, options.rtol)
    except ValueError as error:
        raise UsageError(f"--{error}") from error
