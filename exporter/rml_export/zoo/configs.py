"""The zoo's models and their sizes. The order of MODELS seeds the weights: it stays as it is."""

from typing import Any

from rml_export.zoo.neighbour_configs import NEIGHBOUR_CONFIGS, NEIGHBOUR_OUTPUTS, NEIGHBOURS

Config = dict[str, Any]

SIZES = ("tiny", "bench")
MODELS = (
    "mlp",
    "cnn",
    "transformer_block",
    "layernorm_gelu",
    "vit",
    "encoder",
    "tiny_gpt",
    "rnn",
    "lstm",
    "ssm",
    "autoencoder",
    "vae",
    "gan_generator",
    "diffusion_mlp",
    "unet",
    "gcn",
    "two_tower",
    "clip",
    "moe",
)
ALL_MODELS = (*MODELS, *NEIGHBOURS)  # the tables below have them all
TOKEN_MODELS = ("encoder", "tiny_gpt")  # their only input is int32 token ids

_RECURRENT = {
    "tiny": {"seq": 5, "input": 3, "hidden": 4, "classes": 2},
    "bench": {"seq": 64, "input": 64, "hidden": 256, "classes": 10},
}
_TOKENS = {
    "tiny": {"vocab": 11, "seq": 5, "dim": 8, "layers": 2, "heads": 2, "hidden": 16},
    "bench": {"vocab": 1024, "seq": 64, "dim": 256, "layers": 4, "heads": 4, "hidden": 1024},
}
_CODERS = {
    "tiny": {"data": 12, "hidden": 8, "latent": 2},
    "bench": {"data": 784, "hidden": 512, "latent": 32},
}

CONFIGS: dict[str, dict[str, Config]] = {
    "mlp": {"tiny": {"dims": (12, 16, 16, 4)}, "bench": {"dims": (784, 512, 256, 10)}},
    "cnn": {
        "tiny": {"side": 8, "channels": (1, 3, 4), "classes": 5},
        "bench": {"side": 28, "channels": (1, 16, 32), "classes": 10},
    },
    "transformer_block": {
        "tiny": {"seq": 5, "dim": 8, "heads": 2, "hidden": 16},
        "bench": {"seq": 64, "dim": 256, "heads": 4, "hidden": 1024},
    },
    "layernorm_gelu": {
        "tiny": {"seq": 3, "dim": 8, "hidden": 12},
        "bench": {"seq": 64, "dim": 512, "hidden": 2048},
    },
    "vit": {
        "tiny": {"side": 8, "channels": 1, "patch": 4, "dim": 8, "layers": 2, "heads": 2, "hidden": 16, "classes": 5},
        "bench": {
            "side": 32,
            "channels": 3,
            "patch": 4,
            "dim": 192,
            "layers": 4,
            "heads": 3,
            "hidden": 768,
            "classes": 10,
        },
    },
    "encoder": _TOKENS,
    "tiny_gpt": _TOKENS,
    "rnn": _RECURRENT,
    "lstm": _RECURRENT,
    "ssm": {
        "tiny": {"seq": 5, "input": 3, "hidden": 4},
        "bench": {"seq": 256, "input": 64, "hidden": 256},
    },
    "autoencoder": _CODERS,
    "vae": _CODERS,
    "gan_generator": {
        "tiny": {"data": 12, "hidden": 8, "latent": 3},
        "bench": {"data": 784, "hidden": 512, "latent": 64},
    },
    "diffusion_mlp": {
        "tiny": {"data": 2, "freqs": 4, "hidden": 8},
        "bench": {"data": 64, "freqs": 64, "hidden": 512},
    },
    "unet": {
        "tiny": {"side": 8, "image": 1, "channels": (2, 4)},
        "bench": {"side": 32, "image": 3, "channels": (32, 64)},
    },
    "gcn": {
        "tiny": {"nodes": 6, "features": 3, "hidden": 4, "classes": 2},
        "bench": {"nodes": 256, "features": 64, "hidden": 128, "classes": 16},
    },
    "two_tower": {
        "tiny": {"user": 5, "item": 4, "hidden": 6, "embed": 3},
        "bench": {"user": 128, "item": 128, "hidden": 128, "embed": 64},
    },
    "clip": {
        "tiny": {"side": 8, "image": 2, "channels": 4, "vocab": 11, "seq": 4, "dim": 6, "embed": 5},
        "bench": {"side": 28, "image": 16, "channels": 64, "vocab": 1024, "seq": 16, "dim": 128, "embed": 128},
    },
    "moe": {
        "tiny": {"seq": 3, "dim": 4, "hidden": 8, "experts": 4, "top": 2},
        "bench": {"seq": 64, "dim": 256, "hidden": 512, "experts": 8, "top": 2},
    },
    **NEIGHBOUR_CONFIGS,
}

OUTPUTS: dict[str, tuple[str, ...]] = {
    "mlp": ("logits",),
    "cnn": ("logits",),
    "transformer_block": ("hidden",),
    "layernorm_gelu": ("hidden",),
    "vit": ("logits",),
    "encoder": ("hidden", "pooled"),
    "tiny_gpt": ("logits",),
    "rnn": ("logits",),
    "lstm": ("logits",),
    "ssm": ("sequence",),
    "autoencoder": ("reconstruction", "latent"),
    "vae": ("reconstruction", "mu", "logvar"),
    "gan_generator": ("sample",),
    "diffusion_mlp": ("noise",),
    "unet": ("mask",),
    "gcn": ("logits",),
    "two_tower": ("score",),
    "clip": ("similarity",),
    "moe": ("hidden",),
    **NEIGHBOUR_OUTPUTS,
}
