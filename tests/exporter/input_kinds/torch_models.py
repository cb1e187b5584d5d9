"""The cases in PyTorch."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from rml_export.from_torch import TorchModel
from torch import nn
from torch.nn import functional as F  # noqa: N812

from tests.exporter.from_torch.lower import module_of
from tests.exporter.input_kinds import cases as c


def tensor(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(array)


def ones_conv(x: torch.Tensor, size: tuple[int, int], **options: Any) -> torch.Tensor:
    return F.conv2d(x, torch.ones(1, 1, *size), **options)


def norm(x: torch.Tensor) -> torch.Tensor:
    d = x - x.mean(-1, keepdim=True)
    return d * torch.rsqrt((d * d).mean(-1, keepdim=True) + 1e-5)


def gru() -> nn.Module:
    class Last(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gru = nn.GRU(3, 2, batch_first=True)
            names = {"w_ih": "weight_ih_l0", "w_hh": "weight_hh_l0", "b_ih": "bias_ih_l0", "b_hh": "bias_hh_l0"}
            self.gru.load_state_dict({names[name]: tensor(array) for name, array in c.GRU.items()})

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.gru(x)[0][:, -1]

    return Last()


def tied() -> nn.Module:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding.from_pretrained(tensor(c.TABLE))
            self.head = nn.Linear(4, 7, bias=False)
            self.head.weight = self.embedding.weight

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            return self.head(self.embedding(tokens))

    return Tied()


def attention(**options: Any) -> Callable[..., torch.Tensor]:
    return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **options)


def top_k(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    values, indices = torch.topk(x, 3)
    return values, indices.int()


MODELS: dict[str, Callable[..., Any]] = {
    "sdpa_masked_row": lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m != 0),
    "sdpa_causal_one_query": attention(is_causal=True),
    "sdpa_causal_fewer_queries": attention(is_causal=True),
    "sdpa_scale": attention(scale=c.SCALE),
    "avg_pool_ceil": nn.AvgPool2d(3, 2, 1, ceil_mode=True),
    "max_pool_negative": nn.MaxPool2d(3, 2, 1),
    "max_pool_nan": nn.MaxPool2d(3, 2, 1),
    "conv_same_even": lambda x: ones_conv(F.pad(x, (0, 1, 0, 1)), (3, 3), stride=2),
    "conv_uneven_kernel": lambda x: ones_conv(x, (3, 2), stride=2, padding=1),
    "conv_dilated": lambda x: ones_conv(x, (3, 3), padding="same", dilation=2),
    "maximum_nan": torch.maximum,
    "minimum_nan": torch.minimum,
    "clip_nan": lambda x: x.clamp(-1, 1),
    "relu_nan": torch.relu,
    "reduce_max_nan": lambda x: x.amax(1),
    "gelu_tail": F.gelu,
    "gelu_both": lambda x: (F.gelu(x), F.gelu(x, approximate="tanh")),
    "sigmoid_small": torch.sigmoid,
    "layer_norm_large_mean": lambda x: F.layer_norm(x, (4,), tensor(c.NORM_WEIGHT), tensor(c.NORM_BIAS)),
    "layer_norm_huge": lambda x: F.layer_norm(x, (4,)),
    "norm_scale_per_row": lambda x: norm(x) * tensor(c.ROW_SCALE),
    "norm_one_axis": lambda x: norm(x) * tensor(c.NORM_WEIGHT),
    "integers_floor": lambda a, b: (a // b, a % b),
    "integers_truncate": lambda a, b: (torch.div(a, b, rounding_mode="trunc"), torch.fmod(a, b)),
    "gather_wrapped": lambda x, i: x[i.long()],
    "top_k_ties": top_k,
    "argmax_ties": lambda x: x.argmax(1),
    "gru": gru(),
    "transposed_weight": lambda x: x @ tensor(np.asfortranarray(c.WEIGHT)).T,
    "tied_weight": tied(),
    "empty_matmul": torch.matmul,
    "empty_reduce": lambda x: (x.sum(1), x.prod(1)),
    "empty_concat": lambda a, b: torch.cat([a, b], 1),
    "bias_on_the_last_axis": lambda x: x + tensor(c.BIAS),
    "sum_of_one_axis": lambda x: x.sum(1),
    "transpose_after_sum": lambda x: x.sum(2).T,
}

ABSENT = {
    "gather_clamped": "PyTorch refuses indices out of range (index_out_of_range_test.py)",
    "gather_filled": "PyTorch refuses indices out of range (index_out_of_range_test.py)",
}


# pytorch#150842, #133653, rf-detr#949: for batches_test.py
def shuffle_by_hand(x: torch.Tensor) -> torch.Tensor:
    rows, _, height, width = x.shape
    return x.view(rows, 3, 2, height, width).transpose(1, 2).reshape(rows, 6, height, width)


SHUFFLES = {"module": nn.ChannelShuffle(3), "by hand": shuffle_by_hand}
BAKED_IN = {
    "reshape": lambda x: x.reshape(2, 36) * 2,
    "state": lambda x: x + torch.arange(x.shape[0] * 1.0)[:, None, None, None],
}


def of(item: Callable[..., Any], examples: Sequence[np.ndarray]) -> TorchModel:
    return TorchModel(module_of(item), tuple(tensor(array) for array in examples))


def front_end(name: str, examples: Sequence[np.ndarray]) -> TorchModel:
    return of(MODELS[name], examples)
