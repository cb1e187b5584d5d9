"""The models in PyTorch."""

import numpy as np
import torch
from rml_export.from_torch import TorchModel
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from examples.tiny_models import cnn, lstm, transformer


class Cnn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.fc = nn.Linear(8, 3)

    def forward(self, image: Tensor) -> Tensor:
        return self.fc(F.max_pool2d(torch.relu(self.conv(image)), 2).flatten(1))


class Lstm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, lstm.HIDDEN, batch_first=True)
        self.head = nn.Linear(lstm.HIDDEN, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(x)[0][:, -1])


class LayerNorm(nn.Module):
    """In two passes, as the other frameworks do it: the kernel of nn.LayerNorm takes mean and variance in one pass, and
    rounds the variance of rows whose mean is large."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.empty(8)), nn.Parameter(torch.empty(8))

    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean(-1, keepdim=True)
        variance = (centred * centred).mean(-1, keepdim=True)
        return centred * torch.rsqrt(variance + transformer.EPS) * self.weight + self.bias


class Transformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = LayerNorm(), LayerNorm()
        self.q, self.k, self.v, self.out = (nn.Linear(8, 8) for _ in range(4))
        self.fc1, self.fc2 = nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x: Tensor) -> Tensor:
        entered = self.norm1(x)
        q, k, v = (part(entered).view(2, 3, transformer.HEADS, 4).transpose(1, 2) for part in (self.q, self.k, self.v))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(2, 3, 8))
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x)), approximate="tanh"))


def front_end(module: nn.Module, weights: dict[str, np.ndarray], x: np.ndarray) -> TorchModel:
    module.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    return TorchModel(module.eval(), (torch.from_numpy(x),), ["x"], ["y"])


FRONT_ENDS = {
    "cnn": lambda: front_end(Cnn(), cnn.WEIGHTS, cnn.X),
    "lstm": lambda: front_end(Lstm(), lstm.WEIGHTS, lstm.X),
    "transformer": lambda: front_end(Transformer(), transformer.WEIGHTS, transformer.X),
}
