"""Batch, instance, group, layer and RMS normalisation, local response normalisation, division by a norm."""

from collections.abc import Sequence
from math import prod

from rml_export.from_onnx.call import Call, Operand, Table
from rml_export.graph import Value


def batch_norm(
    c: Call, x: Operand, scale: Operand, bias: Operand, mean: Operand, variance: Operand
) -> Value | tuple[Value | None, ...]:
    """(x - mean) / sqrt(variance + eps) * scale + bias as one product and one sum: constants of the usual model."""
    value = c.floats(x, "batch normalisation")
    epsilon, momentum = c.attr("epsilon", 1e-5), c.attr("momentum", 0.9)
    in_training = bool(c.attr("training_mode", 0))
    if c.attr("spatial", 1) != 1:
        raise c.refuse("with statistics of every element (spatial = 0)")
    if c.version < 7:
        c.attr("is_test", 0)
    if not in_training:
        y = normalized(c, value, *map(c.value, (scale, bias, mean, variance)), epsilon)
        return (y, *(None for _ in c.node.output[1:]))
    axes = (0, *range(2, value.rank))
    own_mean = c("reduce_mean", value, axes=axes)
    centred = c("sub", value, per_channel(c, own_mean, value.rank))
    own_variance = c("reduce_mean", c("mul", centred, centred), axes=axes)
    y = normalized(c, value, c.value(scale), c.value(bias), own_mean, own_variance, epsilon)
    kept = c.number(momentum), c.number(1 - momentum)
    running = [
        c("add", c("mul", before, kept[0]), c("mul", own, kept[1]))
        for before, own in ((mean, own_mean), (variance, own_variance))
    ]
    return (y, *running)[: len(c.node.output)]


def normalized(c: Call, x: Value, scale: Value, bias: Value, mean: Value, variance: Value, epsilon: float) -> Value:
    factor = c("div", scale, c("sqrt", c("add", variance, c.number(epsilon))))
    shift = c("sub", bias, c("mul", mean, factor))
    return c("add", c("mul", x, per_channel(c, factor, x.rank)), per_channel(c, shift, x.rank))


def per_channel(c: Call, numbers: Value, rank: int) -> Value:
    """[C] as [C, 1, ...]: one number for each slice along axis 1."""
    return c.reshape(numbers, (prod(numbers.shape), *([1] * (rank - 2))))


def scaled(c: Call, x: Value, scale: Operand, bias: Operand) -> Value:
    product = c("mul", x, per_channel(c, c.value(scale), x.rank))
    return c("add", product, per_channel(c, c.value(bias), x.rank))


def instance_norm(c: Call, x: Operand, scale: Operand, bias: Operand) -> Value:
    value = c.floats(x, "instance normalisation")
    return scaled(c, in_groups(c, value, value.shape[1], c.attr("epsilon", 1e-5)), scale, bias)


def group_norm(c: Call, x: Operand, scale: Operand, bias: Operand) -> Value:
    """Scale and bias of each channel; up to opset 20 of each group."""
    value, groups = c.floats(x, "group normalisation"), c.attr("num_groups")
    epsilon, _ = c.attr("epsilon", 1e-5), c.attr("stash_type", 1)
    factors = [c.value(item) for item in (scale, bias)]
    if c.version < 21:
        each = value.shape[1] // groups
        factors = [
            c.reshape(c("broadcast_to", c.reshape(f, (groups, 1)), shape=(groups, each)), (-1,)) for f in factors
        ]
    return scaled(c, in_groups(c, value, groups, epsilon), *factors)


def in_groups(c: Call, x: Value, groups: int, epsilon: float) -> Value:
    """Each group of channels of each image to mean 0 and variance 1."""
    flat = c.reshape(x, (x.shape[0], groups, prod(x.shape[1:]) // groups))
    return c.reshape(c("layer_norm", flat, axes=(2,), eps=epsilon), x.shape)


def layer_norm(c: Call, x: Operand, scale: Operand, bias: Operand | None = None) -> Value | tuple[Value | None, ...]:
    value = c.floats(x, "layer normalisation")
    axes = tuple(range(c.axis(value.rank, -1), value.rank))
    epsilon, _ = c.attr("epsilon", 1e-5), c.attr("stash_type", 1)
    factors = [c.value(item) for item in (scale, bias) if item is not None]
    if all(item.shape == value.shape[axes[0] :] for item in factors):
        y = c("layer_norm", value, *factors, axes=axes, eps=epsilon)
    else:
        y = c("mul", c("layer_norm", value, axes=axes, eps=epsilon), factors[0])
        y = c("add", y, factors[1]) if len(factors) > 1 else y
    return (y, *statistics(c, value, axes, epsilon))


def statistics(c: Call, x: Value, axes: Sequence[int], epsilon: float) -> tuple[Value | None, ...]:
    """The mean, and 1 / the deviation, as far as something reads them."""
    wanted = c.node.output[1:]
    if not any(wanted):
        return (None,) * len(wanted)
    mean = c("reduce_mean", x, axes=tuple(axes), keep_dims=True)
    return (mean, inverse_root(c, c("sub", x, mean), axes, epsilon))[: len(wanted)]


def inverse_root(c: Call, x: Value, axes: Sequence[int], epsilon: float) -> Value:
    """1 / sqrt(mean(x^2) + epsilon)."""
    squares = c("reduce_mean", c("mul", x, x), axes=tuple(axes), keep_dims=True)
    return c("rsqrt", c("add", squares, c.number(epsilon)))


def rms_norm(c: Call, x: Operand, scale: Operand) -> Value:
    value = c.floats(x, "RMS normalisation")
    axes = range(c.axis(value.rank, -1), value.rank)
    epsilon, _ = c.attr("epsilon", 1e-5), c.attr("stash_type", 1)
    return c("mul", c("mul", value, inverse_root(c, value, axes, epsilon)), scale)


def local_response(c: Call, x: Operand) -> Value:
    """x / (bias + alpha * mean)^beta with the mean of the squares of `size` neighbouring channels, 0 past the ends."""
    value, size = c.floats(x, "local response normalisation"), c.attr("size")
    alpha, beta, bias = c.attr("alpha", 1e-4), c.attr("beta", 0.75), c.attr("bias", 1.0)
    rows = c.reshape(c("mul", value, value), (value.shape[0], 1, value.shape[1], prod(value.shape[2:])))
    pads = ((size - 1) // 2, 0, size // 2, 0)
    means = c("avg_pool2d", rows, kernel=(size, 1), strides=(1, 1), pads=pads, count_include_pad=True)
    base = c("add", c("mul", c.reshape(means, value.shape), c.number(alpha)), c.number(bias))
    return c("mul", value, c("pow", base, c.number(-beta)))


def lp_norm(c: Call, x: Operand) -> Value:
    """Zeros stay where the norm is 0."""
    value, p = c.floats(x, "a norm"), c.attr("p", 2)
    axes = (c.axis(value.rank, -1),)
    if p not in (1, 2):
        raise c.refuse(f"the norm of order {p}")
    powers = c("abs", value) if p == 1 else c("mul", value, value)
    total = c("reduce_sum", powers, axes=axes, keep_dims=True)
    norm = total if p == 1 else c("sqrt", total)
    return c("where", c("eq", norm, c.number(0)), c.number(0), c("div", value, norm))


TABLE: Table = {
    "BatchNormalization": batch_norm,
    "InstanceNormalization": instance_norm,
    "GroupNormalization": group_norm,
    "LayerNormalization": layer_norm,
    "RMSNormalization": rms_norm,
    "LRN": local_response,
    "LpNormalization": lp_norm,
}
