"""Names and shapes of every model's parameters, in the order in which they are drawn."""

from collections.abc import Callable
from itertools import pairwise

from rml_export.zoo.configs import Config

Shapes = dict[str, tuple[int, ...]]


def linear(name: str, inputs: int, outputs: int, bias: bool = True) -> Shapes:
    shapes: Shapes = {f"{name}.weight": (outputs, inputs)}
    return shapes | {f"{name}.bias": (outputs,)} if bias else shapes


def conv(name: str, inputs: int, outputs: int, kernel: int) -> Shapes:
    return {f"{name}.weight": (outputs, inputs, kernel, kernel), f"{name}.bias": (outputs,)}


def norm(name: str, dim: int) -> Shapes:
    return {f"{name}.weight": (dim,), f"{name}.bias": (dim,)}


def block(name: str, dim: int, hidden: int) -> Shapes:
    """A pre-norm transformer block."""
    shapes = norm(f"{name}norm1", dim)
    for part in ("q", "k", "v", "out"):
        shapes |= linear(f"{name}attention.{part}", dim, dim)
    return shapes | norm(f"{name}norm2", dim) | linear(f"{name}fc1", dim, hidden) | linear(f"{name}fc2", hidden, dim)


def blocks(c: Config) -> Shapes:
    shapes: Shapes = {}
    for layer in range(c["layers"]):
        shapes |= block(f"blocks.{layer}.", c["dim"], c["hidden"])
    return shapes | norm("norm", c["dim"])


def mlp(c: Config) -> Shapes:
    shapes: Shapes = {}
    for number, (inputs, outputs) in enumerate(pairwise(c["dims"]), start=1):
        shapes |= linear(f"fc{number}", inputs, outputs)
    return shapes


def cnn(c: Config) -> Shapes:
    image, first, second = c["channels"]
    flat = second * (c["side"] // 4) ** 2
    return conv("conv1", image, first, 3) | conv("conv2", first, second, 3) | linear("fc", flat, c["classes"])


def layernorm_gelu(c: Config) -> Shapes:
    return norm("norm", c["dim"]) | linear("fc1", c["dim"], c["hidden"]) | linear("fc2", c["hidden"], c["dim"])


def vit(c: Config) -> Shapes:
    patches = (c["side"] // c["patch"]) ** 2
    shapes = conv("patch", c["channels"], c["dim"], c["patch"])
    shapes |= {"cls": (1, 1, c["dim"]), "position": (1, patches + 1, c["dim"])}
    return shapes | blocks(c) | linear("head", c["dim"], c["classes"])


def embedding(c: Config) -> Shapes:
    return {"embedding.weight": (c["vocab"], c["dim"]), "position": (c["seq"], c["dim"])}


def encoder(c: Config) -> Shapes:
    return embedding(c) | blocks(c) | linear("pooler", c["dim"], c["dim"])


def tiny_gpt(c: Config) -> Shapes:
    return embedding(c) | blocks(c) | linear("head", c["dim"], c["vocab"], bias=False)


def recurrent(gates: int, name: str) -> Callable[[Config], Shapes]:
    def shapes(c: Config) -> Shapes:
        rows = gates * c["hidden"]
        cell: Shapes = {f"{name}.weight_ih_l0": (rows, c["input"]), f"{name}.weight_hh_l0": (rows, c["hidden"])}
        cell |= {f"{name}.bias_ih_l0": (rows,), f"{name}.bias_hh_l0": (rows,)}
        return cell | linear("head", c["hidden"], c["classes"])

    return shapes


def ssm(c: Config) -> Shapes:
    shapes: Shapes = {"decay": (c["hidden"],)}
    shapes |= linear("enter", c["input"], c["hidden"], bias=False) | linear(
        "leave", c["hidden"], c["input"], bias=False
    )
    return shapes | {"skip": (c["input"],)}


def autoencoder(c: Config) -> Shapes:
    shapes = linear("encode1", c["data"], c["hidden"]) | linear("encode2", c["hidden"], c["latent"])
    return shapes | linear("decode1", c["latent"], c["hidden"]) | linear("decode2", c["hidden"], c["data"])


def vae(c: Config) -> Shapes:
    shapes = linear("encode", c["data"], c["hidden"])
    shapes |= linear("mu", c["hidden"], c["latent"]) | linear("logvar", c["hidden"], c["latent"])
    return shapes | linear("decode1", c["latent"], c["hidden"]) | linear("decode2", c["hidden"], c["data"])


def gan_generator(c: Config) -> Shapes:
    hidden = c["hidden"]
    return linear("fc1", c["latent"], hidden) | linear("fc2", hidden, hidden) | linear("fc3", hidden, c["data"])


def diffusion_mlp(c: Config) -> Shapes:
    hidden = c["hidden"]
    shapes = linear("fc1", c["data"] + 2 * c["freqs"], hidden) | linear("fc2", hidden, hidden)
    return shapes | linear("fc3", hidden, c["data"])


def unet(c: Config) -> Shapes:
    image, (outer, inner) = c["image"], c["channels"]
    shapes = conv("down1", image, outer, 3) | conv("down2", outer, outer, 3)
    shapes |= conv("middle1", outer, inner, 3) | conv("middle2", inner, inner, 3)
    shapes |= conv("up1", inner + outer, outer, 3) | conv("up2", outer, outer, 3)
    return shapes | conv("mask", outer, image, 1)


def gcn(c: Config) -> Shapes:
    return linear("fc1", c["features"], c["hidden"]) | linear("fc2", c["hidden"], c["classes"])


def two_tower(c: Config) -> Shapes:
    shapes: Shapes = {}
    for tower in ("user", "item"):
        shapes |= linear(f"{tower}1", c[tower], c["hidden"]) | linear(f"{tower}2", c["hidden"], c["embed"])
    return shapes


def clip(c: Config) -> Shapes:
    shapes = conv("conv", c["image"], c["channels"], 3) | linear("image", c["channels"], c["embed"], bias=False)
    shapes |= embedding(c) | linear("text", c["dim"], c["embed"], bias=False)
    return shapes


def moe(c: Config) -> Shapes:
    shapes = linear("router", c["dim"], c["experts"], bias=False)
    for expert in range(c["experts"]):
        shapes |= linear(f"experts.{expert}.fc1", c["dim"], c["hidden"])
        shapes |= linear(f"experts.{expert}.fc2", c["hidden"], c["dim"])
    return shapes


PARAMETERS: dict[str, Callable[[Config], Shapes]] = {
    "mlp": mlp,
    "cnn": cnn,
    "transformer_block": lambda c: block("", c["dim"], c["hidden"]),
    "layernorm_gelu": layernorm_gelu,
    "vit": vit,
    "encoder": encoder,
    "tiny_gpt": tiny_gpt,
    "rnn": recurrent(1, "rnn"),
    "lstm": recurrent(4, "lstm"),
    "ssm": ssm,
    "autoencoder": autoencoder,
    "vae": vae,
    "gan_generator": gan_generator,
    "diffusion_mlp": diffusion_mlp,
    "unet": unet,
    "gcn": gcn,
    "two_tower": two_tower,
    "clip": clip,
    "moe": moe,
}
