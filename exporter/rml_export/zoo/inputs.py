"""Example inputs of the zoo's models: seeded, so that every framework sees the same ones."""

from collections.abc import Callable

import numpy as np

from rml_export.zoo.configs import ALL_MODELS, CONFIGS, Config

Spec = dict[str, tuple[int, ...]]

SPECS: dict[str, Callable[[Config], Spec]] = {
    "mlp": lambda c: {"x": (c["dims"][0],)},
    "cnn": lambda c: {"image": (c["channels"][0], c["side"], c["side"])},
    "transformer_block": lambda c: {"x": (c["seq"], c["dim"])},
    "layernorm_gelu": lambda c: {"x": (c["seq"], c["dim"])},
    "vit": lambda c: {"image": (c["channels"], c["side"], c["side"])},
    "encoder": lambda c: {"tokens": (c["seq"],)},
    "tiny_gpt": lambda c: {"tokens": (c["seq"],)},
    "rnn": lambda c: {"x": (c["seq"], c["input"])},
    "lstm": lambda c: {"x": (c["seq"], c["input"])},
    "ssm": lambda c: {"x": (c["seq"], c["input"])},
    "autoencoder": lambda c: {"x": (c["data"],)},
    "vae": lambda c: {"x": (c["data"],), "noise": (c["latent"],)},
    "gan_generator": lambda c: {"z": (c["latent"],)},
    "diffusion_mlp": lambda c: {"x": (c["data"],), "t": (1,)},
    "unet": lambda c: {"image": (c["image"], c["side"], c["side"])},
    "gcn": lambda c: {"features": (c["nodes"], c["features"])},
    "two_tower": lambda c: {"user": (c["user"],), "item": (c["item"],)},
    "clip": lambda c: {"image": (c["image"], c["side"], c["side"]), "tokens": (c["seq"],)},
    "moe": lambda c: {"x": (c["seq"], c["dim"])},
    "resnet": lambda c: {"image": (c["image"], c["side"], c["side"])},
    "mobilenet": lambda c: {"image": (c["image"], c["side"], c["side"])},
    "bert": lambda c: {"tokens": (c["seq"],), "mask": (c["seq"],)},
    "gru": lambda c: {"x": (c["seq"], c["input"])},
    "bilstm": lambda c: {"x": (c["seq"], c["input"])},
    "audio_cnn": lambda c: {"waveform": (1, c["samples"])},
    "tabular": lambda c: {"categories": (len(c["cardinalities"]),), "numbers": (c["numbers"],)},
    "decoder": lambda c: {"z": (c["latent"],)},
}


def inputs(model: str, size: str, batch: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Arrays by input name, batch first. Timesteps are positive; a mask is ones, at least one, and then zeros."""
    config = CONFIGS[model][size]
    generator = np.random.default_rng(4321 + ALL_MODELS.index(model) + 1000 * seed)
    result: dict[str, np.ndarray] = {}
    for name, shape in SPECS[model](config).items():
        if name == "tokens":
            result[name] = generator.integers(0, config["vocab"], (batch, *shape), dtype=np.int32)
        elif name == "categories":
            result[name] = generator.integers(0, config["cardinalities"], (batch, *shape), dtype=np.int32)
        elif name == "mask":
            lengths = generator.integers(1, shape[0] + 1, (batch, 1))
            result[name] = (np.arange(shape[0]) < lengths).astype(np.int32)
        elif name == "t":
            result[name] = generator.uniform(0.0, 10.0, (batch, *shape)).astype(np.float32)
        else:
            result[name] = generator.standard_normal((batch, *shape)).astype(np.float32)
    return result
