"""Products, convolutions, pools, reductions, softmax, gathers, top-k."""

import numpy as np

from rml_export.array_ops import arg_max, arg_min
from rml_export.from_tf.call import Call, LoweringFn, Operand, Table
from rml_export.graph import Value
from rml_export.xla_ops import einsum, transpose

_TO_NCHW, _TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)


def matmul(c: Call, a: Operand, b: Operand) -> Value:
    """Two matrices, either of them transposed."""
    left, right = c.floats(a, "products"), c.floats(b, "products")
    left = transpose(c, left, (1, 0)) if c.attr("transpose_a") else left
    right = transpose(c, right, (1, 0)) if c.attr("transpose_b") else right
    return c("matmul", left, right)


def batch_matmul(c: Call, a: Operand, b: Operand) -> Value:
    left, right = (
        transpose(c, value, (*range(value.rank - 2), value.rank - 1, value.rank - 2)) if c.attr(flag) else value
        for value, flag in ((c.floats(a, "products"), "adj_x"), (c.floats(b, "products"), "adj_y"))
    )
    return c("matmul", left, right)


def einstein_sum(c: Call, *inputs: Operand) -> Value:
    return einsum(c, c.attr("equation"), [c.floats(item, "products") for item in inputs])


def window_pads(c: Call, size: tuple[int, int], kernel: tuple[int, int], dilations: tuple[int, int]) -> tuple[int, ...]:
    """Top, left, bottom, right for VALID, SAME (the odd cell at bottom and right) and EXPLICIT padding."""
    padding, strides = c.attr("padding"), spatial(c, c.attr("strides"))
    if padding == "VALID":
        return (0, 0, 0, 0)
    if padding == "EXPLICIT":
        given = list(c.attr("explicit_paddings"))
        at = (2, 4) if c.attr("data_format") == "NHWC" else (4, 6)
        return (given[at[0]], given[at[1]], given[at[0] + 1], given[at[1] + 1])
    before, after = [], []
    for length, window, stride, dilation in zip(size, kernel, strides, dilations, strict=True):
        extent = (window - 1) * dilation + 1
        total = max((-(-length // stride) - 1) * stride + extent - length, 0)
        before.append(total // 2)
        after.append(total - total // 2)
    return (*before, *after)


def spatial(c: Call, numbers: list[int]) -> tuple[int, int]:
    """Height and width of an attribute with one number per axis."""
    return (numbers[1], numbers[2]) if c.attr("data_format") == "NHWC" else (numbers[2], numbers[3])


def images(c: Call, x: Operand) -> Value:
    """The input as NCHW."""
    value = c.floats(x, "convolutions and pools")
    return transpose(c, value, _TO_NCHW) if c.attr("data_format") == "NHWC" else value


def images_back(c: Call, y: Value) -> Value:
    return transpose(c, y, _TO_NHWC) if c.attr("data_format") == "NHWC" else y


def convolution(c: Call, x: Operand, w: Operand) -> Value:
    """w is HWIO."""
    image = images(c, x)
    kernel = transpose(c, c.value(w, "f32"), (3, 2, 0, 1))
    return _convolve(c, image, kernel, image.shape[1] // kernel.shape[1])


def depthwise(c: Call, x: Operand, w: Operand) -> Value:
    """w is H, W, channel, multiplier: one group per channel."""
    image = images(c, x)
    H, W, C, M = c.value(w).shape
    kernel = c.reshape(transpose(c, c.value(w, "f32"), (2, 3, 0, 1)), (C * M, 1, H, W))
    return _convolve(c, image, kernel, C)


def transposed(c: Call, sizes: Operand, w: Operand, x: Operand) -> Value:
    """A transposed convolution, written as the gradient of the convolution that makes x of `sizes`. w is HWOI."""
    image = images(c, x)
    weight = transpose(c, c.value(w, "f32"), (3, 2, 0, 1))
    known = [int(n) for n in c.known(sizes, "a shape")]
    size = spatial(c, known) if len(known) == 4 else (known[0], known[1])
    strides, dilations = spatial(c, c.attr("strides")), spatial(c, c.attr("dilations"))
    pads = window_pads(c, size, weight.shape[2:], dilations)
    whole = [
        (n - 1) * stride + dilation * (kernel - 1) + 1
        for n, stride, dilation, kernel in zip(image.shape[2:], strides, dilations, weight.shape[2:], strict=True)
    ]
    more = tuple(size[axis] + pads[axis] + pads[axis + 2] - whole[axis] for axis in (0, 1))
    attrs = {"strides": strides, "pads": pads, "dilations": dilations, "output_pads": more}
    channels = c.shape[3 if c.attr("data_format") == "NHWC" else 1]
    return images_back(c, c("conv_transpose2d", image, weight, groups=channels // weight.shape[1], **attrs))


def _convolve(c: Call, image: Value, kernel: Value, groups: int) -> Value:
    dilations = spatial(c, c.attr("dilations"))
    size, window = image.shape[2:], kernel.shape[2:]
    attrs = {
        "strides": spatial(c, c.attr("strides")),
        "pads": window_pads(c, size, window, dilations),
        "dilations": dilations,
    }
    return images_back(c, c("conv2d", image, kernel, **attrs, groups=groups))


def pool(op: str) -> LoweringFn:
    """Average pools divide by the cells inside the image."""

    def lower(c: Call, x: Operand) -> Value:
        image = images(c, x)
        kernel = spatial(c, c.attr("ksize"))
        attrs = {
            "kernel": kernel,
            "strides": spatial(c, c.attr("strides")),
            "pads": window_pads(c, image.shape[2:], kernel, (1, 1)),
        }
        if op == "avg_pool2d":
            attrs["count_include_pad"] = False
        return images_back(c, c(op, image, **attrs))

    return lower


def batch_norm(c: Call, x: Operand, scale: Operand, offset: Operand, mean: Operand, variance: Operand) -> tuple:
    """In inference: (x - mean) * (scale / sqrt(variance + eps)) + offset, folded where these are constants."""
    if c.attr("is_training"):
        raise c.refuse("batch normalisation in training mode")
    factor = c("div", scale, c("sqrt", c("add", variance, c.constant(np.float32(c.attr("epsilon"))))))
    shift = c("sub", offset, c("mul", mean, factor))
    if c.attr("data_format") == "NCHW":
        factor, shift = (c.reshape(item, (-1, 1, 1)) for item in (factor, shift))
    y = c("add", c("mul", x, factor), shift)
    return (y, *(None,) * (len(c.operation.outputs) - 1))


def reduction(op: str, integers: bool = True) -> LoweringFn:
    def lower(c: Call, x: Operand, axes: Operand) -> Value:
        value = c.value(x)
        if not integers:
            value = c.floats(value, op)
        return c(op, value, axes=c.axes(axes, value.rank), keep_dims=bool(c.attr("keep_dims")))

    return lower


def running_sum(c: Call, x: Operand, axis: Operand) -> Value:
    value = c.value(x)
    along = int(c.known(axis, "an axis").reshape(())) % value.rank
    return c("cumsum", value, axis=along, exclusive=bool(c.attr("exclusive")), reverse=bool(c.attr("reverse")))


def softmax(op: str) -> LoweringFn:
    def lower(c: Call, x: Operand) -> Value:
        return c(op, x, axis=c.value(x).rank - 1)

    return lower


def gather_along(c: Call, data: Operand, indices: Operand, axis: Operand) -> Value:
    batch, value = int(c.attr("batch_dims")), c.value(data)
    if not batch:
        return gather(c, data, indices, axis)
    at, index = int(c.known(axis, "an axis")) % value.rank, c.value(indices, "i32")
    if batch % index.rank != at:
        raise c.refuse("a gather whose batch dimensions are not all those before its axis")
    own, rest = index.shape[at:], value.shape[at + 1 :]  # every row has indices of its own, for whole slices
    count = int(np.prod(own))
    index = c.reshape(index, (*value.shape[:at], count, *(1 for _ in rest)))
    wide = (*value.shape[:at], count, *rest)
    index = index if index.shape == wide else c("broadcast_to", index, shape=wide)
    return c.reshape(c("gather_elements", value, index, axis=at, mode="error"), (*value.shape[:at], *own, *rest))


def gather(c: Call, data: Operand, indices: Operand, axis: Operand | None = None) -> Value:
    """TensorFlow on CPUs refuses indices out of range."""
    value = c.value(data)
    at = int(c.known(axis, "an axis")) % value.rank if axis is not None else 0
    return c("gather", value, c.value(indices, "i32"), axis=at, mode="error")


def gather_nd(c: Call, data: Operand, indices: Operand) -> Value:
    value, index = c.value(data), c.value(indices, "i32")
    if index.shape[-1] != 1:
        raise c.refuse("gather_nd over several axes")
    return c("gather", value, c.reshape(index, index.shape[:-1]), axis=0, mode="error")


def top_k(c: Call, x: Operand, k: Operand) -> tuple[Value, ...]:
    value = c.floats(x, "top_k")
    return c.many("top_k", 2, value, k=int(c.known(k, "a k")), axis=value.rank - 1)


def argmax(c: Call, x: Operand, axis: Operand) -> Value:
    return arg_max(c, x, int(c.known(axis, "an axis")) % c.value(x).rank)


def argmin(c: Call, x: Operand, axis: Operand) -> Value:
    return arg_min(c, x, int(c.known(axis, "an axis")) % c.value(x).rank)


def one_hot(c: Call, indices: Operand, depth: Operand, on: Operand, off: Operand) -> Value:
    count, axis = int(c.known(depth, "a depth")), int(c.attr("axis"))
    index = c.value(indices, "i32")
    rank = index.rank + 1
    at = rank - 1 if axis == -1 else axis
    wide = c.reshape(index, (*index.shape[:at], 1, *index.shape[at:]))
    classes = np.arange(count, dtype=np.int32).reshape((count, *[1] * (rank - 1 - at)))
    return c("where", c("eq", wide, c.constant(classes)), on, off)


TABLE: Table = {
    "MatMul": matmul,
    "BatchMatMul": batch_matmul,
    "BatchMatMulV2": batch_matmul,
    "BatchMatMulV3": batch_matmul,
    "Einsum": einstein_sum,
    "Conv2D": convolution,
    "DepthwiseConv2dNative": depthwise,
    "Conv2DBackpropInput": transposed,
    "MaxPool": pool("max_pool2d"),
    "AvgPool": pool("avg_pool2d"),
    "FusedBatchNorm": batch_norm,
    "FusedBatchNormV2": batch_norm,
    "FusedBatchNormV3": batch_norm,
    "Sum": reduction("reduce_sum"),
    "Mean": reduction("reduce_mean", integers=False),
    "Max": reduction("reduce_max"),
    "Min": reduction("reduce_min"),
    "Prod": reduction("reduce_prod", integers=False),
    "All": lambda c, x, axes: reduction("reduce_min")(c, c.value(x, "f32"), axes),
    "Any": lambda c, x, axes: reduction("reduce_max")(c, c.value(x, "f32"), axes),
    "Softmax": softmax("softmax"),
    "LogSoftmax": softmax("log_softmax"),
    "GatherV2": gather_along,
    "Gather": gather,
    "GatherNd": gather_nd,
    "TopKV2": top_k,
    "Cumsum": running_sum,
    "ArgMax": argmax,
    "ArgMin": argmin,
    "OneHot": one_hot,
}
