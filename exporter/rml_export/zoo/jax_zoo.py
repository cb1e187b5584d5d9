"""The zoo in JAX: functions of the shared weights."""

from collections.abc import Callable
from functools import partial
from typing import Any

from rml_export.from_jax import JaxModel
from rml_export.zoo.configs import CONFIGS, OUTPUTS
from rml_export.zoo.functions import by_model, neighbours_by_model
from rml_export.zoo.inputs import inputs
from rml_export.zoo.jax_models import attention, dense, neighbour_sequence, neighbour_vision, sequence, vision
from rml_export.zoo.weights import weights

FUNCTIONS = by_model(attention, dense, sequence, vision) | neighbours_by_model(neighbour_sequence, neighbour_vision)


def build(model: str, size: str) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The function fn(params, *inputs) and its parameters."""
    return partial(FUNCTIONS[model], CONFIGS[model][size]), weights(model, size)


def front_end(model: str, size: str, batch: int) -> JaxModel:
    """One model of the zoo with example inputs."""
    fn, params = build(model, size)
    arrays = inputs(model, size, batch)
    return JaxModel(fn, params, tuple(arrays.values()), tuple(arrays), OUTPUTS[model])
