"""Neighbours that read images, in Keras: resnet, mobilenet, decoder. Images come as NCHW and are NHWC inside."""

from typing import Any

import tensorflow as tf
from keras import layers as L  # noqa: N812

from rml_export.zoo.configs import Config
from rml_export.zoo.tf_models.keras_layers import (
    Weights,
    batch_norm,
    chain,
    conv2d,
    conv2d_transpose,
    dense,
    depthwise_conv2d,
)
from rml_export.zoo.tf_models.layers import channels_first, channels_last


def conv_norm(w: Weights, name: str, stride: int = 1, groups: int = 1, act: str | None = "relu") -> Any:
    """A convolution that keeps the size (but for the stride), its batch norm and its activation.

    Strided ones are padded apart, as in Keras's own models: "same" would pad at the end only.
    """
    weight = w[f"{name}.conv.weight"]
    kernel = weight.shape[2]
    layers = [L.ZeroPadding2D(kernel // 2)] if stride > 1 and kernel > 1 else []
    options = {"strides": stride, "padding": "valid" if layers else "same"}
    if weight.shape[1] == 1 and groups == len(weight):
        layers.append(depthwise_conv2d(w, f"{name}.conv", **options))
    else:
        layers.append(conv2d(w, f"{name}.conv", groups=groups, **options))
    layers.append(batch_norm(w, f"{name}.norm", 4))
    return chain(*layers, *([L.Activation(act)] if act else []))


class Residual:
    """Two convolutions beside the input, which is projected where the width changes."""

    def __init__(self, w: Weights, name: str) -> None:
        projects = f"{name}.shortcut.conv.weight" in w
        stride = 2 if projects else 1
        self.layers = chain(conv_norm(w, f"{name}.first", stride), conv_norm(w, f"{name}.second", act=None))
        self.shortcut = conv_norm(w, f"{name}.shortcut", stride, act=None) if projects else L.Identity()

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(self.layers(x) + self.shortcut(x))


class Resnet:
    def __init__(self, c: Config, w: Weights) -> None:
        self.stem = chain(conv_norm(w, "stem", 2), L.ZeroPadding2D(1), L.MaxPooling2D(3, 2))
        self.blocks = [
            Residual(w, f"stages.{stage}.{block}") for stage, depth in enumerate(c["depths"]) for block in range(depth)
        ]
        self.head = chain(L.GlobalAveragePooling2D(), dense(w, "head"))

    def __call__(self, image: tf.Tensor) -> tf.Tensor:
        x = self.stem(channels_last(image))
        for block in self.blocks:
            x = block(x)
        return self.head(x)


class InvertedResidual:
    """Expand, depthwise, squeeze-and-excite, project; beside the input where that has the result's shape."""

    def __init__(self, w: Weights, name: str, b: Config) -> None:
        self.expand = conv_norm(
            w, f"{name}.expand", groups=b["groups"], act=b["act"].replace("hardswish", "hard_swish")
        )
        self.depthwise = conv_norm(
            w, f"{name}.depthwise", b["stride"], b["expanded"], b["act"].replace("hardswish", "hard_swish")
        )
        self.scale = None
        if b["squeezed"]:
            self.scale = chain(
                L.GlobalAveragePooling2D(keepdims=True),
                conv2d(w, f"{name}.squeeze", activation="relu"),
                conv2d(w, f"{name}.excite", activation="hard_sigmoid"),
            )
        self.project = conv_norm(w, f"{name}.project", act=None)

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        y = self.depthwise(self.expand(x))
        if self.scale is not None:
            y = y * self.scale(y)
        y = self.project(y)
        return x + y if x.shape == y.shape else y


class Mobilenet:
    def __init__(self, c: Config, w: Weights) -> None:
        self.stem = conv_norm(w, "stem", 2, act="hard_swish")
        self.blocks = [InvertedResidual(w, f"blocks.{number}", block) for number, block in enumerate(c["blocks"])]
        last = conv_norm(w, "last", act="hard_swish")
        self.head = chain(
            last, L.GlobalAveragePooling2D(), dense(w, "hidden", "hard_swish"), L.Dropout(0.2), dense(w, "head")
        )

    def __call__(self, image: tf.Tensor) -> tf.Tensor:
        x = self.stem(channels_last(image))
        for block in self.blocks:
            x = block(x)
        return self.head(x)


class Decoder:
    """A picture of a point in a latent space. Each step doubles the sides, the second by a cut."""

    def __init__(self, c: Config, w: Weights) -> None:
        self.enter = dense(w, "enter")
        self.shape = (-1, c["widths"][0], c["side"], c["side"])
        self.layers = chain(
            conv2d_transpose(w, "up1", padding="same"),
            batch_norm(w, "norm1", 4),
            L.ReLU(),
            conv2d_transpose(w, "up2", padding="valid"),
            L.Cropping2D(((1, 0), (1, 0))),
            batch_norm(w, "norm2", 4),
            L.LeakyReLU(0.2),
            conv2d_transpose(w, "up3", padding="valid", activation="sigmoid"),
        )

    def __call__(self, z: tf.Tensor) -> tf.Tensor:
        x = tf.reshape(self.enter(z), self.shape)
        return channels_first(self.layers(channels_last(x)))
