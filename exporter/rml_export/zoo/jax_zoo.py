"""The zoo in JAX: functions of the shared weights."""

from collections.abc import Callable
from functools import partial
from typing import Any

from rml_export.from_jax import JaxModel
from rml_export.zoo.configs import CONFIGS, OUTPUTS
from rml_export.zoo.inputs import inputs
from rml_export.zoo.jax_models import attention, dense, sequence, vision
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


def build(model: str, size: str) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The function fn(params, *inputs) and its parameters."""
    return partial(FUNCTIONS[model], CONFIGS[model][size]), weights(model, size)


def front_end(model: str, size: str, batch: int) -> JaxModel:
    """One model of the zoo with example inputs."""
    fn, params = build(model, size)
    arrays = inputs(model, size, batch)
    return JaxModel(fn, params, tuple(arrays.values()), tuple(arrays), OUTPUTS[model])
