"""The zoo in TensorFlow: functions of the shared weights."""

from collections.abc import Callable
from functools import partial
from typing import Any

import tensorflow as tf

from rml_export.from_tf import TfModel
from rml_export.zoo.configs import CONFIGS, OUTPUTS
from rml_export.zoo.functions import by_model
from rml_export.zoo.inputs import inputs
from rml_export.zoo.tf_models import attention, dense, sequence, vision
from rml_export.zoo.weights import weights

FUNCTIONS = by_model(attention, dense, sequence, vision)


def build(model: str, size: str) -> Callable[..., Any]:
    """The function of the inputs, on variables that hold the weights."""
    variables = {name: tf.Variable(array, name=name) for name, array in weights(model, size).items()}
    return partial(FUNCTIONS[model], CONFIGS[model][size], variables)


def front_end(model: str, size: str, batch: int) -> TfModel:
    """One model of the zoo with example inputs."""
    arrays = inputs(model, size, batch)
    return TfModel(build(model, size), tuple(arrays.values()), tuple(arrays), OUTPUTS[model])
