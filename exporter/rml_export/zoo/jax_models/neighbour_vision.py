"""Neighbours that read images: resnet, mobilenet, decoder."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array, lax

from rml_export.zoo.configs import Config
from rml_export.zoo.jax_models.layers import Params, conv, dense

ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": jax.nn.relu,
    "hardswish": jax.nn.hard_swish,
    "none": lambda x: x,
}


def batch_norm(p: Params, name: str, x: Array, eps: float = 1e-5) -> Array:
    """By the running values, over axis 1."""
    shape = (-1,) + (1,) * (x.ndim - 2)
    scale = p[f"{name}.weight"] * lax.rsqrt(p[f"{name}.running_var"] + eps)
    return (x - p[f"{name}.running_mean"].reshape(shape)) * scale.reshape(shape) + p[f"{name}.bias"].reshape(shape)


def conv_norm(p: Params, name: str, x: Array, stride: int = 1, groups: int = 1, act: str = "relu") -> Array:
    """A convolution that keeps the size (but for the stride), its batch norm and its activation."""
    weight = p[f"{name}.conv.weight"]
    pads = [(size // 2, size // 2) for size in weight.shape[2:]]
    numbers = ("NCHW", "OIHW", "NCHW")
    y = lax.conv_general_dilated(
        x, weight, (stride, stride), pads, dimension_numbers=numbers, feature_group_count=groups
    )
    return ACTIVATIONS[act](batch_norm(p, f"{name}.norm", y))


def residual(p: Params, name: str, x: Array, stride: int) -> Array:
    """Two convolutions beside the input, which is projected where the width changes."""
    y = conv_norm(p, f"{name}.second", conv_norm(p, f"{name}.first", x, stride), act="none")
    if f"{name}.shortcut.conv.weight" in p:
        x = conv_norm(p, f"{name}.shortcut", x, stride, act="none")
    return jax.nn.relu(y + x)


def resnet(c: Config, p: Params, image: Array) -> Array:
    x = conv_norm(p, "stem", image, stride=2)
    pads = ((0, 0), (0, 0), (1, 1), (1, 1))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), pads)
    for stage, (width, depth) in enumerate(zip(c["widths"], c["depths"], strict=True)):
        for block in range(depth):
            x = residual(p, f"stages.{stage}.{block}", x, 2 if x.shape[1] != width else 1)
    return dense(p, "head", x.mean(axis=(2, 3)))


def inverted_residual(p: Params, name: str, x: Array, b: Config) -> Array:
    """Expand, depthwise, squeeze-and-excite, project; beside the input where that has the result's shape."""
    y = conv_norm(p, f"{name}.expand", x, groups=b["groups"], act=b["act"])
    y = conv_norm(p, f"{name}.depthwise", y, b["stride"], b["expanded"], b["act"])
    if b["squeezed"]:
        mean = y.mean(axis=(2, 3), keepdims=True)
        scale = conv(p, f"{name}.excite", jax.nn.relu(conv(p, f"{name}.squeeze", mean)))
        y = y * jax.nn.hard_sigmoid(scale)
    y = conv_norm(p, f"{name}.project", y, act="none")
    return x + y if x.shape == y.shape else y


def mobilenet(c: Config, p: Params, image: Array) -> Array:
    x = conv_norm(p, "stem", image, stride=2, act="hardswish")
    for number, block in enumerate(c["blocks"]):
        x = inverted_residual(p, f"blocks.{number}", x, block)
    x = conv_norm(p, "last", x, act="hardswish").mean(axis=(2, 3))
    return dense(p, "head", jax.nn.hard_swish(dense(p, "hidden", x)))


def conv_transpose(p: Params, name: str, x: Array, pads: tuple[int, int]) -> Array:
    """By 2. Kernels are PyTorch's [in, out, kh, kw]; pads: those of the convolution over the spread image."""
    kernel = jnp.flip(p[f"{name}.weight"], axis=(2, 3))
    numbers = ("NCHW", "IOHW", "NCHW")
    y = lax.conv_general_dilated(x, kernel, (1, 1), [pads, pads], lhs_dilation=(2, 2), dimension_numbers=numbers)
    return y + p[f"{name}.bias"][:, None, None] if f"{name}.bias" in p else y


def decoder(c: Config, p: Params, z: Array) -> Array:
    """A picture of a point in a latent space. Each step doubles the sides, one by more padding at the end."""
    x = dense(p, "enter", z).reshape(-1, c["widths"][0], c["side"], c["side"])
    x = jax.nn.relu(batch_norm(p, "norm1", conv_transpose(p, "up1", x, (2, 2))))
    x = jax.nn.leaky_relu(batch_norm(p, "norm2", conv_transpose(p, "up2", x, (1, 2))), 0.2)
    return jax.nn.sigmoid(conv_transpose(p, "up3", x, (1, 1)))
