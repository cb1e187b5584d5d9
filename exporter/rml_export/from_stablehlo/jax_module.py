"""A JAX function as StableHLO: what jax.jit hands to XLA, before chlo's ops are written out."""

from collections.abc import Sequence

import jax
import numpy as np

from rml_export.errors import ExportError
from rml_export.from_jax import JaxModel
from rml_export.from_stablehlo.front_end import Argument, Produced


def produce(model: JaxModel, inputs: Sequence[np.ndarray]) -> Produced:
    """Parameters come first, as the arguments of @main, named by their paths; unused arguments stay."""
    arguments = model.arguments(inputs)
    try:
        lowered = jax.jit(model.fn, keep_unused=True).lower(model.params, *arguments)
    except Exception as error:  # a function raises whatever it likes while it is traced
        raise ExportError(f"JAX cannot trace the function: {type(error).__name__}: {error}") from error
    parameters = [
        Argument(jax.tree_util.keystr(path, simple=True, separator="."), leaf)
        for path, leaf in jax.tree_util.tree_flatten_with_path(model.params)[0]
    ]
    names = [Argument(name) for name in model.input_names]
    outputs = model.names_of_outputs(lowered.out_info)
    return Produced(lowered.compiler_ir(dialect="stablehlo"), [*parameters, *names], outputs)
