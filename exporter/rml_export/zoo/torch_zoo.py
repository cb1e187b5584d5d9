"""The zoo in PyTorch: modules carrying the shared weights, and their exports."""

from pathlib import Path
from typing import Any

import torch

from rml_export.export import ExportResult
from rml_export.from_torch import export_torch
from rml_export.zoo.configs import CONFIGS, OUTPUTS
from rml_export.zoo.inputs import inputs
from rml_export.zoo.torch_models import attention, dense, sequence, vision
from rml_export.zoo.weights import weights

MODULES = {
    "mlp": dense.Mlp,
    "cnn": vision.Cnn,
    "transformer_block": attention.TransformerBlock,
    "layernorm_gelu": attention.LayernormGelu,
    "vit": attention.Vit,
    "encoder": attention.Encoder,
    "tiny_gpt": attention.TinyGpt,
    "rnn": sequence.Rnn,
    "lstm": sequence.Lstm,
    "ssm": sequence.Ssm,
    "autoencoder": dense.Autoencoder,
    "vae": dense.Vae,
    "gan_generator": dense.GanGenerator,
    "diffusion_mlp": dense.DiffusionMlp,
    "unet": vision.Unet,
    "gcn": dense.Gcn,
    "two_tower": dense.TwoTower,
    "clip": vision.Clip,
    "moe": sequence.Moe,
}


def build(model: str, size: str) -> torch.nn.Module:
    """The model with its seeded weights, in evaluation mode."""
    module = MODULES[model](CONFIGS[model][size])
    module.load_state_dict({name: torch.from_numpy(array) for name, array in weights(model, size).items()}, strict=True)
    return module.eval()


def export(
    model: str,
    size: str,
    batch: int,
    path: str | Path,
    **options: Any,
) -> ExportResult:
    """Exports one model of the zoo with its golden file; options are those of ExportOptions."""
    arrays = inputs(model, size, batch)
    return export_torch(
        build(model, size),
        tuple(torch.from_numpy(array) for array in arrays.values()),
        path,
        input_names=tuple(arrays),
        output_names=OUTPUTS[model],
        **options,
    )
