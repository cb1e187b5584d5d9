"""Linear layers, products, convolutions, pools, norms, reductions and attention against torch."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from tests.exporter.from_torch.lower import SPECIAL, check, integers, numbers

PRODUCTS = {
    "2d_2d": ((2, 3), (3, 4)),
    "1d_1d": ((3,), (3,)),
    "1d_2d": ((3,), (3, 4)),
    "2d_1d": ((2, 3), (3,)),
    "3d_2d": ((5, 2, 3), (3, 4)),
    "3d_3d": ((5, 2, 3), (5, 3, 4)),
    "4d_3d": ((2, 5, 2, 3), (5, 3, 4)),
    "broadcast": ((2, 1, 2, 3), (1, 5, 3, 4)),
    "k_0": ((2, 0), (0, 4)),
    "m_0": ((0, 3), (3, 4)),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_matmul(name):
    a, b = PRODUCTS[name]
    check(torch.matmul, numbers(*a), numbers(*b, seed=1))


PRODUCT_OPS = {
    "mm": (torch.mm, (2, 3), (3, 4)),
    "bmm": (torch.bmm, (5, 2, 3), (5, 3, 4)),
    "mv": (torch.mv, (2, 3), (3,)),
    "dot": (torch.dot, (3,), (3,)),
    "outer": (torch.outer, (3,), (4,)),
    "einsum": (lambda a, b: torch.einsum("bij,bjk->bik", a, b), (5, 2, 3), (5, 3, 4)),
    "einsum_heads": (lambda a, b: torch.einsum("bqhd,bkhd->bhqk", a, b), (2, 3, 2, 4), (2, 5, 2, 4)),
    "addmm": (lambda a, b: torch.addmm(a.sum(), a, b, beta=0.5, alpha=2.0), (2, 3), (3, 4)),
    "baddbmm": (lambda a, b: torch.baddbmm(a[:, :, :1], a, b, beta=2), (5, 2, 3), (5, 3, 4)),
    "addmm_beta_0": (lambda a, b: torch.addmm(a[0, 0] * torch.nan, a, b, beta=0), (2, 3), (3, 4)),
    "linear_of_values": (F.linear, (2, 3), (4, 3)),
}


@pytest.mark.parametrize("name", PRODUCT_OPS)
def test_product_op(name):
    fn, a, b = PRODUCT_OPS[name]
    check(fn, numbers(*a), numbers(*b, seed=1))


LAYERS = {
    "linear": (nn.Linear(3, 5), (2, 3)),
    "linear_1d": (nn.Linear(3, 5), (3,)),
    "linear_4d_no_bias": (nn.Linear(3, 5, bias=False), (2, 2, 2, 3)),
    "conv2d": (nn.Conv2d(4, 6, 3), (2, 4, 7, 5)),
    "conv2d_stride_2_even": (nn.Conv2d(4, 6, (3, 2), stride=2, padding=1), (2, 4, 6, 6)),
    "conv2d_dilated": (nn.Conv2d(4, 6, 3, dilation=2, padding=2), (1, 4, 7, 7)),
    "conv2d_grouped": (nn.Conv2d(4, 6, 3, groups=2, bias=False), (2, 4, 5, 5)),
    "conv2d_depthwise": (nn.Conv2d(4, 8, 3, groups=4), (2, 4, 5, 5)),
    "conv2d_same": (nn.Conv2d(2, 3, 3, padding="same"), (1, 2, 5, 5)),
    "conv2d_same_even": (nn.Conv2d(2, 3, 4, padding="same"), (1, 2, 5, 5)),
    "conv2d_reflect": (nn.Conv2d(2, 3, 3, padding=1, padding_mode="reflect"), (1, 2, 5, 5)),
    "conv2d_unbatched": (nn.Conv2d(2, 3, 3), (2, 5, 5)),
    "conv1d": (nn.Conv1d(4, 6, 3, stride=2, padding=1, dilation=2), (2, 4, 9)),
    "conv1d_grouped": (nn.Conv1d(4, 6, 3, groups=2), (2, 4, 9)),
    "conv_transpose2d": (nn.ConvTranspose2d(4, 6, 3), (2, 4, 5, 4)),
    "conv_transpose2d_output_padding": (nn.ConvTranspose2d(4, 6, (3, 2), 2, (1, 0), (1, 0)), (2, 4, 5, 4)),
    "conv_transpose2d_dilated": (nn.ConvTranspose2d(4, 6, 3, (2, 3), 2, dilation=2, bias=False), (1, 4, 5, 4)),
    "conv_transpose2d_grouped": (nn.ConvTranspose2d(4, 6, 4, 2, 1, groups=2), (2, 4, 3, 3)),
    "conv_transpose2d_unbatched": (nn.ConvTranspose2d(4, 2, 2, 2), (4, 3, 3)),
    "conv_transpose1d": (nn.ConvTranspose1d(4, 6, 5, 3, 1, 2, groups=2), (2, 4, 7)),
    "batch_norm": (nn.BatchNorm2d(3), (2, 3, 4, 4)),
    "batch_norm_1d": (nn.BatchNorm1d(3, affine=False), (4, 3)),
    "group_norm": (nn.GroupNorm(2, 4), (2, 4, 3, 3)),
    "instance_norm": (nn.InstanceNorm2d(3, affine=True), (2, 3, 4, 4)),
    "instance_norm_1d": (nn.InstanceNorm1d(3), (2, 3, 6)),
    "layer_norm": (nn.LayerNorm(4), (2, 3, 4)),
    "layer_norm_2_axes": (nn.LayerNorm((3, 4), elementwise_affine=False), (2, 3, 4)),
    "layer_norm_no_bias": (nn.LayerNorm(4, bias=False), (2, 4)),
    "rms_norm": (nn.RMSNorm(4), (2, 4)),
    "normalize": (lambda x: F.normalize(x, dim=1), (2, 4)),
    "cosine": (lambda x: F.cosine_similarity(x[:1], x[1:], dim=-1), (2, 4)),
    "max_pool": (nn.MaxPool2d(2), (1, 2, 5, 6)),
    "max_pool_ceil": (nn.MaxPool2d(3, 2, 1, ceil_mode=True), (1, 2, 6, 7)),
    "max_pool_dilated": (nn.MaxPool2d(2, 1, dilation=2), (1, 2, 6, 7)),
    "max_pool_negative": (lambda x: F.max_pool2d(x - 10, 3, 2, 1), (1, 2, 6, 6)),
    "max_pool_unbatched": (nn.MaxPool2d(2), (2, 6, 6)),
    "max_pool_1d": (nn.MaxPool1d(3, 2, 1), (1, 2, 7)),
    "avg_pool": (nn.AvgPool2d(2), (1, 2, 5, 6)),
    "avg_pool_ceil_pads": (nn.AvgPool2d(3, 2, 1, ceil_mode=True), (1, 2, 4, 4)),
    "avg_pool_ceil_no_pads": (nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False), (1, 2, 4, 5)),
    "avg_pool_1d": (nn.AvgPool1d(3, 2, 1), (1, 2, 7)),
    "adaptive_1": (nn.AdaptiveAvgPool2d(1), (2, 3, 5, 4)),
    "adaptive_divides": (nn.AdaptiveAvgPool2d((2, 3)), (2, 3, 4, 6)),
    "adaptive_odd": (nn.AdaptiveAvgPool2d((3, 2)), (2, 3, 5, 7)),
    "adaptive_1d": (nn.AdaptiveAvgPool1d(3), (2, 3, 7)),
    "adaptive_max": (nn.AdaptiveMaxPool2d((3, 2)), (2, 3, 5, 7)),
    "upsample_2": (nn.Upsample(scale_factor=2), (1, 2, 3, 4)),
    "upsample_size": (nn.Upsample(size=(5, 7)), (1, 2, 3, 4)),
    "upsample_1.5": (nn.Upsample(scale_factor=1.5), (1, 2, 4, 5)),
    "upsample_1d": (nn.Upsample(scale_factor=2), (1, 2, 5)),
    "softmax": (nn.Softmax(1), (2, 3, 4)),
    "log_softmax": (nn.LogSoftmax(-1), (2, 3, 4)),
    "logsumexp": (lambda x: torch.logsumexp(x, 1), (2, 3)),
    "gru": (nn.GRU(3, 4, batch_first=True), (2, 5, 3)),
    "lstm_2_layers": (nn.LSTM(3, 4, 2, batch_first=True), (2, 4, 3)),
    "lstm_both_ways": (nn.LSTM(3, 4, bidirectional=True), (4, 2, 3)),
    "rnn_relu": (nn.RNN(3, 4, nonlinearity="relu"), (4, 2, 3)),
    "transformer_encoder": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (2, 5, 8)),
    "transformer_encoder_pre_norm": (nn.TransformerEncoderLayer(8, 2, 16, norm_first=True), (5, 2, 8)),
    "attention_with_itself": (lambda x: F.scaled_dot_product_attention(x, x, x), (2, 3, 4)),
    "prelu": (nn.PReLU(3), (2, 3, 4)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layer(name):
    layer, shape = LAYERS[name]
    torch.manual_seed(0)
    if isinstance(layer, nn.Module):
        for number, (key, tensor) in enumerate(layer.state_dict().items()):
            if tensor.is_floating_point():
                tensor.copy_(numbers(*tensor.shape, seed=number) * 0.3 + (1.0 if key.endswith("var") else 0.0))
                if key.endswith("var"):
                    tensor.abs_()
    check(layer, numbers(*shape), others=[(numbers(*shape, seed=5),)])


def test_pools_keep_nan_and_layer_norm_is_stable():
    x = numbers(1, 1, 4, 4)
    x[0, 0, 1, 1] = torch.nan
    check(lambda x: F.max_pool2d(x, 2), x)
    check(nn.LayerNorm(4), torch.tensor([[40000.0, 40001.0, 40002.0, 40003.0], [1234.0] * 4]), rtol=1e-3)


REDUCTIONS = {
    "sum": torch.sum,
    "sum_dims": lambda x: x.sum((0, -1)),
    "sum_keep": lambda x: x.sum(1, keepdim=True),
    "mean": torch.mean,
    "mean_dim": lambda x: x.mean(-1),
    "amax": lambda x: x.amax((0, 2)),
    "amin_keep": lambda x: x.amin(1, keepdim=True),
    "max": torch.max,
    "min": torch.min,
    "prod": torch.prod,
    "prod_dim": lambda x: x.prod(1),
    "var": lambda x: x.var(1),
    "var_biased_keep": lambda x: x.var(1, correction=0, keepdim=True),
    "std": torch.std,
    "std_dim": lambda x: x.std(-1),
    "var_mean": lambda x: torch.var_mean(x, dim=1),
    "any": lambda x: (x > 2.5).any(1),
    "all": lambda x: (x > -2.5).all(),
    "norm": torch.linalg.vector_norm,
    "norm_1": lambda x: torch.linalg.vector_norm(x, 1, dim=1),
    "norm_inf": lambda x: torch.linalg.vector_norm(x, math.inf, dim=1),
    "norm_3": lambda x: torch.linalg.vector_norm(x, 3, dim=1),
    "count": lambda x: (x > 0).sum(1),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reduction(name):
    check(REDUCTIONS[name], numbers(2, 3, 4), others=[(numbers(2, 3, 4, seed=1),)])


def test_reductions_of_special_values_integers_and_nothing():
    check(lambda x: (x.sum(0), x.amax(0), x.amin(0)), torch.stack([SPECIAL, SPECIAL.flip(0)]))
    check(lambda x: (x.sum(1), x.amax(1), x.amin()), integers(3, 4))
    check(lambda x: (x.sum(1), x.prod(1), x.mean(1)), numbers(3, 0))


def attention(**options):
    return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **options)


ATTENTION = {
    "plain": (attention(), 3, 3),
    "causal": (attention(is_causal=True), 3, 3),
    "causal_1_16": (attention(is_causal=True), 1, 16),
    "causal_5_3": (attention(is_causal=True), 5, 3),
    "scale": (attention(scale=0.3), 3, 4),
    "additive_mask": (attention(attn_mask=numbers(3, 4, seed=9)), 3, 4),
    "boolean_mask": (attention(attn_mask=numbers(2, 1, 3, 4, seed=9) > 0), 3, 4),
    "row_all_false": (attention(attn_mask=torch.tensor([[True, False], [False, False], [False, True]])), 3, 2),
}


@pytest.mark.parametrize("name", ATTENTION)
def test_attention(name):
    fn, queries, keys = ATTENTION[name]
    export = check(fn, numbers(2, 2, queries, 4), numbers(2, 2, keys, 4, seed=1), numbers(2, 2, keys, 5, seed=2))
    assert [node.op for node in export.graph.nodes] == ["sdpa"]


def test_attention_with_grouped_heads_and_a_mask_from_the_inputs():
    fn = attention(enable_gqa=True)
    check(fn, numbers(2, 4, 3, 4), numbers(2, 2, 5, 4, seed=1), numbers(2, 2, 5, 4, seed=2))
    check(
        lambda q, m: F.scaled_dot_product_attention(q, q, q, attn_mask=m > 0),
        numbers(2, 2, 3, 4),
        numbers(3, 3, seed=4),
        others=[(numbers(2, 2, 3, 4), torch.full((3, 3), -1.0))],
    )
