"""The zoo in TensorFlow, functions of the shared weights, and its neighbours in Keras, which hold them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import tensorflow as tf

from rml_export.from_tf import TfModel
from rml_export.zoo.configs import CONFIGS, OUTPUTS
from rml_export.zoo.functions import by_model
from rml_export.zoo.inputs import inputs
from rml_export.zoo.tf_models import attention, dense, neighbour_sequence, neighbour_vision, sequence, vision
from rml_export.zoo.weights import weights

FUNCTIONS = by_model(attention, dense, sequence, vision)
KERAS = {
    "resnet": neighbour_vision.Resnet,
    "mobilenet": neighbour_vision.Mobilenet,
    "bert": neighbour_sequence.Bert,
    "gru": neighbour_sequence.Gru,
    "bilstm": neighbour_sequence.Bilstm,
    "audio_cnn": neighbour_sequence.AudioCnn,
    "tabular": neighbour_sequence.Tabular,
    "decoder": neighbour_vision.Decoder,
}


def build(model: str, size: str) -> Callable[..., Any]:
    """The function of the inputs, on variables that hold the weights."""
    if model in KERAS:
        return KERAS[model](CONFIGS[model][size], weights(model, size))
    variables = {name: tf.Variable(array, name=name) for name, array in weights(model, size).items()}
    return partial(FUNCTIONS[model], CONFIGS[model][size], variables)


def front_end(model: str, size: str, batch: int) -> TfModel:
    """One model of the zoo with example inputs."""
    arrays = inputs(model, size, batch)
    return TfModel(build(model, size), tuple(arrays.values()), tuple(arrays), OUTPUTS[model])
