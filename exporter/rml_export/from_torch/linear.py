"""Matrix products and linear layers."""

import torch

from rml_export.from_torch.call import Call, Operand, Table, shape_of
from rml_export.from_torch.constants import Constant, storage_key
from rml_export.from_torch.trace import aten
from rml_export.graph import Value


def linear(c: Call, x: Operand, weight: Operand, bias: Operand | None = None) -> Value:
    """x @ weight.T + bias. A weight is stored transposed, unless something else reads it as it is (tied weights)."""
    result = c.op("matmul", c.f32(x), transposed(c, weight))
    return result if bias is None else c.op("add", result, c.f32(bias))


def transposed(c: Call, weight: Operand) -> Value:
    """weight.T; a 1-D weight is itself."""
    if len(shape_of(weight)) < 2:
        return c.f32(weight)
    if isinstance(weight, Constant) and weight.name and storage_key(weight.tensor) not in c.tied:
        return c.f32(Constant(weight.tensor.T, f"{weight.name}.T"))
    return c.op("transpose", c.f32(weight), perm=(1, 0), fold=not isinstance(weight, Constant))


def matmul(c: Call, a: Operand, b: Operand) -> Value:
    return c.op("matmul", c.f32(a), c.f32(b))


def add_product(c: Call, bias: Operand, a: Operand, b: Operand, *, beta: float = 1, alpha: float = 1) -> Value:
    """addmm, baddbmm, addmv: beta * bias + alpha * (a @ b). With beta = 0 the bias is not read, NaN or not."""
    product = matmul(c, a, b)
    product = product if alpha == 1 else c.op("mul", product, c.f32(float(alpha)))
    if beta == 0:
        return product
    scaled = c.f32(bias) if beta == 1 else c.op("mul", c.f32(bias), c.f32(float(beta)))
    return c.op("add", product, scaled)


def integers_refused(lower):
    """torch multiplies integer matrices too; rml-graph does not."""

    def checked(c: Call, *args: Operand, **options: float) -> Value:
        if c.meta.dtype != torch.bool and not c.meta.dtype.is_floating_point:
            raise c.refuse("matrix products of integers")
        return lower(c, *args, **options)

    return checked


TABLE: Table = {
    aten.linear.default: integers_refused(linear),
    **dict.fromkeys(
        (aten.matmul.default, aten.mm.default, aten.bmm.default, aten.mv.default, aten.dot.default),
        integers_refused(matmul),
    ),
    **dict.fromkeys((aten.addmm.default, aten.baddbmm.default, aten.addmv.default), integers_refused(add_product)),
}
