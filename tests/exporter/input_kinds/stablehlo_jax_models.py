"""The cases in JAX, through StableHLO."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rml_export.export import take_way
from rml_export.front_end import FrontEnd

from tests.exporter.input_kinds import jax_models

ABSENT = jax_models.ABSENT
MODELS = jax_models.MODELS
SHUFFLES, BAKED_IN = jax_models.SHUFFLES, jax_models.BAKED_IN


def of(fn: Callable[..., Any], examples: Sequence[np.ndarray]) -> FrontEnd:
    return take_way(jax_models.of(fn, examples), "stablehlo")


def front_end(name: str, examples: Sequence[np.ndarray]) -> FrontEnd:
    return take_way(jax_models.front_end(name, examples), "stablehlo")
