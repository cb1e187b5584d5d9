"""`rml-export jax`: exports a function of parameters and inputs made by a function in a Python file."""

import argparse
from typing import Any

from rml_export.commands.export_command import Route
from rml_export.commands.factory import make_model
from rml_export.commands.input_spec import HELP, given_inputs
from rml_export.commands.usage import UsageError

_MODEL = f"""\
Exports a JAX function fn(params, *inputs). FILE.py:FUNCTION names a function without arguments that returns
(fn, params) or (fn, params, inputs), where params is any pytree of arrays and inputs a tuple of example inputs:

  # tiny.py
  import jax.numpy as jnp
  import numpy as np
  def model(params, x):
      return jnp.tanh(x @ params["w"] + params["b"])
  def make():
      params = {{"w": np.ones((4, 3), np.float32), "b": np.zeros(3, np.float32)}}
      return model, params, (np.ones((2, 4), np.float32),)

  $ rml-export jax tiny.py:make --out models
  $ rml-server --model-repository models

For a Flax module return (module.apply, variables, inputs). Each leaf of params becomes a constant named by its path.
Scans, and loops whose end is known, are unrolled. If the function returns no inputs, describe them:

{HELP}"""

_EXPECTED = "expected (fn, params) or (fn, params, inputs)"


def front_end(options: argparse.Namespace) -> Any:
    from rml_export.from_jax import JaxModel

    given = given_inputs(options.input)
    made = make_model(options.source)
    if not isinstance(made, tuple) or len(made) not in (2, 3):
        what = f"a tuple of {len(made)}" if isinstance(made, tuple) else type(made).__name__
        raise UsageError(f"{options.source} returned {what}; {_EXPECTED}")
    fn, params, *rest = made
    if not callable(fn):
        raise UsageError(f"{options.source} returned {type(fn).__name__} first; {_EXPECTED}")
    inputs = given.arrays if given.arrays is not None else (rest[0] if rest else None)
    if inputs is None:
        raise UsageError(f"{options.source} returned no example inputs: return (fn, params, inputs) or give --input")
    inputs = inputs if isinstance(inputs, tuple | list) else (inputs,)
    return JaxModel(fn, params, inputs, given.names, options.output_name)


JAX = Route(
    "jax",
    "JAX",
    ("jax", "jaxlib"),
    _MODEL,
    ("FILE.py:FUNCTION", "what makes the function and its parameters"),
    front_end,
    ways={"direct": (), "stablehlo": ()},
)
