"""`rml-export stablehlo`: exports @main of a module in a file."""

import argparse
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from rml_export.commands.export_command import Route
from rml_export.commands.factory import is_file
from rml_export.commands.input_spec import HELP, given_inputs
from rml_export.commands.usage import UsageError
from rml_export.safetensors_file import read_safetensors

_MODEL = f"""\
Exports @main of a StableHLO module: a text, as JAX and torch-mlir print it, or its bytecode. JAX is needed to read it.

  # tiny.py
  import jax
  import jax.numpy as jnp
  def model(w, x):
      return jnp.tanh(x @ w)
  w, x = jnp.ones((4, 3)), jnp.ones((2, 4))
  jnp.savez("tiny.npz", w=w)
  with open("tiny.mlir", "w") as file:
      file.write(jax.jit(model).lower(w, x).as_text())

  $ python tiny.py
  $ rml-export stablehlo tiny.mlir --params tiny.npz --out models
  $ rml-server --model-repository models

The arrays in the file that --params names are the leading arguments of @main, in the file's order: they become
constants under their names. The other arguments are the model's inputs. Their shapes are fixed by the module, the
batch too. Example inputs are drawn, integers being 0, or described, all of them in order:

{HELP}

The golden outputs are those of XLA on this CPU."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--params", metavar="FILE", help=".npz or .safetensors: the leading arguments of @main")


def front_end(options: argparse.Namespace) -> Any:
    from rml_export.from_stablehlo import StablehloModel

    given = given_inputs(options.input)
    path = Path(options.source)
    if not is_file(path):
        raise UsageError(f"{options.source}: expected a file with a StableHLO module")
    params = read_params(options.params) if options.params else None
    return StablehloModel(path, given.arrays, params, given.names, options.output_name)


def read_params(name: str) -> dict[str, np.ndarray]:
    """The arrays in the file's order."""
    path = Path(name)
    if not is_file(path) or path.suffix not in (".npz", ".safetensors"):
        raise UsageError(f"--params {name}: expected a .npz or .safetensors file")
    try:
        if path.suffix == ".npz":
            with np.load(path) as file:
                return {key: file[key] for key in file.files}
        return read_safetensors(path)[0]
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise UsageError(f"--params {name}: {error}") from error


STABLEHLO = Route(
    "stablehlo",
    "a StableHLO module",
    ("jax", "jaxlib"),
    _MODEL,
    ("FILE.mlir", "the module"),
    front_end,
    options=add_options,
    fixed="a module's shapes are",
)
