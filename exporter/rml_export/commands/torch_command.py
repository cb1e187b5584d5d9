"""`rml-export torch`: exports a module made by a function in a Python file."""

import argparse
from typing import Any

from rml_export.commands.export_command import Route
from rml_export.commands.factory import make_model
from rml_export.commands.input_spec import HELP, given_inputs
from rml_export.commands.usage import UsageError

_MODEL = f"""\
Exports a PyTorch module. FILE.py:FUNCTION names a function without arguments that returns the module, or the module and
its example inputs:

  # tiny.py
  import torch
  def make():
      module = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Softmax(-1))
      return module, (torch.randn(2, 4),)

  $ rml-export torch tiny.py:make --out models
  $ rml-server --model-repository models

The module is exported in evaluation mode. If the function returns a module only, describe the inputs:

{HELP}"""


def front_end(options: argparse.Namespace) -> Any:
    import torch

    from rml_export.from_torch import TorchModel

    given = given_inputs(options.input)
    made = make_model(options.source)
    module, inputs = made if isinstance(made, tuple) and len(made) == 2 else (made, None)
    if not isinstance(module, torch.nn.Module):
        raise UsageError(
            f"{options.source} returned {type(module).__name__}; expected a torch.nn.Module, or one and its inputs"
        )
    if given.arrays is not None:
        inputs = tuple(torch.from_numpy(array) for array in given.arrays)
    if inputs is None:
        raise UsageError(f"{options.source} returned no example inputs: return (module, inputs) or give --input")
    inputs = inputs if isinstance(inputs, tuple | list) else (inputs,)
    return TorchModel(module, inputs, given.names, options.output_name)


TORCH = Route(
    "torch",
    "PyTorch",
    ("torch",),
    _MODEL,
    ("FILE.py:FUNCTION", "what makes the module"),
    front_end,
    ways={"direct": (), "stablehlo": ("torch_mlir", "jax", "jaxlib")},
)
