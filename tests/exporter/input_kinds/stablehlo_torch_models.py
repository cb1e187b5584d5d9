"""The cases in PyTorch, through StableHLO."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rml_export.export import take_way
from rml_export.front_end import FrontEnd

from tests.exporter.input_kinds import torch_models

ABSENT = {
    **torch_models.ABSENT,
    "avg_pool_ceil": "torch-mlir infers another shape for windows beyond the padding, and refuses",
    "integers_floor": "torch-mlir divides floats and rounds them down, which rml-graph has no op for",
    "gather_wrapped": "torch-mlir does not count negative positions from the end: refused",
}
MODELS = {name: model for name, model in torch_models.MODELS.items() if name not in ABSENT}
SHUFFLES, BAKED_IN = torch_models.SHUFFLES, torch_models.BAKED_IN


def of(item: Callable[..., Any], examples: Sequence[np.ndarray]) -> FrontEnd:
    return take_way(torch_models.of(item, examples), "stablehlo")


def front_end(name: str, examples: Sequence[np.ndarray]) -> FrontEnd:
    return take_way(torch_models.front_end(name, examples), "stablehlo")
