"""`rml-export onnx`: exports a model in ONNX's format."""

import argparse
from pathlib import Path
from typing import Any

from rml_export.commands.export_command import Route
from rml_export.commands.input_spec import parse_input
from rml_export.commands.usage import UsageError

_MODEL = """\
Exports a .onnx file; data in other files is found beside it.

  # tiny.py
  import onnx
  model = onnx.parser.parse_model('''<ir_version: 8, opset_import: ["": 17]>
      tiny (float[batch, 4] x, int64[batch, words] ids) => (float[batch, 3] y)
      <float[4, 3] w = {0,1,2,3,4,5,6,7,8,9,10,11}, float[6, 3] table = {0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17}>
      { a = MatMul (x, w)  b = Gather (table, ids)  c = ReduceMean <axes = [1], keepdims = 0> (b)  y = Add (a, c) }''')
  onnx.save(model, "tiny.onnx")

  $ python tiny.py
  $ rml-export onnx tiny.onnx --dim words=5 --input ids=i32[2,5]<6 --out models
  $ rml-server --model-repository models

The first open axis 0 is the batch, with every other axis 0 of its name. Other open dims are fixed here:

  --dim words=5                         by its name
  --dim pixel_values:2=224              axis 2 of an input, where the dim has no name
  --dim batch=1                         the batch too, if it is to be fixed
  --open-batch                          the other way round: a file for one batch, made one for any

Example inputs are drawn, integers being 0, or described by the model's names for them, which fixes their dims as well:

  --input 'ids=i32[2,16]<1024'          random ids from 0 to 1023
  --input 'pixel_values=f32[2,3,32,32]' normal random numbers

The golden outputs are those of ONNX Runtime where it is installed, else of ONNX's own reference, which is slow."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=SIZE", help="the size of an open dim")
    parser.add_argument("--open-batch", action="store_true", help="open the batch that the file fixes (axis 0)")
    parser.add_argument(
        "--runtime",
        choices=("onnxruntime", "reference"),
        help="what computes the golden outputs (default: onnxruntime where it is installed)",
    )


def front_end(options: argparse.Namespace) -> Any:
    from rml_export.from_onnx import OnnxModel

    path = Path(options.source)
    if not path.is_file():
        raise UsageError(f"{options.source}: expected a .onnx file")
    dims = dict(parse_dim(text) for text in options.dim)
    return OnnxModel(
        path,
        examples(options.input),
        dims,
        output_names=options.output_name,
        runtime=options.runtime,
        open_batch=options.open_batch,
    )


def parse_dim(text: str) -> tuple[str, int]:
    name, _, size = text.rpartition("=")
    if not name or not size.isdecimal():
        raise UsageError(f"--dim '{text}': expected NAME=SIZE with a number from 0")
    return name, int(size)


def examples(texts: list[str]) -> Any:
    """By name where all have one, else in order; None for none."""
    specs = [parse_input(text) for text in texts]
    arrays = [spec.example(seed) for seed, spec in enumerate(specs)]
    if specs and all(spec.name for spec in specs):
        return {spec.name: array for spec, array in zip(specs, arrays, strict=True)}
    return arrays or None


ONNX = Route(
    "onnx",
    "a file in ONNX's format",
    ("onnx",),
    _MODEL,
    ("FILE.onnx", "the model"),
    front_end,
    options=add_options,
)
