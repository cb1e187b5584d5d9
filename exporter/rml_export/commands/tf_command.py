"""`rml-export tf`: exports a function or Keras model made by a function in a Python file."""

import argparse
from typing import Any

from rml_export.commands.export_command import Route
from rml_export.commands.factory import make_model
from rml_export.commands.input_spec import HELP, given_inputs
from rml_export.commands.usage import UsageError

_MODEL = f"""\
Exports a TensorFlow function: a Keras model, a tf.function, or a Python function of tensors. FILE.py:FUNCTION names a
function without arguments that returns it, or it and its example inputs, a tuple or a dict of what goes by keyword:

  # tiny.py
  import tensorflow as tf
  def make():
      w, b = tf.Variable(tf.ones((4, 3))), tf.Variable(tf.zeros(3))
      def model(x):
          return tf.nn.softmax(tf.matmul(x, w) + b)
      return model, (tf.ones((2, 4)),)

  $ rml-export tf tiny.py:make --out models
  $ rml-server --model-repository models

Variables become constants. For a SavedModel, which has to stay loaded, return a function that calls it:

  loaded = tf.saved_model.load("folder")
  return lambda x: loaded.signatures["serving_default"](x)

If the function returns no inputs, describe them:

{HELP}"""


def front_end(options: argparse.Namespace) -> Any:
    from rml_export.from_tf import TfModel

    given = given_inputs(options.input)
    made = make_model(options.source)
    fn, inputs = made if isinstance(made, tuple) and len(made) == 2 else (made, None)
    if not callable(fn):
        raise UsageError(f"{options.source} returned {type(fn).__name__}; expected a function, or one and its inputs")
    if given.arrays is not None:
        inputs = given.arrays
    if inputs is None:
        raise UsageError(f"{options.source} returned no example inputs: return (function, inputs) or give --input")
    inputs = inputs if isinstance(inputs, tuple | list | dict) else (inputs,)
    return TfModel(fn, inputs, given.names, options.output_name)


TF = Route(
    "tf",
    "TensorFlow",
    ("tensorflow",),
    _MODEL,
    ("FILE.py:FUNCTION", "what makes the function"),
    front_end,
    ways={"direct": (), "stablehlo": ("jax", "jaxlib")},
)
