"""Products of matrices."""

from rml_export.from_onnx.call import Call, Operand, Table
from rml_export.graph import Value
from rml_export.xla_ops import einsum, transpose


def matmul(c: Call, a: Operand, b: Operand) -> Value:
    return c("matmul", c.floats(a, "products"), c.floats(b, "products"))


def gemm(c: Call, a: Operand, b: Operand, bias: Operand | None = None) -> Value:
    """alpha A B + beta C; a factor of a constant is folded into it."""
    left, right = c.floats(a, "products"), c.floats(b, "products")
    left = transpose(c, left, (1, 0)) if c.attr("transA", 0) else left
    right = transpose(c, right, (1, 0)) if c.attr("transB", 0) else right
    alpha, beta = c.attr("alpha", 1.0), c.attr("beta", 1.0)
    if alpha != 1.0 and right.is_constant:
        right, alpha = c("mul", right, c.number(alpha)), 1.0
    product = c("matmul", left, right)
    if alpha != 1.0:
        product = c("mul", product, c.number(alpha))
    if bias is None or beta == 0.0:
        return product
    added = c.floats(bias, "products")
    return c("add", product, added if beta == 1.0 else c("mul", added, c.number(beta)))


def einstein_sum(c: Call, *inputs: Operand) -> Value:
    return einsum(c, c.attr("equation"), [c.floats(item, "products") for item in inputs])


TABLE: Table = {"MatMul": matmul, "Gemm": gemm, "Einsum": einstein_sum}
