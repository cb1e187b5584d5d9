"""The zoo in TensorFlow: functions of the shared weights."""

from collections.abc import Callable
from functools import partial
from typing import Any

import tensorflow as tf

from rml_export.from_tf import TfModel
from rml_export.zoo.configs import CONFIGS, OUTPUTS
from rml_export.zoo.inputs import inputs
from rml_export.zoo.tf_models import attention, dense, sequence, vision
from rml_export.zoo.weights import weights

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "mlp": dense.mlp,
    "cnn": vision.cnn,
    "transformer_block": attention.transformer_block,
    "layernorm_gelu": attention.layernorm_gelu,
    "vit": attention.vit,
    "encoder": attention.encoder,
    "tiny_gpt": attention.tiny_gpt,
    "rnn": sequence.rnn,
    "lstm": sequence.lstm,
    "ssm": sequence.ssm,
    "autoencoder": dense.autoencoder,
    "vae": dense.vae,
    "gan_generator": dense.gan_generator,
    "diffusion_mlp": dense.diffusion_mlp,
    "unet": vision.unet,
    "gcn": dense.gcn,
    "two_tower": dense.two_tower,
    "clip": vision.clip,
    "moe": sequence.moe,
}


def build(model: str, size: str) -> Callable[..., Any]:
    """The function of the inputs, on variables that hold the weights."""
    variables = {name: tf.Variable(array, name=name) for name, array in weights(model, size).items()}
    return partial(FUNCTIONS[model], CONFIGS[model][size], variables)


def front_end(model: str, size: str, batch: int) -> TfModel:
    """One model of the zoo with example inputs."""
    arrays = inputs(model, size, batch)
    return TfModel(build(model, size), tuple(arrays.values()), tuple(arrays), OUTPUTS[model])
