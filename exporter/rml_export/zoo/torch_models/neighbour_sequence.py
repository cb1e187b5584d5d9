"""Neighbours that read sequences and tables: bert, gru, bilstm, audio_cnn, tabular."""

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from rml_export.zoo.configs import Config


class BertLayer(nn.Module):
    """Post-norm: norm(x + attention(x)), then norm(x + mlp(x))."""

    def __init__(self, c: Config) -> None:
        super().__init__()
        dim = c["dim"]
        self.query, self.key, self.value, self.out = (nn.Linear(dim, dim) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.fc1, self.fc2 = nn.Linear(dim, c["hidden"]), nn.Linear(c["hidden"], dim)
        self.heads = c["heads"]

    def forward(self, x: Tensor, visible: Tensor) -> Tensor:
        B, S, D = x.shape
        q, k, v = (part(x).view(B, S, self.heads, -1).transpose(1, 2) for part in (self.query, self.key, self.value))
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
        x = self.norm1(x + self.out(mixed.transpose(1, 2).reshape(B, S, D)))
        return self.norm2(x + self.fc2(F.gelu(self.fc1(x))))


class Bert(nn.Module):
    """A text classifier. mask: 1 for tokens, 0 for padding, which no token looks at."""

    def __init__(self, c: Config) -> None:
        super().__init__()
        dim = c["dim"]
        self.words, self.positions = nn.Embedding(c["vocab"], dim), nn.Embedding(c["seq"], dim)
        self.kinds, self.norm = nn.Embedding(c["kinds"], dim), nn.LayerNorm(dim)
        self.layers = nn.ModuleList(BertLayer(c) for _ in range(c["layers"]))
        self.pooler, self.head = nn.Linear(dim, dim), nn.Linear(dim, c["classes"])

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.words(tokens) + self.positions(positions) + self.kinds(torch.zeros_like(tokens))
        x = self.norm(x)
        visible = mask[:, None, None, :] != 0
        for layer in self.layers:
            x = layer(x, visible)
        return self.head(torch.tanh(self.pooler(x[:, 0]))), x


class Gru(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.gru = nn.GRU(c["input"], c["hidden"], batch_first=True)
        self.head = nn.Linear(c["hidden"], c["classes"])

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.gru(x)[0][:, -1])


class Bilstm(nn.Module):
    """A tag for every step, from what came before it and what comes after."""

    def __init__(self, c: Config) -> None:
        super().__init__()
        self.lstm = nn.LSTM(c["input"], c["hidden"], batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * c["hidden"], c["classes"])

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(x)[0])


class Conv1dNorm(nn.Module):
    def __init__(self, inputs: int, outputs: int, kernel: int, **options: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(inputs, outputs, kernel, bias=False, **options)
        self.norm = nn.BatchNorm1d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.norm(self.conv(x)))


class AudioCnn(nn.Module):
    """Keywords in a waveform: a strided stem, then dilated convolutions, each pooled."""

    def __init__(self, c: Config) -> None:
        super().__init__()
        widths = c["widths"]
        self.stem = Conv1dNorm(1, widths[0], c["stem"], stride=c["stem"] // 4, padding=c["stem"] // 2)
        self.blocks = nn.ModuleList(Conv1dNorm(a, b, 3, padding=2, dilation=2) for a, b in pairwise(widths))
        self.head = nn.Linear(widths[-1], c["classes"])

    def forward(self, waveform: Tensor) -> Tensor:
        x = self.stem(waveform)
        for block in self.blocks:
            x = F.max_pool1d(block(x), 2)
        return F.log_softmax(self.head(x.mean(dim=-1)), dim=-1)


class Layer(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.fc, self.norm = nn.Linear(inputs, outputs), nn.BatchNorm1d(outputs)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(self.norm(F.relu(self.fc(x))))


class Tabular(nn.Module):
    """Columns of categories, each with its embedding, beside columns of numbers."""

    def __init__(self, c: Config) -> None:
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(count, c["embed"]) for count in c["cardinalities"])
        self.norm = nn.BatchNorm1d(c["numbers"])
        width = c["embed"] * len(c["cardinalities"]) + c["numbers"]
        self.layers = nn.Sequential(*(Layer(a, b) for a, b in pairwise((width, *c["hidden"]))))
        self.head = nn.Linear(c["hidden"][-1], c["classes"])

    def forward(self, categories: Tensor, numbers: Tensor) -> Tensor:
        columns = [embedding(categories[:, i]) for i, embedding in enumerate(self.embeddings)]
        x = torch.cat([*columns, self.norm(numbers)], dim=1)
        return torch.softmax(self.head(self.layers(x)), dim=-1)
