"""`rml-export torch`: exports a module made by a function in a Python file."""

import argparse
import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

from rml_export.progress import ProgressLine
from rml_export.summary import summarize
from rml_export.usage import UsageError

_DESCRIPTION = """\
Exports a PyTorch module. FILE.py:FUNCTION names a function without arguments that returns the module, or the module and
its example inputs:

  # tiny.py
  import torch
  def make():
      module = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Softmax(-1))
      return module, (torch.randn(2, 4),)

  $ rml-export torch tiny.py:make --out models
  $ rml-server --model-repository models

The module is exported in evaluation mode. The graph takes any batch (axis 0 of the inputs); all other dimensions are
fixed by the examples. --static fixes the batch too. If the function returns a module only, describe the inputs (random
numbers of that type are used):

  --input 'image=f32[2,3,32,32]'
  --input 'tokens=i32[2,16]<1024'       ids from 0 to 1023

The graph is compared with the module's own outputs before anything is written. Everything that rml-graph cannot
express is listed at once, with the line of the model that it comes from."""

_INPUT = re.compile(r"(?:([A-Za-z_]\w*)=)?(f32|i32)\[([0-9,\s]*)\](?:<([0-9]+))?")

# What rml-server takes for a model's name (server/repository/scan.cc); others it would list as failed.
_MODEL_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "torch",
        help="export a PyTorch module",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("factory", metavar="FILE.py:FUNCTION", help="what makes the module")
    parser.add_argument("--out", metavar="DIR", default="models", help="model repository (default: models)")
    parser.add_argument("--name", help="the model's name there (default: the function's name)")
    parser.add_argument("--version", type=int, default=1, help="its version, a positive integer (default: 1)")
    parser.add_argument("--path", help="write PATH.json and so on instead of a repository")
    parser.add_argument("--input", action="append", default=[], metavar="NAME=TYPE[DIMS]", help="an example input")
    parser.add_argument("--static", action="store_true", help="fix the batch to that of the example inputs")
    parser.add_argument("--output-name", action="append", metavar="NAME", help="names of the outputs, in order")
    parser.add_argument("--atol", type=float, default=1e-4, help="tolerance of the golden file (default: 1e-4)")
    parser.add_argument("--rtol", type=float, default=1e-4, help="the same, times the largest output (default: 1e-4)")
    parser.add_argument("--skip-pass", action="append", default=[], metavar="PASS", help="leave out a clean-up pass")
    parser.add_argument("--verbose", action="store_true", help="say where passes left something alone, and why")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    import torch

    from rml_export.passes import PASSES

    unknown = [name for name in options.skip_pass if name not in PASSES]
    if unknown:
        raise UsageError(f"no pass named {', '.join(unknown)}; there are {', '.join(PASSES)}")
    if options.version < 1:
        raise UsageError(f"--version {options.version}: expected a positive integer")
    if not options.path and not _MODEL_NAME.fullmatch(model_name(options)):
        rule = "letters, digits, '.', '_' and '-', at most 128, not starting with '.'"
        raise UsageError(f"--name {model_name(options)!a}: expected {rule}")
    tolerance = tolerance_of(options)
    specs = [parse_input(text) for text in options.input]
    made = load_factory(options.factory)()
    module, inputs = made if isinstance(made, tuple) and len(made) == 2 else (made, None)
    if not isinstance(module, torch.nn.Module):
        raise UsageError(
            f"{options.factory} returned {type(module).__name__}; expected a torch.nn.Module, or one and its inputs"
        )
    names = [spec[0] for spec in specs] if specs and all(spec[0] for spec in specs) else None
    if specs:
        inputs = tuple(random_input(*spec[1:], seed) for seed, spec in enumerate(specs))
    if inputs is None:
        raise UsageError(f"{options.factory} returned no example inputs: return (module, inputs) or give --input")
    export(options, module, inputs, names, tolerance)


def model_name(options: argparse.Namespace) -> str:
    return options.name or options.factory.rpartition(":")[2]


def tolerance_of(options: argparse.Namespace) -> Any:
    from rml_export.golden import Tolerance

    try:
        return Tolerance(options.atol, options.rtol)
    except ValueError as error:
        raise UsageError(f"--{error}") from error


def export(options: argparse.Namespace, module: Any, inputs: Any, names: list[str] | None, tolerance: Any) -> None:
    from rml_export.from_torch import export_torch

    name = model_name(options)
    path = Path(options.path) if options.path else Path(options.out) / name / str(options.version) / "model"
    progress = ProgressLine(f"exporting {name}")
    result = export_torch(
        module,
        inputs if isinstance(inputs, tuple | list) else (inputs,),
        path,
        input_names=names,
        output_names=options.output_name,
        tolerance=tolerance,
        static=options.static,
        skip_passes=options.skip_pass,
        progress=progress,
    )
    progress.finish()
    export = result.export
    print(summarize(export.graph, export.passes, export.folded, result.files, options.verbose))


def load_factory(text: str) -> Any:
    """The function that FILE.py:FUNCTION names. UsageError if there is none."""
    file, _, name = text.rpartition(":")
    path = Path(file)
    if not file or not name or not path.is_file():
        raise UsageError(f"'{text}': expected FILE.py:FUNCTION with an existing file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"'{file}' is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"'{file}' cannot be imported: {type(error).__name__}: {error}") from error
    factory = getattr(module, name, None)
    if not callable(factory):
        raise UsageError(f"'{file}' has no function '{name}'")
    return factory


def parse_input(text: str) -> tuple[str | None, str, tuple[int, ...], int | None]:
    """name, dtype, shape and bound of 'tokens=i32[2,16]<1024'."""
    match = _INPUT.fullmatch(text.replace(" ", ""))
    if match is None:
        raise UsageError(f"--input '{text}': expected NAME=f32[DIMS] or NAME=i32[DIMS]<BOUND")
    name, dtype, dims, bound = match.groups()
    shape = tuple(int(dim) for dim in dims.split(",") if dim)
    return name, dtype, shape, int(bound) if bound else None


def random_input(dtype: str, shape: tuple[int, ...], bound: int | None, seed: int) -> Any:
    """Normal numbers, or integers from 0 to bound - 1 (0 if no bound is given)."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    if dtype == "f32":
        return torch.randn(shape, generator=generator)
    return torch.randint(0, bound or 1, shape, generator=generator, dtype=torch.int32)
