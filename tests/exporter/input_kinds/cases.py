"""Inputs on which other exporters and runtimes have gone wrong, and the right answers: the one place where these stand.

Each route has its own models for these names (torch_models.py, jax_models.py ...); all of them are held to the answers
here. The comment beside a case says who got it wrong and how.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

Arrays = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Case:
    """One row.

    inputs     what the model is run on.
    answers    what it must give, within atol + rtol |answer|; NaN and infinities must be equal.
    examples   what it is exported with where that cannot be `inputs`.
    own_ways   framework -> why the framework's own answer is another one, so that only the graph is held to it.
    """

    inputs: Arrays
    answers: Arrays
    rtol: float = 1e-5
    atol: float = 1e-6
    examples: Arrays | None = None
    own_ways: Mapping[str, str] = field(default_factory=dict)


def f32(*values: object) -> np.ndarray:
    return np.array(values if len(values) > 1 else values[0], np.float32)


def i32(*values: object) -> np.ndarray:
    return np.array(values if len(values) > 1 else values[0], np.int32)


def drawn(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-2, 2, shape).astype(np.float32)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, scale: float, allowed: np.ndarray) -> np.ndarray:
    scores = np.where(allowed, q.astype(np.float64) @ np.swapaxes(k, -1, -2) * scale, -np.inf)
    kept = np.where(allowed.any(-1, keepdims=True), scores, 0)
    return np.where(allowed.any(-1, keepdims=True), softmax(kept) @ v, 0).astype(np.float32)


def gelu(x: np.ndarray) -> np.ndarray:
    return f32([0.5 * t * math.erfc(-t / math.sqrt(2)) for t in x.tolist()])


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    t = x.astype(np.float64)
    inner = np.sqrt(2 / np.pi) * (t + 0.044715 * t**3)
    return (t / (1 + np.exp(-2 * inner))).astype(np.float32)  # 1 + tanh(u) = 2 / (1 + exp(-2 u)) keeps the tail


def normalised(x: np.ndarray, eps: float) -> np.ndarray:
    t = x.astype(np.float64)
    return (t - t.mean(-1, keepdims=True)) / np.sqrt(t.var(-1, keepdims=True) + eps)


def sums_of_windows(
    x: np.ndarray, size: tuple[int, int], stride: int, pads: tuple[int, ...], dilation: int = 1
) -> np.ndarray:
    """A convolution with ones; pads top, left, bottom, right."""
    top, left, bottom, right = pads
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    height, width = ((n - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(x.shape[2:], size, strict=True))
    rows, columns = (
        (np.arange(n) * stride)[:, None] + np.arange(k) * dilation for n, k in zip((height, width), size, strict=True)
    )
    return x[:, :, rows[:, None, :, None], columns[None, :, None, :]].sum((-1, -2))


NAN, INF = np.nan, np.inf
Q, K, V = drawn(1, 2, 3, 4), drawn(1, 2, 5, 4, seed=1), drawn(1, 2, 5, 4, seed=2)
MASK = f32([[1, 0, 1, 1, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 1]])
SCALE = 0.9  # is not 1 / sqrt(4)
IMAGE = f32(np.arange(1, 17)).reshape(1, 1, 4, 4)
ODD = drawn(1, 1, 5, 6)
TAIL = f32(-4, -5, -6, -7, -8, -9, -10)
MIDDLE = f32(-3, -1.5, -0.5, 0, 0.75, 2)
LARGE_MEAN = f32([[40000, 40001, 40002, 40003], [1234, 1234, 1234, 1234]])
NORM_WEIGHT, NORM_BIAS = f32(1, 2, 0.5, 1), f32(0.25, -1, 0, 3)
ROW_SCALE = f32([[2], [0.5], [-1]])
THREE = drawn(3, 4)
WEIGHT = drawn(5, 4, seed=3)
TABLE = drawn(7, 4, seed=4)
BIAS = f32(1, 10, 100)
CUBE = drawn(2, 3, 3, seed=5)
GRU = {"w_ih": drawn(6, 3, seed=6), "w_hh": drawn(6, 2, seed=7), "b_ih": drawn(6, seed=8), "b_hh": drawn(6, seed=9)}
SEQUENCE = drawn(2, 4, 3, seed=10)


def gru_last() -> np.ndarray:
    """The reset gate multiplies what the hidden state gives after its product and its own bias."""
    sigmoid = lambda t: 1 / (1 + np.exp(-t))  # noqa: E731
    h = np.zeros((2, 2))
    for step in range(SEQUENCE.shape[1]):
        given = SEQUENCE[:, step].astype(np.float64) @ GRU["w_ih"].T + GRU["b_ih"]
        hidden = h @ GRU["w_hh"].T + GRU["b_hh"]
        r, z = (sigmoid(given[:, i : i + 2] + hidden[:, i : i + 2]) for i in (0, 2))
        n = np.tanh(given[:, 4:] + r * hidden[:, 4:])
        h = (1 - z) * n + z * h
    return h.astype(np.float32)


PADDED = np.pad(-IMAGE, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-INF)
WITH_NAN = np.where(IMAGE == 16, NAN, -IMAGE).astype(np.float32)

CASES: dict[str, Case] = {
    # pytorch#159973, onnxscript#2479, iree#24175: NaN for a row that may look at nothing
    "sdpa_masked_row": Case((Q, K, V, MASK), (attention(Q, K, V, 0.5, MASK != 0),)),
    # executorch#22426, mlx#2835: bottom-right mask used; query i sees the keys up to i
    "sdpa_causal_one_query": Case((Q[:, :, :1], K, V), (V[:, :, :1],)),
    "sdpa_causal_fewer_queries": Case((Q, K, V), (attention(Q, K, V, 0.5, np.tri(3, 5, dtype=bool)),)),
    # tt-metal#33304: scale ignored
    "sdpa_scale": Case((Q, K, V), (attention(Q, K, V, SCALE, np.ones((3, 5), bool)),)),
    # pytorch#183528, #131272, #71549, onnx#4958: the divisor at the edge, a window in the padding
    "avg_pool_ceil": Case(
        (IMAGE,), (f32([[14 / 9, 10 / 3, 2], [19 / 3, 11, 6], [4.5, 7.5, 4]]).reshape(1, 1, 3, 3),)
    ),
    # pytorch#33382, keras#16158: padding taken for 0
    "max_pool_negative": Case((-IMAGE,), (f32([[-1, -2], [-5, -6]]).reshape(1, 1, 2, 2),)),
    # pytorch#7645: NaN lost
    "max_pool_nan": Case(
        (WITH_NAN,), (f32([[-1, -2], [-5, NAN]]).reshape(1, 1, 2, 2),), examples=(-IMAGE,),
        own_ways={"tf": "its pool on CPUs passes over NaN"},
    ),
    # tensorflow-onnx#1028, onnx#388, coremltools#2515: SAME with stride 2 pads at the bottom and right first
    "conv_same_even": Case((IMAGE,), (sums_of_windows(IMAGE, (3, 3), 2, (0, 0, 1, 1)),)),
    "conv_uneven_kernel": Case((ODD,), (sums_of_windows(ODD, (3, 2), 2, (1, 1, 1, 1)),)),
    # tensorflow-onnx#1728, tensorflow#26797: rate 2 by way of SpaceToBatch
    "conv_dilated": Case((ODD,), (sums_of_windows(ODD, (3, 3), 1, (2, 2, 2, 2), 2),)),
    # onnxruntime#21455, tvm#19579, TensorRT#4773: NaN as the first, second or only element
    "maximum_nan": Case((f32(NAN, 1, NAN, 2), f32(1, NAN, NAN, 3)), (f32(NAN, NAN, NAN, 3),)),
    "minimum_nan": Case((f32(NAN, 1, NAN, 2), f32(1, NAN, NAN, 3)), (f32(NAN, NAN, NAN, 2),)),
    "clip_nan": Case((f32(NAN, -5, 0.5, 5),), (f32(NAN, -1, 0.5, 1),)),
    "relu_nan": Case((f32([NAN]),), (f32([NAN]),)),
    "reduce_max_nan": Case((f32([[NAN, 1, 2], [1, NAN, 2], [1, 2, NAN], [1, 3, 2]]),), (f32(NAN, NAN, NAN, 3),)),
    # pytorch#187806, tt-metal#56490: 1 + erf cancels
    "gelu_tail": Case((TAIL,), (gelu(TAIL),), atol=0.0, own_ways={"torch": "it gives 0 from -6 on"}),
    # spd#624: one taken for the other
    "gelu_both": Case((MIDDLE,), (gelu(MIDDLE), gelu_tanh(MIDDLE))),
    # onnxruntime#22557: -6e-8
    "sigmoid_small": Case((f32(-18, -30, 18),), (f32(1.5229979e-8, 9.357623e-14, 1),), atol=0.0),
    # onnxruntime#28463, #21935, pytorch#51102, burn#5607: NaN, or off by 1
    "layer_norm_large_mean": Case(
        (LARGE_MEAN,), ((normalised(LARGE_MEAN, 1e-5) * NORM_WEIGHT + NORM_BIAS).astype(np.float32),), atol=1e-4
    ),
    # pytorch#162489: the variance overflows
    "layer_norm_huge": Case(
        (f32([[1e30, -1e30, 1e30, -1e30], [1, 3, 3, 1]]),), (f32([[1, -1, 1, -1], [-1, 1, 1, -1]]),),
        examples=(THREE[:2],), atol=1e-5,
        own_ways=dict.fromkeys(("torch", "jax", "tf"), "its variance is infinite in f32"),
    ),
    # onnxruntime#25855, #31980: fused though the scale is one per row
    "norm_scale_per_row": Case((THREE,), ((normalised(THREE, 1e-5) * ROW_SCALE).astype(np.float32),)),
    # onnxruntime#31147: one axis only; the quotient taken for the scale
    "norm_one_axis": Case((THREE[0],), ((normalised(THREE[0], 1e-5) * NORM_WEIGHT).astype(np.float32),)),
    # torch-mlir#3142, #4440, onnxruntime#26997, onnx#4016
    "integers_floor": Case((i32(-7, 8, -7, 6), i32(2, -3, 3, 3)), (i32(-4, -3, -3, 2), i32(1, -1, 2, 0))),
    "integers_truncate": Case((i32(-7, 8, -7, 6), i32(2, -3, 3, 3)), (i32(-3, -2, -2, 2), i32(-1, 2, -1, 0))),
    # iree#24881, tt-mlir#9211, onnxruntime#25251: garbage or a crash
    "gather_clamped": Case((f32(10, 20, 30), i32(-5, 0, 2, 100)), (f32(10, 10, 30, 30),)),
    "gather_filled": Case((f32(10, 20, 30), i32(-5, -1, 2, 100)), (f32(NAN, 30, 30, NAN),)),
    "gather_wrapped": Case((f32(10, 20, 30), i32(-3, -1, 0, 2)), (f32(10, 30, 10, 30),)),
    # onnx#3501, #6593, onnxruntime#19759: the lowest index first
    "top_k_ties": Case(
        (f32([[1, 3, 3, 2, 3], [0, 0, 0, 0, 0]]),), (f32([[3, 3, 3], [0, 0, 0]]), i32([[1, 2, 4], [0, 1, 2]])),
        examples=(f32([[1, 5, 4, 2, 3], [9, 8, 7, 6, 5]]),), own_ways={"torch": "it takes any of the equal ones"},
    ),
    # pytorch#41998, #93630, openvino#30666
    "argmax_ties": Case((f32([[1, 3, 3], [0, 0, 0]]),), (i32(1, 0),)),
    # onnxscript#2852, keras#15915: the gate before the product, one bias in place of two
    "gru": Case((SEQUENCE,), (gru_last(),)),
    # litert-torch#1238, safetensors#825: the memory's order taken for the logical one
    "transposed_weight": Case((THREE,), (THREE @ WEIGHT.T,)),
    # optimum#1326, Model-Optimizer#2092: one of two uses gets another copy
    "tied_weight": Case((i32([[1, 6], [0, 3]]),), (TABLE[[[1, 6], [0, 3]]] @ TABLE.T,)),
    # onnxruntime#4559, #7563, #11024, openvino#37965: nothing to sum over
    "empty_matmul": Case((np.zeros((2, 0), np.float32), np.zeros((0, 3), np.float32)), (np.zeros((2, 3), np.float32),)),
    "empty_reduce": Case(
        (np.zeros((2, 0), np.float32),), (np.zeros(2, np.float32), np.ones(2, np.float32))
    ),
    "empty_concat": Case((np.zeros((2, 0), np.float32), THREE[:2]), (THREE[:2],)),
    # openvino#35958: [3] laid along the channels; #25169: all axes reduced
    "bias_on_the_last_axis": Case((CUBE,), (CUBE + BIAS,)),
    "sum_of_one_axis": Case((CUBE,), (CUBE.sum(1),)),
    # openvino#37959, onnx/optimizer#284: the transpose dropped
    "transpose_after_sum": Case((CUBE,), (CUBE.sum(2).T,)),
}  # fmt: skip
