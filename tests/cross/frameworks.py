"""The zoo's models in their frameworks, run live in this process.

PyTorch is imported first: it loads libraries that do not bear those of the others before them.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
import torch  # noqa: F401
from rml_export.front_end import FrontEnd
from rml_export.zoo import ROUTES, front_end

FRAMEWORKS = tuple(route for route in ROUTES if not route.startswith("stablehlo_"))  # their direct routes


def framework_of(route: str) -> str:
    """The framework whose model takes this route: that of stablehlo_jax is jax."""
    return route.removeprefix("stablehlo_")


@cache
def live(framework: str, model: str, size: str) -> FrontEnd:
    return front_end(framework, model, size, 2)


def run_framework(framework: str, model: str, arrays: Sequence[np.ndarray], size: str = "tiny") -> list[np.ndarray]:
    return live(framework, model, size).run(arrays)
