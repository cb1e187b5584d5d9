"""Convolutions over one or two axes."""

from rml_export.from_onnx.call import Call, Operand, Table
from rml_export.from_onnx.windows import image, image_back, window
from rml_export.graph import Value


def convolution(c: Call, x: Operand, w: Operand, bias: Operand | None = None) -> Value:
    value, weight = c.floats(x, "convolutions"), c.floats(w, "convolutions")
    kernel = c.attr("kernel_shape", list(weight.shape[2:]))
    if list(kernel) != list(weight.shape[2:]):
        raise c.refuse(f"kernel_shape {list(kernel)} with weights of {list(weight.shape)}")
    shape = window(c, value.shape[2:], kernel)
    given = [c.floats(bias, "convolutions")] if bias is not None else []
    y = c(
        "conv2d",
        image(c, value),
        image(c, weight),
        *given,
        strides=shape.strides,
        pads=shape.pads,
        dilations=shape.dilations,
        groups=c.attr("group", 1),
    )
    return image_back(c, y, value.rank)


TABLE: Table = {"Conv": convolution}
