"""Convolutional models: cnn, unet, clip (whose other half reads text)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from rml_export.zoo.configs import Config


class Cnn(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        image, first, second = c["channels"]
        self.conv1, self.conv2 = nn.Conv2d(image, first, 3, padding=1), nn.Conv2d(first, second, 3, padding=1)
        self.fc = nn.Linear(second * (c["side"] // 4) ** 2, c["classes"])

    def forward(self, image: Tensor) -> Tensor:
        x = F.max_pool2d(F.relu(self.conv1(image)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc(x.flatten(1))


class Unet(nn.Module):
    """One level: down by pooling, up by nearest upsampling, joined with what came down."""

    def __init__(self, c: Config) -> None:
        super().__init__()
        image, (outer, inner) = c["image"], c["channels"]
        self.down1, self.down2 = nn.Conv2d(image, outer, 3, padding=1), nn.Conv2d(outer, outer, 3, padding=1)
        self.middle1, self.middle2 = nn.Conv2d(outer, inner, 3, padding=1), nn.Conv2d(inner, inner, 3, padding=1)
        self.up1, self.up2 = nn.Conv2d(inner + outer, outer, 3, padding=1), nn.Conv2d(outer, outer, 3, padding=1)
        self.mask = nn.Conv2d(outer, image, 1)

    def forward(self, image: Tensor) -> Tensor:
        down = F.relu(self.down2(F.relu(self.down1(image))))
        middle = F.relu(self.middle2(F.relu(self.middle1(F.max_pool2d(down, 2)))))
        joined = torch.cat([F.interpolate(middle, scale_factor=2.0, mode="nearest"), down], dim=1)
        return self.mask(F.relu(self.up2(F.relu(self.up1(joined)))))


class Clip(nn.Module):
    """Cosine similarity of every image with every text of the batch, times a temperature."""

    temperature = 10.0

    def __init__(self, c: Config) -> None:
        super().__init__()
        self.conv = nn.Conv2d(c["image"], c["channels"], 3, stride=2, padding=1)
        self.image = nn.Linear(c["channels"], c["embed"], bias=False)
        self.embedding = nn.Embedding(c["vocab"], c["dim"])
        self.position = nn.Parameter(torch.empty(c["seq"], c["dim"]))
        self.text = nn.Linear(c["dim"], c["embed"], bias=False)

    def forward(self, image: Tensor, tokens: Tensor) -> Tensor:
        images = self.image(F.relu(self.conv(image)).mean(dim=(2, 3)))
        texts = self.text((self.embedding(tokens) + self.position).mean(dim=1))
        images = images / images.norm(dim=-1, keepdim=True)
        texts = texts / texts.norm(dim=-1, keepdim=True)
        return self.temperature * (images @ texts.T)
