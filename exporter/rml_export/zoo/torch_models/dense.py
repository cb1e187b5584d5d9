"""Models of dense layers: mlp, autoencoder, vae, gan_generator, diffusion_mlp, gcn, two_tower."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from rml_export.zoo.configs import Config
from rml_export.zoo.fixed import frequencies, normalised_adjacency


class Mlp(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        a, b, d, e = c["dims"]
        self.fc1, self.fc2, self.fc3 = nn.Linear(a, b), nn.Linear(b, d), nn.Linear(d, e)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


class Autoencoder(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.encode1, self.encode2 = nn.Linear(c["data"], c["hidden"]), nn.Linear(c["hidden"], c["latent"])
        self.decode1, self.decode2 = nn.Linear(c["latent"], c["hidden"]), nn.Linear(c["hidden"], c["data"])

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        latent = self.encode2(F.relu(self.encode1(x)))
        return torch.sigmoid(self.decode2(F.relu(self.decode1(latent)))), latent


class Vae(nn.Module):
    """The noise is an input: a served model draws nothing."""

    def __init__(self, c: Config) -> None:
        super().__init__()
        self.encode = nn.Linear(c["data"], c["hidden"])
        self.mu, self.logvar = nn.Linear(c["hidden"], c["latent"]), nn.Linear(c["hidden"], c["latent"])
        self.decode1, self.decode2 = nn.Linear(c["latent"], c["hidden"]), nn.Linear(c["hidden"], c["data"])

    def forward(self, x: Tensor, noise: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hidden = F.relu(self.encode(x))
        mu, logvar = self.mu(hidden), self.logvar(hidden)
        latent = mu + torch.exp(0.5 * logvar) * noise
        return torch.sigmoid(self.decode2(F.relu(self.decode1(latent)))), mu, logvar


class GanGenerator(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(c["latent"], c["hidden"]), nn.Linear(c["hidden"], c["hidden"])
        self.fc3 = nn.Linear(c["hidden"], c["data"])

    def forward(self, z: Tensor) -> Tensor:
        return torch.tanh(self.fc3(F.relu(self.fc2(F.relu(self.fc1(z))))))


class DiffusionMlp(nn.Module):
    """Predicts the noise in x at time t, given as sines and cosines of geometric frequencies."""

    def __init__(self, c: Config) -> None:
        super().__init__()
        width = c["data"] + 2 * c["freqs"]
        self.fc1, self.fc2 = nn.Linear(width, c["hidden"]), nn.Linear(c["hidden"], c["hidden"])
        self.fc3 = nn.Linear(c["hidden"], c["data"])
        self.register_buffer("frequencies", torch.from_numpy(frequencies(c["freqs"])), persistent=False)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        angles = t * self.frequencies
        hidden = torch.cat([x, torch.sin(angles), torch.cos(angles)], dim=1)
        return self.fc3(F.silu(self.fc2(F.silu(self.fc1(hidden)))))


class Gcn(nn.Module):
    """Two graph convolutions over a fixed graph: adjacency @ (features @ weight) + bias."""

    def __init__(self, c: Config) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(c["features"], c["hidden"]), nn.Linear(c["hidden"], c["classes"])
        self.register_buffer("adjacency", torch.from_numpy(normalised_adjacency(c["nodes"])), persistent=False)

    def forward(self, features: Tensor) -> Tensor:
        hidden = F.relu(torch.matmul(self.adjacency, features @ self.fc1.weight.T) + self.fc1.bias)
        return torch.matmul(self.adjacency, hidden @ self.fc2.weight.T) + self.fc2.bias


class TwoTower(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.user1, self.user2 = nn.Linear(c["user"], c["hidden"]), nn.Linear(c["hidden"], c["embed"])
        self.item1, self.item2 = nn.Linear(c["item"], c["hidden"]), nn.Linear(c["hidden"], c["embed"])

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        left = self.user2(F.relu(self.user1(user)))
        right = self.item2(F.relu(self.item1(item)))
        return (left * right).sum(dim=-1)
