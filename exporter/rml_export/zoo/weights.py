"""The zoo's parameters, drawn once in NumPy so that every framework's definition computes the same function.

    weights("mlp", "tiny") -> {"fc1.weight": [16, 12], "fc1.bias": [16], ...}

Names and layouts are PyTorch's (dense kernels [out, in], convolutions OIHW); the other frameworks transpose. The
generator is seeded with 1234 plus the model's index, and drawn from in the order of `parameters`.
"""

import numpy as np

from rml_export.zoo.configs import ALL_MODELS, CONFIGS
from rml_export.zoo.neighbour_parameters import NEIGHBOUR_PARAMETERS
from rml_export.zoo.parameters import PARAMETERS

SEED = 1234
ALL_PARAMETERS = {**PARAMETERS, **NEIGHBOUR_PARAMETERS}


def weights(model: str, size: str) -> dict[str, np.ndarray]:
    """All parameters of a model, float32."""
    generator = np.random.default_rng(SEED + ALL_MODELS.index(model))
    result: dict[str, np.ndarray] = {}
    for name, shape in ALL_PARAMETERS[model](CONFIGS[model][size]).items():
        draw = generator.standard_normal(shape)
        result[name] = (_scale(name, shape) * draw + _centre(name)).astype(np.float32)
    return result


def _scale(name: str, shape: tuple[int, ...]) -> float:
    """Weights keep the size of what they are applied to; biases and norms stay small."""
    if len(shape) < 2 or "norm" in name:
        return 0.1
    if name in ("embedding.weight", "position", "cls"):
        return 0.5
    return float(np.prod(shape[1:])) ** -0.5


def _centre(name: str) -> float:
    """Norm weights and variances lie around 1, the decays of ssm (through a sigmoid) around 0.88."""
    if "norm" in name and name.endswith(("weight", "running_var")):
        return 1.0
    return 2.0 if name == "decay" else 0.0
