"""Convolutions and transposed ones over one, two or three axes."""

from rml_export.from_onnx import volumes
from rml_export.from_onnx.call import Call, Operand, Table
from rml_export.from_onnx.windows import Window, flat_window, image, image_back, spatial
from rml_export.graph import Value


def convolution(c: Call, x: Operand, w: Operand, bias: Operand | None = None) -> Value:
    value, weight, given = operands(c, x, w, bias)
    geometry = spatial(c, value.shape[2:], weight.shape[2:])
    if value.rank == 5:
        return volumes.convolution(c, value, weight, given, geometry)
    flat = flat_window(weight.shape[2:], *geometry)
    y = c("conv2d", image(c, value), image(c, weight), *given, **attributes(c, flat))
    return image_back(c, y, value.rank)


def operands(c: Call, x: Operand, w: Operand, bias: Operand | None) -> tuple[Value, Value, list[Value]]:
    value, weight = c.floats(x, "convolutions"), c.floats(w, "convolutions")
    kernel = c.attr("kernel_shape", list(weight.shape[2:]))
    if list(kernel) != list(weight.shape[2:]):
        raise c.refuse(f"kernel_shape {list(kernel)} with weights of {list(weight.shape)}")
    if value.rank not in (3, 4, 5):
        raise c.refuse(f"over {value.rank - 2} spatial axes; rml-graph has windows over one to three")
    return value, weight, [c.floats(bias, "convolutions")] if bias is not None else []


def attributes(c: Call, flat: Window) -> dict:
    return {"strides": flat.strides, "pads": flat.pads, "dilations": flat.dilations, "groups": c.attr("group", 1)}


def transposed(c: Call, x: Operand, w: Operand, bias: Operand | None = None) -> Value:
    value, weight, given = operands(c, x, w, bias)
    size, kernel = value.shape[2:], weight.shape[2:]
    dims = len(size)
    strides, dilations = list(c.attr("strides", [1] * dims)), list(c.attr("dilations", [1] * dims))
    output_pads = list(c.attr("output_padding", [0] * dims))
    whole = [
        (n - 1) * stride + dilation * (k - 1) + 1 + extra
        for n, stride, dilation, k, extra in zip(size, strides, dilations, kernel, output_pads, strict=True)
    ]
    pads = transposed_pads(c, size, strides, whole)
    for axis in range(dims):  # a shape beyond the whole is filled up at the end
        output_pads[axis] += max(-pads[axis + dims], 0)
        pads[axis + dims] = max(pads[axis + dims], 0)
    if value.rank == 5:
        return volumes.transposed(c, value, weight, given, (strides, dilations, pads), output_pads)
    flat = flat_window(kernel, strides, dilations, pads)
    extra = (0, *output_pads) if dims == 1 else tuple(output_pads)
    y = c("conv_transpose2d", image(c, value), image(c, weight), *given, **attributes(c, flat), output_pads=extra)
    return image_back(c, y, value.rank)


def transposed_pads(c: Call, size: tuple[int, ...], strides: list[int], whole: list[int]) -> list[int]:
    """What is cut off the whole result: given, or what the wanted shape leaves over; negative if it is too small."""
    dims, auto = len(size), c.attr("auto_pad", "NOTSET")
    pads, wanted = list(c.attr("pads", [0] * 2 * dims)), c.attr("output_shape")
    if wanted is None and auto in ("NOTSET", "VALID"):
        return pads if auto == "NOTSET" else [0] * 2 * dims
    if wanted is None:
        wanted = [n * stride for n, stride in zip(size, strides, strict=True)]
    total = [full - new for full, new in zip(whole, wanted[-dims:], strict=True)]
    if min(total) < 0:
        return [*(max(n, 0) // 2 for n in total), *(n - max(n, 0) // 2 for n in total)]
    small, large = [n // 2 for n in total], [n - n // 2 for n in total]
    return [*small, *large] if auto == "SAME_UPPER" else [*large, *small]


TABLE: Table = {"Conv": convolution, "ConvTranspose": transposed}
