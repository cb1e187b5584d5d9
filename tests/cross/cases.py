"""The inputs on which frameworks and rml are compared."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rml_export.zoo.configs import CONFIGS
from rml_export.zoo.inputs import inputs

Change = Callable[[np.ndarray, int], np.ndarray]  # an input as drawn, and the vocabulary (0 if the model has none)


def as_drawn(x: np.ndarray, vocab: int) -> np.ndarray:
    return x


def scaled(factor: float) -> Change:
    return lambda x, _: x * np.float32(factor) if x.dtype == np.float32 else x


def tokens(of: Callable[[int], int]) -> Change:
    return lambda x, vocab: np.full_like(x, of(vocab)) if x.dtype == np.int32 else x


@dataclass(frozen=True)
class Case:
    """Every case draws its own inputs, so none repeats another where it changes nothing."""

    name: str
    batch: int = 2
    change: Change = as_drawn


CASES = (
    Case("batch_1", 1),
    Case("batch_2", 2),
    Case("batch_5", 5),
    Case("batch_7", 7),
    Case("times_4", change=scaled(4)),
    Case("times_10", change=scaled(10)),
    Case("zeros", change=lambda x, _: np.zeros_like(x)),
    Case("smallest_tokens", change=tokens(lambda vocab: 0)),
    Case("largest_tokens", change=tokens(lambda vocab: vocab - 1)),
)


def arrays(model: str, size: str, case: Case) -> list[np.ndarray]:
    """The model's inputs, in its order."""
    seed = 1 + sum(case.name.encode())
    vocab = CONFIGS[model][size].get("vocab", 0)
    return [case.change(x, vocab) for x in inputs(model, size, case.batch, seed).values()]
