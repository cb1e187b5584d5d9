"""Keras layers that hold the zoo's weights, which are PyTorch's in names and layouts. Channels are last.

Each maker takes the weights, the layer's name in them and Keras's own options.
"""

from typing import Any

import keras
import numpy as np
from keras import layers as L  # noqa: N812

Weights = dict[str, np.ndarray]


def built(layer: Any, shape: Any, values: list[np.ndarray]) -> Any:
    """The layer for inputs of this shape, with these values."""
    layer.build(shape)
    layer.set_weights(values)
    return layer


def keras_name(name: str) -> str:
    return name.replace(".", "_")


def optional_bias(w: Weights, name: str) -> list[np.ndarray]:
    return [w[f"{name}.bias"]] if f"{name}.bias" in w else []


def dense(w: Weights, name: str, activation: str | None = None) -> Any:
    units, inputs = w[f"{name}.weight"].shape
    bias = optional_bias(w, name)
    layer = L.Dense(units, activation, use_bias=bool(bias), name=keras_name(name))
    return built(layer, (None, inputs), [w[f"{name}.weight"].T, *bias])


def conv2d(w: Weights, name: str, **options: Any) -> Any:
    """Kernels [out, in, kh, kw] become [kh, kw, in, out]."""
    kernel, bias = w[f"{name}.weight"], optional_bias(w, name)
    layer = L.Conv2D(len(kernel), kernel.shape[2:], use_bias=bool(bias), name=keras_name(name), **options)
    inputs = kernel.shape[1] * options.get("groups", 1)
    return built(layer, (None, None, None, inputs), [kernel.transpose(2, 3, 1, 0), *bias])


def conv2d_transpose(w: Weights, name: str, **options: Any) -> Any:
    """By 2. Kernels [in, out, kh, kw] become [kh, kw, out, in]."""
    kernel, bias = w[f"{name}.weight"], optional_bias(w, name)
    options |= {"strides": 2, "use_bias": bool(bias), "name": keras_name(name)}
    layer = L.Conv2DTranspose(kernel.shape[1], kernel.shape[2:], **options)
    return built(layer, (None, None, None, len(kernel)), [kernel.transpose(2, 3, 1, 0), *bias])


def depthwise_conv2d(w: Weights, name: str, **options: Any) -> Any:
    """Kernels [channels, 1, kh, kw] become [kh, kw, channels, 1]."""
    kernel = w[f"{name}.weight"]
    layer = L.DepthwiseConv2D(kernel.shape[2:], use_bias=False, name=keras_name(name), **options)
    return built(layer, (None, None, None, len(kernel)), [kernel.transpose(2, 3, 0, 1)])


def conv1d(w: Weights, name: str, **options: Any) -> Any:
    """Kernels [out, in, k] become [k, in, out]."""
    kernel, bias = w[f"{name}.weight"], optional_bias(w, name)
    layer = L.Conv1D(len(kernel), kernel.shape[2], use_bias=bool(bias), name=keras_name(name), **options)
    return built(layer, (None, None, kernel.shape[1]), [kernel.transpose(2, 1, 0), *bias])


def batch_norm(w: Weights, name: str, rank: int) -> Any:
    """By the running values, over the last axis of a value of this rank."""
    values = [w[f"{name}.{part}"] for part in ("weight", "bias", "running_mean", "running_var")]
    layer = L.BatchNormalization(epsilon=1e-5, trainable=False, name=keras_name(name))
    return built(layer, (None,) * (rank - 1) + (len(values[0]),), values)


def layer_norm(w: Weights, name: str) -> Any:
    layer = L.LayerNormalization(epsilon=1e-5, name=keras_name(name))
    return built(layer, (None, None, len(w[f"{name}.weight"])), [w[f"{name}.weight"], w[f"{name}.bias"]])


def embedding(w: Weights, name: str) -> Any:
    table = w[f"{name}.weight"]
    return built(L.Embedding(*table.shape, name=keras_name(name)), (None,), [table])


def attention(w: Weights, name: str, heads: int) -> Any:
    """Keras splits the heads in the kernels: [dim, heads, dim / heads], and back in the last."""
    dim = len(w[f"{name}.out.bias"])
    layer = L.MultiHeadAttention(heads, dim // heads, name=keras_name(name))
    layer.build((None, None, dim), (None, None, dim))
    values = []
    for part in ("query", "key", "value"):
        values += [w[f"{name}.{part}.weight"].T.reshape(dim, heads, -1), w[f"{name}.{part}.bias"].reshape(heads, -1)]
    layer.set_weights([*values, w[f"{name}.out.weight"].T.reshape(heads, -1, dim), w[f"{name}.out.bias"]])
    return layer


def gru(w: Weights, name: str) -> Any:
    """PyTorch's gates are reset, update, new; Keras's update, reset, new. Both have a bias on either side."""
    values = [w[f"{name}.{part}_l0"] for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    hidden, inputs = len(values[0]) // 3, values[0].shape[1]
    order = np.r_[hidden : 2 * hidden, :hidden, 2 * hidden : 3 * hidden]
    enter, again, bias_ih, bias_hh = (value[order] for value in values)
    layer = L.GRU(hidden, unroll=True, name=keras_name(name))
    return built(layer, (None, None, inputs), [enter.T, again.T, np.stack([bias_ih, bias_hh])])


def bidirectional_lstm(w: Weights, name: str) -> Any:
    """All hidden states of both directions. One bias stands for PyTorch's two."""
    rows, inputs = w[f"{name}.weight_ih_l0"].shape
    layer = L.Bidirectional(L.LSTM(rows // 4, unroll=True, return_sequences=True), name=keras_name(name))
    values = []
    for end in ("l0", "l0_reverse"):
        values += [w[f"{name}.weight_ih_{end}"].T, w[f"{name}.weight_hh_{end}"].T]
        values.append(w[f"{name}.bias_ih_{end}"] + w[f"{name}.bias_hh_{end}"])
    return built(layer, (None, None, inputs), values)


def chain(*layers: Any) -> Any:
    """The layers one after the other."""
    return keras.Sequential(list(layers))
