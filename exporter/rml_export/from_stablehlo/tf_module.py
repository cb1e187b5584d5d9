"""A TensorFlow function as StableHLO: what tf.function(jit_compile=True) hands to XLA."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from rml_export.errors import ExportError
from rml_export.from_stablehlo.front_end import Argument, Produced
from rml_export.from_tf import TfModel
from rml_export.from_tf.frozen import collect_lines, refuse_assignments

_MAX_TEXT = 1000  # XLA explains at length


def produce(model: TfModel, inputs: Sequence[np.ndarray]) -> Produced:
    """The inputs come first, then what the function captures: its variables, under their names."""
    arguments = model.arguments(inputs)
    compiled = tf.function(model.flat, jit_compile=True, autograph=False)
    try:
        traced = compiled.get_concrete_function(*arguments)
    except Exception as error:  # a function raises whatever it likes while it is traced
        raise ExportError(f"TensorFlow cannot trace the function: {type(error).__name__}: {error}") from error
    refuse_assignments(traced)
    try:
        text = compiled.experimental_get_compiler_ir(*arguments)(stage="stablehlo")
    except Exception as error:  # XLA raises whatever its parts raise
        text = str(error).strip()[:_MAX_TEXT]
        raise ExportError(f"XLA cannot compile the function: {type(error).__name__}: {text}") from error
    outputs = model.names_of_outputs(traced.structured_outputs, len(traced.outputs))
    lines: dict[str, str] = {}
    collect_lines(traced.graph, "", model.flat.__code__.co_filename, lines)
    names = zip(model.input_names, inputs, strict=True)
    given = [Argument(name, left_out=array.size == 0) for name, array in names]
    return Produced(text, [*given, *captured(traced)], outputs, lines)


def captured(traced: Any) -> list[Argument]:
    """Variables and tensors from outside of the function, as @main takes them."""
    variables = {id(variable.handle): variable for variable in traced.graph.variables}
    arguments = []
    for item in traced.captured_inputs:
        variable = variables.get(id(item))
        if variable is None and item.dtype in (tf.resource, tf.variant):
            raise ExportError("the function reads a resource that is no variable (a table, a queue)")
        name = variable.name.removesuffix(":0") if variable is not None else ""
        array = (variable if variable is not None else item).numpy()
        arguments.append(Argument(name, array, left_out=array.size == 0))
    return arguments
