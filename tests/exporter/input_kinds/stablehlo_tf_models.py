"""The cases in TensorFlow, through StableHLO."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rml_export.export import take_way
from rml_export.front_end import FrontEnd

from tests.exporter.input_kinds import tf_models

ABSENT = {
    **tf_models.ABSENT,
    **dict.fromkeys(
        ("max_pool_negative", "max_pool_nan"), "XLA does not compile TensorFlow's pools of explicit padding"
    ),
}
MODELS = {name: model for name, model in tf_models.MODELS.items() if name not in ABSENT}
SHUFFLES, BAKED_IN = tf_models.SHUFFLES, tf_models.BAKED_IN


def of(fn: Callable[..., Any], examples: Sequence[np.ndarray]) -> FrontEnd:
    return take_way(tf_models.of(fn, examples), "stablehlo")


def front_end(name: str, examples: Sequence[np.ndarray]) -> FrontEnd:
    return take_way(tf_models.front_end(name, examples), "stablehlo")
