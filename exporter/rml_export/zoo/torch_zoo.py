"""The zoo in PyTorch: modules carrying the shared weights."""

import torch

from rml_export.from_torch import TorchModel
from rml_export.zoo.configs import CONFIGS, OUTPUTS
from rml_export.zoo.inputs import inputs
from rml_export.zoo.torch_models import attention, dense, neighbour_sequence, neighbour_vision, sequence, vision
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
    "resnet": neighbour_vision.Resnet,
    "mobilenet": neighbour_vision.Mobilenet,
    "bert": neighbour_sequence.Bert,
    "gru": neighbour_sequence.Gru,
    "bilstm": neighbour_sequence.Bilstm,
    "audio_cnn": neighbour_sequence.AudioCnn,
    "tabular": neighbour_sequence.Tabular,
    "decoder": neighbour_vision.Decoder,
}


def build(model: str, size: str) -> torch.nn.Module:
    """The model with its seeded weights, in evaluation mode."""
    module = MODULES[model](CONFIGS[model][size])
    state = {name: torch.from_numpy(array) for name, array in weights(model, size).items()}
    state |= {name: buffer for name, buffer in module.state_dict().items() if name.endswith("num_batches_tracked")}
    module.load_state_dict(state, strict=True)
    return module.eval()


def front_end(model: str, size: str, batch: int) -> TorchModel:
    """One model of the zoo with example inputs."""
    arrays = inputs(model, size, batch)
    tensors = tuple(torch.from_numpy(array) for array in arrays.values())
    return TorchModel(build(model, size), tensors, tuple(arrays), OUTPUTS[model])
