"""Which function of a framework's modules is which model of the zoo."""

from collections.abc import Callable
from types import ModuleType
from typing import Any


def by_model(
    attention: ModuleType, dense: ModuleType, sequence: ModuleType, vision: ModuleType
) -> dict[str, Callable[..., Any]]:
    """Model -> its function, for a framework that writes models as functions."""
    return {
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


def neighbours_by_model(sequence: ModuleType, vision: ModuleType) -> dict[str, Callable[..., Any]]:
    """Neighbour -> its function."""
    return {
        "resnet": vision.resnet,
        "mobilenet": vision.mobilenet,
        "bert": sequence.bert,
        "gru": sequence.gru,
        "bilstm": sequence.bilstm,
        "audio_cnn": sequence.audio_cnn,
        "tabular": sequence.tabular,
        "decoder": vision.decoder,
    }
