"""Recurrences, unrolled by torch.export or by hand, and the mixture of experts: rnn, lstm, ssm, moe."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from rml_export.zoo.configs import Config


class Rnn(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.rnn = nn.RNN(c["input"], c["hidden"], batch_first=True)
        self.head = nn.Linear(c["hidden"], c["classes"])

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.rnn(x)[0][:, -1])


class Lstm(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.lstm = nn.LSTM(c["input"], c["hidden"], batch_first=True)
        self.head = nn.Linear(c["hidden"], c["classes"])

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(x)[0][:, -1])


class Ssm(nn.Module):
    """A diagonal linear state space: h_t = a * h_(t-1) + B x_t, y_t = C h_t + D * x_t, with a = sigmoid(decay)."""

    def __init__(self, c: Config) -> None:
        super().__init__()
        self.decay = nn.Parameter(torch.empty(c["hidden"]))
        self.enter = nn.Linear(c["input"], c["hidden"], bias=False)
        self.leave = nn.Linear(c["hidden"], c["input"], bias=False)
        self.skip = nn.Parameter(torch.empty(c["input"]))
        self.seq = c["seq"]

    def forward(self, x: Tensor) -> Tensor:
        a = torch.sigmoid(self.decay)
        entered = self.enter(x)
        state = entered[:, :1]
        states = [state]
        for t in range(1, self.seq):
            state = a * state + entered[:, t : t + 1]
            states.append(state)
        return self.leave(torch.cat(states, dim=1)) + self.skip * x


class Expert(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(c["dim"], c["hidden"]), nn.Linear(c["hidden"], c["dim"])

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(F.gelu(self.fc1(x)))


class Moe(nn.Module):
    """Every expert runs on every token; the router's best ones count, weighted by their renormalised probabilities."""

    def __init__(self, c: Config) -> None:
        super().__init__()
        self.router = nn.Linear(c["dim"], c["experts"], bias=False)
        self.experts = nn.ModuleList(Expert(c) for _ in range(c["experts"]))
        self.top = c["top"]

    def forward(self, x: Tensor) -> Tensor:
        chances, chosen = torch.topk(torch.softmax(self.router(x), dim=-1), self.top, dim=-1)
        chances = chances / chances.sum(dim=-1, keepdim=True)
        result = x
        for number, expert in enumerate(self.experts):
            share = (chances * (chosen == number)).sum(dim=-1, keepdim=True)
            result = result + share * expert(x)
        return result
