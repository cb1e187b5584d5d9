"""Every operator that has a lowering against ONNX Runtime, special values included."""

import numpy as np
import pytest
from rml_export.graph import count_by_op

from tests.exporter.comparing import SPECIAL, integers, numbers
from tests.exporter.from_onnx.lower import check

UNARY = ("Neg", "Abs", "Exp", "Log", "Sqrt", "Reciprocal", "Sin", "Cos", "Tan", "Tanh", "Sigmoid", "Erf", "Relu")
UNARY += ("Floor", "Ceil", "Round", "Sign")


@pytest.mark.parametrize("op", UNARY)
def test_unary(op):
    values = SPECIAL[np.isfinite(SPECIAL)] if op in ("Sin", "Cos", "Tan") else SPECIAL
    check(f"y = {op} (x)", {"x": np.concatenate([values, numbers(20)])})


X, W = numbers(2, 3, 4), numbers(3, 1, seed=1)
I = integers(2, 3, 4)  # noqa: E741
ELEMENTWISE = {
    "binary": "a = Add (x, w)\nb = Sub (a, x)\nc = Mul (b, x)\ny = Div (c, w)",
    "rest": "a = Mod <fmod = 1> (x, w)\ny = Neg (a)",
    "identity": "a = Identity (x)\ny = Neg (a)",
    "variadic": "a = Max (x, w, x)\nb = Min (a, w)\nc = Sum (a, b, w)\ny = Mean (c, x)",
    "one_of_many": "a = Max (x)\ny = Add (a, w)",
    "logic": "a = Greater (x, w)\nb = Less (x, w)\nc = Or (a, b)\nd = And (a, c)\ne = Xor (d, b)\ny = Not (e)",
    "compare": "a = GreaterOrEqual (x, w)\nb = LessOrEqual (x, w)\nc = Equal (a, b)\ny = Where (c, x, w)",
    "square": "two = Constant <value_float = 2.0> ()\ny = Pow (x, two)",
    "wide_exponent": "n = Constant <value_int = 3> ()\ny = Pow (x, n)",
    "power": "a = Abs (x)\ny = Pow (a, w)",
    "clip": "lo = Constant <value_float = -0.5> ()\nhi = Constant <value_float = 0.5> ()\ny = Clip (x, lo, hi)",
    "clip_below": "lo = Constant <value_float = -0.5> ()\ny = Clip (x, lo)",
    "clip_above": "hi = Constant <value_float = 0.5> ()\ny = Clip (x, , hi)",
    "clip_by_nothing": "y = Clip (x)",
    "clip_by_inputs": "lo = ReduceMean <keepdims = 0> (x)\ny = Clip (x, lo)",
    "cast": "a = Cast <to = 7> (x)\nb = Cast <to = 9> (a)\ny = Cast <to = 1> (b)",
    "cast_like": "a = Cast <to = 6> (x)\ny = CastLike (a, w)",
    "double": "a = Cast <to = 11> (x)\nb = Exp (a)\ny = Cast <to = 1> (b)",
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(name):
    check(ELEMENTWISE[name], {"x": X}, {"w": W})


def test_dropout_drops_nothing():
    check("a = Dropout (x)\ny = Neg (a)", {"x": X})
    check("a, m = Dropout <seed = 3> (x)\nf = Cast <to = 1> (m)\ny = Add (a, f)", {"x": X}, opset=13)


def test_clip_by_infinity():
    check("y = Clip (x, lo, hi)", {"x": SPECIAL}, {"lo": np.float32(-np.inf), "hi": np.float32(2)})


@pytest.mark.parametrize("signs", ["", "<detect_negative = 0>", "<detect_positive = 0>"])
def test_what_is_no_number(signs):
    check(f"a = IsInf {signs} (x)\nb = IsNaN (x)\ny = Or (a, b)", {"x": SPECIAL})


INTEGER = {
    "arithmetic": "a = Add (x, w)\nb = Mul (a, x)\nc = Sub (b, w)\ny = Div (c, w)",
    "compare": "a = Less (x, w)\nb = Equal (x, w)\nc = Or (a, b)\ny = Where (c, x, w)",
    "extremes": "a = Max (x, w)\nb = Min (x, a)\nc = Abs (b)\ny = Neg (c)",
    "clip": "lo = CastLike (zero, x)\ny = Clip (x, lo)",
    "square": "n = Constant <value_int = 2> ()\ny = Pow (x, n)",
    "rest": "a = Mod (x, w)\nb = Mod <fmod = 1> (x, w)\nc = Sign (x)\nd = Add (a, c)\ny = Sub (d, b)",
    "powers": "n = Constant <value_ints = [0, 1, 5, 6]> ()\ny = Pow (x, n)",
    "sums": "a = ReduceSum <keepdims = 0> (x)\nb = ReduceMax <keepdims = 0> (x)\ny = Sub (a, b)",
}


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("name", INTEGER)
def test_integers(name, dtype):
    w = np.array([[2], [-3], [5]], dtype)
    check(INTEGER[name], {"x": I.astype(dtype)}, {"w": w, "zero": np.int64(0)})


S = numbers(2, 3, 4, 5)
SHAPES = {
    "reshape": "s = Constant <value_ints = [0, -1, 2]> ()\ny = Reshape (x, s)",
    "reshape_by_arithmetic": (
        "s = Shape (x)\nn = Gather <axis = 0> (s, zero)\na = Unsqueeze (n, at)\nm = Constant <value_ints = [-1]> ()\n"
        "t = Concat <axis = 0> (a, m)\ny = Reshape (x, t)"
    ),
    "shape_of_the_middle": "s = Shape <start = 1, end = 3> (x)\nn = Size (x)\na = Div (n, s)\ny = Mul (a, s)",
    "flatten": "y = Flatten <axis = 2> (x)",
    "flatten_from_the_end": "y = Flatten <axis = -1> (x)",
    "transpose": "y = Transpose <perm = [0, 2, 3, 1]> (x)",
    "reverse_axes": "y = Transpose (x)",
    "squeeze": "a = Slice (x, zeros, ones, ones)\ny = Squeeze (a)",
    "squeeze_one": "a = Slice (x, zeros, ones, ones)\ny = Squeeze (a, one_axis)",
    "unsqueeze": "y = Unsqueeze (x, both)",
    "expand": "a = ReduceMax <keepdims = 1> (x)\ns = Shape (x)\ny = Expand (a, s)",
    "expand_keeps": "s = Constant <value_ints = [7, 1, 1, 4, 1]> ()\ny = Expand (x, s)",
    "tile": "t = Constant <value_ints = [1, 2, 1, 3]> ()\ny = Tile (x, t)",
    "concat": "a = Neg (x)\ny = Concat <axis = -1> (x, a, x)",
    "slice": "s = Constant <value_ints = [1, -3]> ()\ne = Constant <value_ints = [100, 9223372036854775807]> ()\n"
    "a = Constant <value_ints = [1, -1]> ()\ny = Slice (x, s, e, a)",
    "slice_backwards": "s = Constant <value_ints = [-1, 2]> ()\n"
    "e = Constant <value_ints = [-9223372036854775807, 0]> ()\n"
    "a = Constant <value_ints = [3, 2]> ()\nb = Constant <value_ints = [-2, -1]> ()\ny = Slice (x, s, e, a, b)",
    "split": "s = Constant <value_ints = [1, 3]> ()\ny, b = Split <axis = 2> (x, s)",
    "split_by_number": "y, b, c = Split <axis = 3, num_outputs = 3> (x)",
    "pad": "p = Constant <value_ints = [0, 1, 0, 2, 0, 0, 3, 0]> ()\ny = Pad (x, p)",
    "pad_and_cut": "p = Constant <value_ints = [1, -1, 0, 2]> ()\nv = Constant <value_float = 1.5> ()\n"
    "a = Constant <value_ints = [1, -1]> ()\ny = Pad (x, p, v, a)",
    "reflect": 'p = Constant <value_ints = [0, 1, 0, 2, 0, 0, 3, 0]> ()\ny = Pad <mode = "reflect"> (x, p)',
    "edge": 'p = Constant <value_ints = [0, 1, 0, 2, 0, 0, 3, 0]> ()\ny = Pad <mode = "edge"> (x, p)',
    "wrap": 'p = Constant <value_ints = [0, 1, 0, 2, 0, 0, 3, 0]> ()\ny = Pad <mode = "wrap"> (x, p)',
    "pad_nothing": "p = Constant <value_ints = [0, 0, 0, 0, 0, 0, 0, 0]> ()\na = Pad (x, p)\ny = Neg (a)",
    "depth_to_space": "a = Constant <value_ints = [2, 12, 5, 1]> ()\nb = Reshape (x, a)\n"
    'c = DepthToSpace <blocksize = 2> (b)\ny = DepthToSpace <blocksize = 1, mode = "CRD"> (c)',
    "pixel_shuffle": "a = Constant <value_ints = [2, 12, 5, 1]> ()\nb = Reshape (x, a)\n"
    'y = DepthToSpace <blocksize = 2, mode = "CRD"> (b)',
    "space_to_depth": "a = Constant <value_ints = [3, 5, 4, 2]> ()\nb = Reshape (x, a)\n"
    "y = SpaceToDepth <blocksize = 2> (b)",
    "gather_one": "i = Constant <value_int = -2> ()\ny = Gather <axis = 2> (x, i)",
    "gather_run": "i = Constant <value_ints = [1, 2]> ()\ny = Gather <axis = -1> (x, i)",
    "gather_some": "i = Constant <value_ints = [2, 0, -1]> ()\ny = Gather <axis = 1> (x, i)",
    "zeros_of_shape": "s = Shape (x)\na = ConstantOfShape (s)\ny = Add (a, x)",
    "eye": "a = Slice (x, zeros, ones, ones)\nb = Squeeze (a, one_axis)\nc = Slice (b, zero_one, ones_one)\n"
    "d = Squeeze (c, zero_one)\ny = EyeLike <k = 1> (d)",
    "range": "s = Shape <start = 3> (x)\nn = Squeeze (s)\none = Constant <value_int = 1> ()\n"
    "r = Range (zero, n, one)\nf = CastLike (r, x)\ny = Mul (x, f)",
}
INDEX = {"zero": np.int64(0), "at": np.array([0]), "zeros": np.array([0, 0]), "ones": np.array([1, 2])}
INDEX |= {"zero_one": np.array([0]), "ones_one": np.array([1]), "both": np.array([1, -1]), "one_axis": np.array([1])}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    check(SHAPES[name], {"x": S}, INDEX)


def test_all_parts_of_a_split():
    check("a, b = Split <axis = 1> (x)", {"x": numbers(2, 4)}, outputs=("a", "b"), opset=13)
    check("a, b, c = Split <axis = 1, num_outputs = 3> (x)", {"x": numbers(2, 7)}, outputs=("a", "b", "c"))


def test_an_embedding_wraps_negative_ids():
    export = check("y = Gather (w, i)", {"i": integers(2, 3, low=-6, high=6)}, {"w": numbers(6, 4)})
    assert count_by_op(export.graph) == {"gather": 1}


REDUCTIONS = ("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "SumSquare", "LogSum", "LogSumExp")


@pytest.mark.parametrize("op", REDUCTIONS)
def test_reductions(op):
    x = numbers(2, 3, 4, low=0.1) if op == "LogSum" else X
    check(f"y = Reduce{op} (x, a)", {"x": x}, {"a": np.array([-1, 1])})
    check(f"y = Reduce{op} <keepdims = 0> (x, a)", {"x": x}, {"a": np.array([2, 0])})
    check(f"y = Reduce{op} (x)", {"x": x})
    check(f"y = Reduce{op} <axes = [1], keepdims = 0> (x)", {"x": x}, opset=11)
    if op in ("Sum", "Mean", "Max", "Min", "Prod"):  # the reference leaves the others' functions out
        check(f"a = Reduce{op} <noop_with_empty_axes = 1> (x)\ny = Neg (a)", {"x": x})


def test_log_sum_exp_of_large_and_infinite_elements():
    x = np.array([[1000, 999], [-1000, -1001], [-np.inf, -np.inf], [np.inf, 0]], np.float32)
    check("y = ReduceLogSumExp (x, a)", {"x": x[:2] / 20}, {"a": np.array([1])})
    export = check("y = ReduceLogSumExp (x, a)", {"x": x[2:]}, {"a": np.array([1])})
    assert export.outputs[0].reshape(-1).tolist() == [-np.inf, np.inf]


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax"])
@pytest.mark.parametrize(("axis", "opset"), [("", 13), ("<axis = 1>", 13), ("", 11), ("<axis = 2>", 11)])
def test_softmax(op, axis, opset):
    check(f"y = {op} {axis} (x)", {"x": X}, opset=opset)


OLD = {
    "squeeze": "a = Unsqueeze <axes = [0, 2]> (x)\nb = Squeeze <axes = [2]> (a)\ny = Neg (b)",
    "clip": "y = Clip <min = -1.0, max = 0.5> (x)",
    "pad": "y = Pad <pads = [0, 1, 0, 0, 0, 2], value = 3.0> (x)",
    "split": "y, b = Split <axis = 2, split = [1, 3]> (x)",
    "slice": "y = Slice <axes = [2], starts = [1], ends = [-1]> (x)",
}


@pytest.mark.parametrize("name", OLD)
def test_attributes_that_became_inputs(name):
    check(OLD[name], {"x": X}, opset=9)


PRODUCTS = {
    "matrices": ("y = MatMul (x, w)", (3, 4), (4, 5)),
    "batched": ("y = MatMul (x, w)", (2, 3, 4), (2, 4, 5)),
    "broadcast": ("y = MatMul (x, w)", (2, 3, 4), (4, 5)),
    "gemm": ("y = Gemm (x, w)", (3, 4), (4, 5)),
    "transposed": ("y = Gemm <transA = 1, transB = 1, alpha = 0.5> (x, w)", (4, 3), (5, 4)),
}


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("is_constant", [True, False])
def test_products(name, is_constant):
    line, a, b = PRODUCTS[name]
    w = {"w": numbers(*b, seed=1)}
    check(line, {"x": numbers(*a), **({} if is_constant else w)}, w if is_constant else None)


EINSUMS = {
    "matrix": ("ij,jk->ik", (3, 4), (4, 5)),
    "heads": ("bqhd,bkhd->bhqk", (2, 3, 4, 5), (2, 6, 4, 5)),
    "transposed": ("abc->cab", (2, 3, 4)),
    "total": ("ab->", (2, 3)),
    "rows": ("ab->a", (2, 3)),
    "diagonal": ("aa->a", (3, 3)),
    "trace_of_each": ("abca->bc", (3, 2, 4, 3)),
    "outer": ("a,b->ab", (3,), (4,)),
    "elements": ("ab,ba->ab", (3, 4), (4, 3)),
    "lone_sums": ("ab,cd->ac", (2, 3), (4, 5)),
    "three": ("ab,bc,cd->ad", (2, 3), (3, 4), (4, 5)),
    "kept_for_later": ("ab,ab,ac->bc", (2, 3), (2, 3), (2, 4)),
    "ellipsis": ("...ij,...jk->...ik", (2, 3, 4), (1, 4, 5)),
    "ellipsis_of_one": ("...ij,jk->...ik", (2, 6, 3, 4), (4, 5)),
    "no_arrow": ("ba,bc", (3, 2), (3, 4)),
    "inner": ("i,i", (4,), (4,)),
}


@pytest.mark.parametrize("name", EINSUMS)
def test_einsum(name):
    equation, *shapes = EINSUMS[name]
    inputs = {f"x{i}": numbers(*shape, seed=i) for i, shape in enumerate(shapes)}
    check(f'y = Einsum <equation = "{equation}"> ({", ".join(inputs)})', inputs)


@pytest.mark.parametrize("beta", [1.0, 0.5, 0.0])
def test_gemm_adds(beta):
    check(f"y = Gemm <beta = {beta}> (x, w, b)", {"x": numbers(3, 4)}, {"w": numbers(4, 5), "b": numbers(5)})


CONVOLUTIONS = {
    "plain": ("", (2, 3, 8, 9), (4, 3, 3, 2)),
    "pads": ("<pads = [1, 2, 0, 1], strides = [2, 1]>", (2, 3, 8, 9), (4, 3, 3, 2)),
    "same_upper": ('<auto_pad = "SAME_UPPER", strides = [2, 2]>', (2, 3, 8, 9), (4, 3, 3, 2)),
    "same_lower": ('<auto_pad = "SAME_LOWER", strides = [2, 2]>', (2, 3, 8, 9), (4, 3, 3, 2)),
    "valid": ('<auto_pad = "VALID">', (2, 3, 8, 9), (4, 3, 3, 2)),
    "dilated": ("<dilations = [2, 3]>", (2, 3, 8, 9), (4, 3, 3, 2)),
    "groups": ("<group = 2, kernel_shape = [3, 3]>", (2, 4, 8, 9), (6, 2, 3, 3)),
    "depthwise": ("<group = 4>", (2, 4, 8, 9), (8, 1, 3, 3)),
    "line": ("<pads = [1, 2], strides = [2], dilations = [2]>", (2, 3, 9), (4, 3, 3)),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name):
    attributes, x, w = CONVOLUTIONS[name]
    given = {"w": numbers(*w, seed=1), "b": numbers(w[0], seed=2)}
    check(f"y = Conv {attributes} (x, w, b)", {"x": numbers(*x)}, given)
    check(f"y = Conv {attributes} (x, w)", {"x": numbers(*x)}, given)
