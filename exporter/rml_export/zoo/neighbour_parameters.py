"""Names and shapes of the neighbours' parameters: PyTorch's, batch norm's running values among them."""

from collections.abc import Callable
from itertools import pairwise

from rml_export.zoo.configs import Config
from rml_export.zoo.parameters import Shapes, linear, norm, recurrent


def conv_norm(name: str, inputs: int, outputs: int, kernel: tuple[int, ...], groups: int = 1) -> Shapes:
    """A convolution without bias and its batch norm."""
    return {f"{name}.conv.weight": (outputs, inputs // groups, *kernel)} | batch_norm(f"{name}.norm", outputs)


def batch_norm(name: str, dim: int) -> Shapes:
    return norm(name, dim) | {f"{name}.running_mean": (dim,), f"{name}.running_var": (dim,)}


def resnet(c: Config) -> Shapes:
    width = c["widths"][0]
    shapes = conv_norm("stem", c["image"], width, (c["stem"],) * 2)
    for stage, (outputs, depth) in enumerate(zip(c["widths"], c["depths"], strict=True)):
        for block in range(depth):
            name = f"stages.{stage}.{block}"
            shapes |= conv_norm(f"{name}.first", width, outputs, (3, 3))
            shapes |= conv_norm(f"{name}.second", outputs, outputs, (3, 3))
            if width != outputs:
                shapes |= conv_norm(f"{name}.shortcut", width, outputs, (1, 1))
            width = outputs
    return shapes | linear("head", width, c["classes"])


def mobilenet(c: Config) -> Shapes:
    width = c["stem"]
    shapes = conv_norm("stem", c["image"], width, (3, 3))
    for number, b in enumerate(c["blocks"]):
        name, expanded = f"blocks.{number}", b["expanded"]
        shapes |= conv_norm(f"{name}.expand", width, expanded, (1, 1), b["groups"])
        shapes |= conv_norm(f"{name}.depthwise", expanded, expanded, (b["kernel"],) * 2, groups=expanded)
        if b["squeezed"]:
            shapes |= conv_1x1(f"{name}.squeeze", expanded, b["squeezed"])
            shapes |= conv_1x1(f"{name}.excite", b["squeezed"], expanded)
        shapes |= conv_norm(f"{name}.project", expanded, b["width"], (1, 1))
        width = b["width"]
    shapes |= conv_norm("last", width, c["last"], (1, 1))
    return shapes | linear("hidden", c["last"], c["head"]) | linear("head", c["head"], c["classes"])


def conv_1x1(name: str, inputs: int, outputs: int) -> Shapes:
    return {f"{name}.weight": (outputs, inputs, 1, 1), f"{name}.bias": (outputs,)}


def bert(c: Config) -> Shapes:
    dim = c["dim"]
    shapes: Shapes = {"words.weight": (c["vocab"], dim), "positions.weight": (c["seq"], dim)}
    shapes |= {"kinds.weight": (c["kinds"], dim)} | norm("norm", dim)
    for layer in range(c["layers"]):
        name = f"layers.{layer}"
        for part in ("query", "key", "value", "out"):
            shapes |= linear(f"{name}.{part}", dim, dim)
        shapes |= norm(f"{name}.norm1", dim) | linear(f"{name}.fc1", dim, c["hidden"])
        shapes |= linear(f"{name}.fc2", c["hidden"], dim) | norm(f"{name}.norm2", dim)
    return shapes | linear("pooler", dim, dim) | linear("head", dim, c["classes"])


def bilstm(c: Config) -> Shapes:
    rows, shapes = 4 * c["hidden"], Shapes()
    for direction in ("l0", "l0_reverse"):
        shapes |= {
            f"lstm.weight_ih_{direction}": (rows, c["input"]),
            f"lstm.weight_hh_{direction}": (rows, c["hidden"]),
        }
        shapes |= {f"lstm.bias_ih_{direction}": (rows,), f"lstm.bias_hh_{direction}": (rows,)}
    return shapes | linear("head", 2 * c["hidden"], c["classes"])


def audio_cnn(c: Config) -> Shapes:
    shapes = conv_norm("stem", 1, c["widths"][0], (c["stem"],))
    for number, (width, outputs) in enumerate(pairwise(c["widths"])):
        shapes |= conv_norm(f"blocks.{number}", width, outputs, (3,))
    return shapes | linear("head", c["widths"][-1], c["classes"])


def tabular(c: Config) -> Shapes:
    shapes: Shapes = {}
    for column, count in enumerate(c["cardinalities"]):
        shapes |= {f"embeddings.{column}.weight": (count, c["embed"])}
    width = c["embed"] * len(c["cardinalities"]) + c["numbers"]
    shapes |= batch_norm("norm", c["numbers"])
    for number, outputs in enumerate(c["hidden"]):
        shapes |= linear(f"layers.{number}.fc", width, outputs) | batch_norm(f"layers.{number}.norm", outputs)
        width = outputs
    return shapes | linear("head", width, c["classes"])


def decoder(c: Config) -> Shapes:
    first, second = c["widths"]
    shapes = linear("enter", c["latent"], first * c["side"] ** 2)
    shapes |= {"up1.weight": (first, second, 4, 4)} | batch_norm("norm1", second)
    shapes |= {"up2.weight": (second, second, 3, 3)} | batch_norm("norm2", second)
    return shapes | {"up3.weight": (second, c["image"], 2, 2), "up3.bias": (c["image"],)}


NEIGHBOUR_PARAMETERS: dict[str, Callable[[Config], Shapes]] = {
    "resnet": resnet,
    "mobilenet": mobilenet,
    "bert": bert,
    "gru": recurrent(3, "gru"),
    "bilstm": bilstm,
    "audio_cnn": audio_cnn,
    "tabular": tabular,
    "decoder": decoder,
}
