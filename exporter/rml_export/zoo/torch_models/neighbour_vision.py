"""Neighbours that read images: resnet, mobilenet, decoder."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from rml_export.zoo.configs import Config

ACTIVATIONS = {"relu": nn.ReLU, "hardswish": nn.Hardswish, "none": nn.Identity}


class ConvNorm(nn.Module):
    """A convolution that keeps the size (but for the stride), its batch norm and its activation."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1, act: str = "relu"):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(outputs)
        self.act = ACTIVATIONS[act]()

    def forward(self, x: Tensor) -> Tensor:
        return self.act(self.norm(self.conv(x)))


class Residual(nn.Module):
    """Two convolutions beside the input, which is projected where the width changes."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = ConvNorm(inputs, outputs, 3, stride)
        self.second = ConvNorm(outputs, outputs, 3, act="none")
        changes = inputs != outputs
        self.shortcut = ConvNorm(inputs, outputs, 1, stride, act="none") if changes else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.second(self.first(x)) + self.shortcut(x))


class Resnet(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        width = c["widths"][0]
        self.stem = ConvNorm(c["image"], width, c["stem"], stride=2)
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)
        self.stages = nn.Sequential()
        for outputs, depth in zip(c["widths"], c["depths"], strict=True):
            blocks = [
                Residual(width if i == 0 else outputs, outputs, 2 if width != outputs and i == 0 else 1)
                for i in range(depth)
            ]
            self.stages.append(nn.Sequential(*blocks))
            width = outputs
        self.average = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(width, c["classes"])

    def forward(self, image: Tensor) -> Tensor:
        x = self.stages(self.pool(self.stem(image)))
        return self.head(torch.flatten(self.average(x), 1))


class InvertedResidual(nn.Module):
    """Expand, depthwise, squeeze-and-excite, project; beside the input where that has the result's shape."""

    def __init__(self, inputs: int, b: Config) -> None:
        super().__init__()
        expanded, act = b["expanded"], b["act"]
        self.expand = ConvNorm(inputs, expanded, 1, groups=b["groups"], act=act)
        self.depthwise = ConvNorm(expanded, expanded, b["kernel"], b["stride"], groups=expanded, act=act)
        self.squeezes = b["squeezed"] > 0
        if self.squeezes:
            self.squeeze, self.excite = nn.Conv2d(expanded, b["squeezed"], 1), nn.Conv2d(b["squeezed"], expanded, 1)
        self.project = ConvNorm(expanded, b["width"], 1, act="none")
        self.residual = b["stride"] == 1 and inputs == b["width"]

    def forward(self, x: Tensor) -> Tensor:
        y = self.depthwise(self.expand(x))
        if self.squeezes:
            scale = self.excite(F.relu(self.squeeze(F.adaptive_avg_pool2d(y, 1))))
            y = y * F.hardsigmoid(scale)
        y = self.project(y)
        return x + y if self.residual else y


class Mobilenet(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        width = c["stem"]
        self.stem = ConvNorm(c["image"], width, 3, stride=2, act="hardswish")
        self.blocks = nn.Sequential()
        for block in c["blocks"]:
            self.blocks.append(InvertedResidual(width, block))
            width = block["width"]
        self.last = ConvNorm(width, c["last"], 1, act="hardswish")
        self.hidden, self.head = nn.Linear(c["last"], c["head"]), nn.Linear(c["head"], c["classes"])
        self.dropout = nn.Dropout(0.2)

    def forward(self, image: Tensor) -> Tensor:
        x = self.last(self.blocks(self.stem(image)))
        x = F.hardswish(self.hidden(x.mean(dim=(2, 3))))
        return self.head(self.dropout(x))


class Decoder(nn.Module):
    """A picture of a point in a latent space. Each step doubles the sides, one by output padding."""

    def __init__(self, c: Config) -> None:
        super().__init__()
        first, second = c["widths"]
        self.enter = nn.Linear(c["latent"], first * c["side"] ** 2)
        self.shape = (first, c["side"], c["side"])
        self.up1 = nn.ConvTranspose2d(first, second, 4, stride=2, padding=1, bias=False)
        self.up2 = nn.ConvTranspose2d(second, second, 3, stride=2, padding=1, output_padding=1, bias=False)
        self.up3 = nn.ConvTranspose2d(second, c["image"], 2, stride=2)
        self.norm1, self.norm2 = nn.BatchNorm2d(second), nn.BatchNorm2d(second)

    def forward(self, z: Tensor) -> Tensor:
        x = self.enter(z).unflatten(1, self.shape)
        x = F.relu(self.norm1(self.up1(x)))
        x = F.leaky_relu(self.norm2(self.up2(x)), 0.2)
        return torch.sigmoid(self.up3(x))
