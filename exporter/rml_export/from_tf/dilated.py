"""Dilated convolutions, which TensorFlow writes as SpaceToBatchND, Conv2D, BatchToSpaceND.

1-D ones have an ExpandDims before their Conv2D and a Squeeze behind it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rml_export.from_tf.call import Call, Operand
from rml_export.graph import Value
from rml_export.xla_ops import transpose


@dataclass(frozen=True)
class Dilated:
    """The operations of one dilated convolution. between: those of a 1-D one around its Conv2D."""

    space_to_batch: Any
    convolution: Any
    batch_to_space: Any
    between: tuple[Any, ...] = ()


def find_dilated(operations: Sequence[Any]) -> dict[str, Dilated]:
    """By the name of the BatchToSpaceND that ends it. Nothing else may read what is in between: it is not computed."""
    found = {}
    for operation in operations:
        if operation.type != "BatchToSpaceND":
            continue
        squeeze = operation.inputs[0].op
        inner = squeeze.inputs[0].op if squeeze.type == "Squeeze" else squeeze
        if inner.type not in ("Conv2D", "DepthwiseConv2dNative"):
            continue
        expand = inner.inputs[0].op
        is_line = inner is not squeeze and expand.type == "ExpandDims" and expand.outputs[0].shape[1] == 1
        outer = expand.inputs[0].op if is_line else expand
        if outer.type != "SpaceToBatchND" or is_line != (inner is not squeeze):
            continue
        insides = {outer, inner, *((expand, squeeze) if is_line else ())}
        if all(len(inside.outputs[0].consumers()) == 1 for inside in insides):
            found[operation.name] = Dilated(outer, inner, operation, (expand, squeeze) if is_line else ())
    return found


def parts(found: Mapping[str, Dilated]) -> set[str]:
    """Names of the operations that the last one of each pattern covers."""
    return {
        operation.name
        for item in found.values()
        for operation in (item.space_to_batch, item.convolution, *item.between)
    }


def lower_dilated(c: Call, found: Dilated, known: Mapping[str, Operand]) -> Value:
    """One conv2d: the paddings minus the crops are those of the whole."""
    first, conv, last = found.space_to_batch, found.convolution, found.batch_to_space
    block = c.known(known[first.inputs[1].name], "a block").tolist()
    pads = c.known(known[first.inputs[2].name], "a padding")
    crops = c.known(known[last.inputs[2].name], "a crop")
    inner = Call(c.builder, c.pool, conv, "")
    dims = 1 if found.between else 2
    if len(block) != dims or inner.attr("padding") != "VALID" or inner.attr("data_format") != "NHWC":
        raise c.refuse("a convolution in space-to-batch form that is no dilated one")
    if list(inner.attr("strides")) != [1, 1, 1, 1]:
        raise c.refuse("a dilated convolution with strides")
    net = (pads - crops).tolist()
    if min(min(pair) for pair in net) < 0:
        raise c.refuse("a dilated convolution that crops more than it pads")
    x = c.value(known[first.inputs[0].name], "f32")
    if dims == 1:  # a row of height 1
        x, block, net = c.reshape(x, (x.shape[0], 1, *x.shape[1:])), [1, *block], [[0, 0], *net]
    x = transpose(c, x, (0, 3, 1, 2))
    w = c.value(known[conv.inputs[1].name], "f32")
    if conv.type == "Conv2D":
        kernel = transpose(c, w, (3, 2, 0, 1))
        groups = x.shape[1] // kernel.shape[1]
    else:
        H, W, groups, M = w.shape
        kernel = c.reshape(transpose(c, w, (2, 3, 0, 1)), (groups * M, 1, H, W))
    (top, bottom), (left, right) = net
    y = c("conv2d", x, kernel, pads=(top, left, bottom, right), dilations=tuple(block), groups=groups)
    y = transpose(c, y, (0, 2, 3, 1))
    return c.reshape(y, (y.shape[0], *y.shape[2:])) if dims == 1 else y
