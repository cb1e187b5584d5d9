"""Transformers: transformer_block, layernorm_gelu, vit, encoder, tiny_gpt."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from rml_export.zoo.configs import Config


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(dim, dim) for _ in range(4))
        self.heads, self.causal = heads, causal

    def forward(self, x: Tensor) -> Tensor:
        B, S, D = x.shape
        q, k, v = (part(x).view(B, S, self.heads, -1).transpose(1, 2) for part in (self.q, self.k, self.v))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(mixed.transpose(1, 2).reshape(B, S, D))


class Block(nn.Module):
    """Pre-norm: x + attention(norm(x)), then x + mlp(norm(x))."""

    def __init__(self, c: Config, causal: bool) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(c["dim"]), nn.LayerNorm(c["dim"])
        self.attention = Attention(c["dim"], c["heads"], causal)
        self.fc1, self.fc2 = nn.Linear(c["dim"], c["hidden"]), nn.Linear(c["hidden"], c["dim"])

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x)), approximate="tanh"))


class TransformerBlock(Block):
    def __init__(self, c: Config) -> None:
        super().__init__(c, causal=True)


class LayernormGelu(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(c["dim"])
        self.fc1, self.fc2 = nn.Linear(c["dim"], c["hidden"]), nn.Linear(c["hidden"], c["dim"])

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(F.gelu(self.fc1(self.norm(x))))


class Vit(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        patches = (c["side"] // c["patch"]) ** 2
        self.patch = nn.Conv2d(c["channels"], c["dim"], c["patch"], stride=c["patch"])
        self.cls = nn.Parameter(torch.empty(1, 1, c["dim"]))
        self.position = nn.Parameter(torch.empty(1, patches + 1, c["dim"]))
        self.blocks = nn.ModuleList(Block(c, causal=False) for _ in range(c["layers"]))
        self.norm, self.head = nn.LayerNorm(c["dim"]), nn.Linear(c["dim"], c["classes"])

    def forward(self, image: Tensor) -> Tensor:
        patches = self.patch(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(image.shape[0], -1, -1), patches], dim=1) + self.position
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x[:, 0]))


class Tokens(nn.Module):
    """Token and position embeddings and a stack of blocks."""

    def __init__(self, c: Config, causal: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(c["vocab"], c["dim"])
        self.position = nn.Parameter(torch.empty(c["seq"], c["dim"]))
        self.blocks = nn.ModuleList(Block(c, causal) for _ in range(c["layers"]))
        self.norm = nn.LayerNorm(c["dim"])

    def hidden(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens) + self.position
        for block in self.blocks:
            x = block(x)
        return self.norm(x)


class Encoder(Tokens):
    """Hidden states, and the first token's through a dense tanh layer."""

    def __init__(self, c: Config) -> None:
        super().__init__(c, causal=False)
        self.pooler = nn.Linear(c["dim"], c["dim"])

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.hidden(tokens)
        return hidden, torch.tanh(self.pooler(hidden[:, 0]))


class TinyGpt(Tokens):
    def __init__(self, c: Config) -> None:
        super().__init__(c, causal=True)
        self.head = nn.Linear(c["dim"], c["vocab"], bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.hidden(tokens))
