"""The reference ops' special cases: what torch tables do not reach. Tables of (op, inputs, attrs, outputs)."""

import re
from pathlib import Path

import numpy as np
import pytest
from rml_export.op_table import OPS
from rml_export.reference import REFERENCE, run_reference

NAN, INF = np.nan, np.inf
I32_MIN, I32_MAX = -(2**31), 2**31 - 1
POOL = {"kernel": (3, 3), "strides": (2, 2), "pads": (1, 1, 1, 1)}
RUNNING = {"axis": 0, "exclusive": False, "reverse": False}
GRID = np.arange(16.0).reshape(1, 1, 4, 4)


def f(*values):
    return np.array(values, np.float32)


def i(*values):
    return np.array(values, np.int32)


CASES = {
    "relu keeps NaN": ("relu", [f(NAN, -1, 2)], {}, f(NAN, 0, 2)),
    "i32 neg wraps": ("neg", [i(I32_MIN)], {}, i(I32_MIN)),
    "i32 add wraps": ("add", [i(I32_MAX), i(1)], {}, i(I32_MIN)),
    "i32 mul wraps": ("mul", [i(65536), i(65536)], {}, i(0)),
    "i32 div truncates": ("div", [i(-7, 8, 7, -7), i(2, -3, 2, -2)], {}, i(-3, -2, 3, 3)),
    "i32 div traps never": ("div", [i(5, 0, I32_MIN), i(0, 0, -1)], {}, i(-1, -1, I32_MIN)),
    "maximum takes NaN of either": ("maximum", [f(NAN, 1), f(1, NAN)], {}, f(NAN, NAN)),
    "minimum takes NaN of either": ("minimum", [f(NAN, 1), f(1, NAN)], {}, f(NAN, NAN)),
    "pow": ("pow", [f(-2, -2, NAN, 0), f(3, 0.5, 0, 0)], {}, f(-8, NAN, 1, 1)),
    "comparisons of NaN": ("le", [f(NAN, 1), f(NAN, 1)], {}, f(0, 1)),
    "only ne is true of NaN": ("ne", [f(NAN, 1), f(NAN, 1)], {}, f(1, 0)),
    "where does not leak": ("where", [f(1, 0), f(1, NAN), f(INF, 2)], {}, f(1, 2)),
    "where takes NaN as true": ("where", [f(NAN), f(1), f(2)], {}, f(1)),
    "clamp with min > max": ("clamp", [f(0, 9)], {"min": 5.0, "max": 1.0}, f(1, 1)),
    "clamp keeps NaN": ("clamp", [f(NAN)], {"min": 0.0}, f(NAN)),
    "cast truncates and saturates": (
        "cast",
        [f(2.9, -2.9, NAN, INF, -INF, 3e9)],
        {"to": "i32"},
        i(2, -2, 0, I32_MAX, I32_MIN, I32_MAX),
    ),
    "sign keeps NaN": ("sign", [f(NAN, -2, INF, 0)], {}, f(NAN, -1, 1, 0)),
    "sign of i32": ("sign", [i(I32_MIN, 0, 9)], {}, i(-1, 0, 1)),
    "round_even: ties go to even": ("round_even", [f(0.5, 1.5, 2.5, -2.5)], {}, f(0, 2, 2, -2)),
    "expm1 near 0": ("expm1", [f(1e-7, -INF)], {}, f(1.00000005e-7, -1)),
    "log1p near 0": ("log1p", [f(1e-7, -1, -2)], {}, f(0.99999995e-7, -INF, NAN)),
    "erfc keeps its tail": ("erfc", [f(9, -9)], {}, f(4.1370317e-37, 2)),
    "remainder: the sign of a": ("remainder", [f(7, -7, 3e38), f(-3, 3, 1.5e-30)], {}, f(1, -1, 1.1401355e-31)),
    "remainder of infinities": ("remainder", [f(INF, -3, 1), f(1, INF, 0)], {}, f(NAN, -3, NAN)),
    "i32 remainder traps never": ("remainder", [i(-7, 5, I32_MIN), i(2, 0, -1)], {}, i(-1, 5, 0)),
    "floor_div: of the exact quotient": ("floor_div", [f(1, -1, 7), f(0.1, 0.1, -2)], {}, f(9, -10, -4)),
    "floor_div of infinities": (
        "floor_div",
        [f(INF, -3, 3, 1, -1, 0), f(1, INF, INF, 0, 0, 0)],
        {},
        f(NAN, -1, 0, INF, -INF, NAN),
    ),
    "i32 floor_div traps never": ("floor_div", [i(-7, 7, 5, I32_MIN), i(2, -2, 0, -1)], {}, i(-4, -4, -1, I32_MIN)),
    "sigmoid saturates": ("sigmoid", [f(20, 1000, -1000)], {}, f(1, 1, 0)),
    "sigmoid keeps its tail": ("sigmoid", [f(-18)], {}, f(1.523e-8)),
    "gelu keeps its tail": ("gelu", [f(-5, -8)], {"approximate": "none"}, f(-1.4332581e-6, -4.9767785e-15)),
    "gelu by tanh keeps its tail": ("gelu", [f(-5, -8)], {"approximate": "tanh"}, f(-2.2917962e-7, -3.1077829e-21)),
    "gelu of -inf": ("gelu", [f(-INF)], {"approximate": "none"}, f(NAN)),
    "softmax of all -inf": ("softmax", [f(-INF, -INF)], {"axis": 0}, f(NAN, NAN)),
    "softmax of large": ("softmax", [f(1e30, 1e30)], {"axis": 0}, f(0.5, 0.5)),
    "layer_norm of a constant row": ("layer_norm", [f(1234, 1234)], {"axes": (0,), "eps": 1e-5}, f(0, 0)),
    "layer_norm of 1e30": ("layer_norm", [f(1e30, -1e30)], {"axes": (0,), "eps": 1e-5}, f(1, -1)),
    "sum of nothing": ("reduce_sum", [np.zeros((2, 0), np.float32)], {"axes": (1,), "keep_dims": False}, f(0, 0)),
    "prod of nothing": ("reduce_prod", [np.zeros((1, 0), np.float32)], {"axes": (1,), "keep_dims": False}, f(1)),
    "max of nothing": ("reduce_max", [np.zeros((1, 0), np.float32)], {"axes": (1,), "keep_dims": False}, f(-INF)),
    "min of nothing, i32": ("reduce_min", [np.zeros((1, 0), np.int32)], {"axes": (1,), "keep_dims": False}, i(I32_MAX)),
    "mean of nothing": ("reduce_mean", [np.zeros((1, 0), np.float32)], {"axes": (1,), "keep_dims": False}, f(NAN)),
    "no axes": ("reduce_max", [f(1, 2)], {"axes": (), "keep_dims": False}, f(1, 2)),
    "argmax: the first of equals": ("argmax", [f(1, 2, 2)], {"axis": 0, "keep_dims": False}, np.int32(1)),
    "argmax: the first NaN wins": ("argmax", [f(INF, NAN, NAN)], {"axis": 0, "keep_dims": True}, i(1)),
    "argmin: the first NaN wins": ("argmin", [f(-INF, NAN, NAN)], {"axis": 0, "keep_dims": True}, i(1)),
    "argmin of zeros": ("argmin", [f(0.0, -0.0)], {"axis": 0, "keep_dims": True}, i(0)),
    "cumsum in f64": ("cumsum", [f(2**24, 1, 1, 1, -(2**24))], RUNNING, f(2**24, 2**24, 2**24 + 2, 2**24 + 4, 3)),
    "cumsum, exclusive": ("cumsum", [f(1, 2, 3)], {**RUNNING, "exclusive": True}, f(0, 1, 3)),
    "cumsum, reverse": ("cumsum", [f(1, 2, 3)], {**RUNNING, "reverse": True}, f(6, 5, 3)),
    "cumsum, both": ("cumsum", [f(1, 2, 3)], {"axis": 0, "exclusive": True, "reverse": True}, f(5, 3, 0)),
    "cumsum of i32 wraps": ("cumsum", [i(I32_MAX, 1, 1)], RUNNING, i(I32_MAX, I32_MIN, I32_MIN + 1)),
    "cumsum of nothing": ("cumsum", [f()], {**RUNNING, "exclusive": True}, f()),
    "i32 sum wraps": ("reduce_sum", [i(I32_MAX, 1)], {"axes": (0,), "keep_dims": False}, np.int32(I32_MIN)),
    "max of NaN": ("reduce_max", [f(1, NAN, 2)], {"axes": (0,), "keep_dims": False}, np.float32(NAN)),
    "matmul with K = 0": ("matmul", [np.zeros((1, 0), np.float32), np.zeros((0, 2), np.float32)], {}, f(0, 0)[None]),
    "avg_pool, ceil and pads": (
        "avg_pool2d",
        [np.arange(1, 17, dtype=np.float32).reshape(1, 1, 4, 4)],
        {**POOL, "count_include_pad": True, "ceil_mode": True},
        f(1.5555556, 3.3333333, 2, 6.3333335, 11, 6, 4.5, 7.5, 4).reshape(1, 1, 3, 3),
    ),
    "max_pool pads with -inf": (
        "max_pool2d",
        [-np.ones((1, 1, 2, 2), np.float32)],
        {**POOL, "dilations": (1, 1), "ceil_mode": False},
        -np.ones((1, 1, 1, 1), np.float32),
    ),
    "gather clamps": (
        "gather",
        [f(10, 20, 30), i(-5, 0, 2, 100)],
        {"axis": 0, "mode": "clamp", "wrap": False},
        f(10, 10, 30, 30),
    ),
    "gather fills": ("gather", [f(10, 20), i(-1, 1, 2)], {"axis": 0, "mode": "fill", "wrap": False}, f(NAN, 20, NAN)),
    "gather fills i32": ("gather", [i(10, 20), i(5)], {"axis": 0, "mode": "fill", "wrap": True}, i(I32_MIN)),
    "gather wraps": ("gather", [f(10, 20), i(-1, -2)], {"axis": 0, "mode": "error", "wrap": True}, f(20, 10)),
    "elements by index": (
        "gather_elements",
        [f(10, 11, 20, 21).reshape(2, 2), i(1, -1, 0).reshape(1, 3)],
        {"axis": 1, "mode": "error", "wrap": True},
        f(11, 11, 10).reshape(1, 3),
    ),
    "elements by clamped index": (
        "gather_elements",
        [i(10, 20), i(-9, 9)],
        {"axis": 0, "mode": "clamp", "wrap": False},
        i(10, 20),
    ),
    "elements of nothing are filled": (
        "gather_elements",
        [np.zeros((0, 2), np.float32), np.zeros((1, 2), np.int32)],
        {"axis": 0, "mode": "fill", "wrap": False},
        f(NAN, NAN)[None],
    ),
    "updates in ascending order": (
        "scatter_add",
        [f(0, 5).reshape(1, 2), i(0, 0, 0, 1).reshape(1, 4), f(2**25, -(2**25), 1, 1).reshape(1, 4)],
        {"axis": 1, "mode": "error", "wrap": False},
        f(1, 6).reshape(1, 2),
    ),
    "updates dropped outside": (
        "scatter_add",
        [i(1, I32_MAX), i(-1, 2, 1), i(7, 7, 1)],
        {"axis": 0, "mode": "drop", "wrap": False},
        i(1, I32_MIN),
    ),
    "updates down the columns, wrapped and clamped": (
        "scatter_add",
        [f(1, 2, 3, 4).reshape(2, 2), i(-1, 9, -1, -9).reshape(2, 2), f(10, 20, 30, 40).reshape(2, 2)],
        {"axis": 0, "mode": "clamp", "wrap": True},
        f(1, 42, 43, 24).reshape(2, 2),
    ),
    "slice from the end": (
        "slice",
        [f(0, 1, 2, 3)],
        {"axes": (0,), "starts": (-3,), "ends": (99,), "steps": (2,)},
        f(1, 3),
    ),
    "slice backwards through 0": (
        "slice",
        [f(0, 1, 2)],
        {"axes": (0,), "starts": (-1,), "ends": (-4,), "steps": (-1,)},
        f(2, 1, 0),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    op, inputs, attrs, want = CASES[name]
    (got,) = run_reference(op, inputs, attrs)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=2e-4)


SIGNS = {
    "relu": (f(-0.0, 0.0, -1), [True, False, False]),
    "sign": (f(-0.0, 0.0), [True, False]),
    "floor": (f(-0.0, 0.5), [True, False]),
    "ceil": (f(-0.0, -0.5, 0.0), [True, True, False]),
    "round_even": (f(-0.0, -0.5, 0.5), [True, True, False]),
    "expm1": (f(-0.0, 0.0), [True, False]),
    "log1p": (f(-0.0, 0.0), [True, False]),
}


@pytest.mark.parametrize("op", SIGNS)
def test_keeps_the_sign_of_zero(op):
    x, negative = SIGNS[op]
    (got,) = run_reference(op, [x], {})
    np.testing.assert_array_equal(got, np.zeros_like(x))
    np.testing.assert_array_equal(np.signbit(got), negative)


def test_conv2d_of_no_images():
    attrs = {"strides": (1, 1), "pads": (0, 0, 0, 0), "dilations": (1, 1), "groups": 1}
    x, weight = np.zeros((0, 2, 5, 4), np.float32), np.ones((3, 2, 2, 2), np.float32)
    assert run_reference("conv2d", [x, weight], attrs)[0].shape == (0, 3, 4, 3)


def test_conv2d_multiplies_padding_as_zeros():
    attrs = {"strides": (1, 1), "pads": (0, 0, 0, 1), "dilations": (1, 1), "groups": 1}
    (got,) = run_reference("conv2d", [f(1).reshape(1, 1, 1, 1), f(INF).reshape(1, 1, 1, 1)], attrs)
    np.testing.assert_array_equal(got.ravel(), [INF, NAN])


TRANSPOSED = {
    "default": ({}, {}),
    "kernel 4, stride 2, pad 1": ({"stride": 2, "padding": 1}, {"strides": (2, 2), "pads": (1, 1, 1, 1)}),
    "output pads": (
        {"stride": (3, 2), "padding": (1, 0), "output_padding": (2, 1)},
        {"strides": (3, 2), "pads": (1, 0, 1, 0), "output_pads": (2, 1)},
    ),
    "dilated": ({"stride": (2, 3), "dilation": (3, 2)}, {"strides": (2, 3), "dilations": (3, 2)}),
    "groups": ({"stride": 2, "groups": 2}, {"strides": (2, 2), "groups": 2}),
}
PLAIN = {"strides": (1, 1), "pads": (0, 0, 0, 0), "dilations": (1, 1), "groups": 1, "output_pads": (0, 0)}


@pytest.mark.parametrize("name", TRANSPOSED)
def test_conv_transpose2d_is_torchs(name):
    import torch

    theirs, ours = TRANSPOSED[name]
    rng = np.random.default_rng(5)
    x, weight, bias = (
        rng.integers(-4, 5, shape).astype(np.float32)
        for shape in ((2, 4, 3, 5), (4, 3, 4, 4), (3 * ours.get("groups", 1),))
    )
    want = torch.nn.functional.conv_transpose2d(*map(torch.from_numpy, (x, weight, bias)), **theirs).numpy()
    (got,) = run_reference("conv_transpose2d", [x, weight, bias], {**PLAIN, **ours})
    np.testing.assert_array_equal(got, want)


def test_conv_transpose2d_multiplies_what_lies_around_but_not_between():
    attrs = {**PLAIN, "strides": (1, 3), "output_pads": (0, 3)}
    (got,) = run_reference("conv_transpose2d", [f(1, 2).reshape(1, 1, 1, 2), f(INF).reshape(1, 1, 1, 1)], attrs)
    np.testing.assert_array_equal(got.ravel(), [INF, 0, 0, INF, 0, 0, NAN])


def test_conv_transpose2d_refuses_an_output_of_nothing():
    with pytest.raises(ValueError, match=r"give an output of \[3, 0\]"):
        run_reference(
            "conv_transpose2d", [np.zeros((1, 1, 2, 2)), np.zeros((1, 1, 2, 2))], {**PLAIN, "pads": (0, 3, 0, 0)}
        )


HALF = {"coordinates": "half_pixel", "exclude_outside": False}
CORNERS = {"coordinates": "align_corners", "exclude_outside": False}
RESIZES = {
    "nearest": ({"mode": "nearest"}, {**HALF, "mode": "nearest", "coordinates": "asymmetric", "rounding": "floor"}),
    "nearest-exact": ({"mode": "nearest-exact"}, {**HALF, "mode": "nearest", "rounding": "round_prefer_ceil"}),
    "bilinear": ({"mode": "bilinear"}, {**HALF, "mode": "linear"}),
    "bilinear corners": ({"mode": "bilinear", "align_corners": True}, {**CORNERS, "mode": "linear"}),
    "bicubic": ({"mode": "bicubic"}, {**HALF, "mode": "cubic", "cubic_a": -0.75}),
    "bicubic corners": ({"mode": "bicubic", "align_corners": True}, {**CORNERS, "mode": "cubic", "cubic_a": -0.75}),
}


@pytest.mark.parametrize("name", RESIZES)
def test_resize2d_is_torchs(name):
    import torch

    theirs, ours = RESIZES[name]
    rng = np.random.default_rng(6)
    for _ in range(40):
        height, width, to_height, to_width = map(int, rng.integers(1, 40, 4))
        x = rng.standard_normal((1, 2, height, width)).astype(np.float32)
        size = (to_height, to_width)
        want = torch.nn.functional.interpolate(torch.from_numpy(x), size=size, **theirs).numpy()
        (got,) = run_reference("resize2d", [x], {**ours, "size": size})
        np.testing.assert_allclose(got, want, atol=1e-5, rtol=1e-5)


ROW = f(0, 1, 2, 3).reshape(1, 1, 1, 4)
SCALED = {"exclude_outside": False, "mode": "linear", "size": (1, 2), "scale_h": 1.0, "scale_w": 0.6}
# By ONNX's formulas: the scale given differs from the sizes' 0.5.
RESIZES_BY_SCALE = {
    "half_pixel": (SCALED, [1 / 3, 2]),
    "pytorch_half_pixel": (SCALED, [1 / 3, 2]),
    "half_pixel_symmetric": (SCALED, [2 / 3, 7 / 3]),
    "asymmetric": (SCALED, [0, 5 / 3]),
    "align_corners": (SCALED, [0, 15 / 7]),
}


@pytest.mark.parametrize("coordinates", RESIZES_BY_SCALE)
def test_resize2d_by_scale(coordinates):
    attrs, want = RESIZES_BY_SCALE[coordinates]
    (got,) = run_reference("resize2d", [ROW], {**attrs, "coordinates": coordinates})
    np.testing.assert_allclose(got.ravel(), f(*want), atol=1e-6)


def test_resize2d_rounds_halves_as_said_and_leaves_the_outside_out():
    halved = {**HALF, "mode": "nearest", "size": (1, 2)}
    for rounding, want in {"round_prefer_floor": [0, 2], "round_prefer_ceil": [1, 3], "ceil": [1, 3]}.items():
        (got,) = run_reference("resize2d", [ROW], {**halved, "rounding": rounding})
        np.testing.assert_array_equal(got.ravel(), f(*want))
    inside = {**HALF, "mode": "cubic", "size": (1, 2), "cubic_a": -0.5, "exclude_outside": True}
    (got,) = run_reference("resize2d", [ROW], inside)
    np.testing.assert_allclose(got.ravel(), f(7 / 17, 44 / 17), atol=1e-6)


@pytest.mark.parametrize(
    ("attrs", "what"),
    [
        ({"mode": "area"}, "unknown mode 'area'"),
        ({"coordinates": "tf_crop_and_resize"}, "coordinates 'tf_crop_and_resize'"),
        ({"rounding": "floor"}, "'rounding' belongs to mode 'nearest'"),
        ({"mode": "cubic"}, "'cubic_a' belongs to mode 'cubic'"),
        ({"mode": "nearest", "rounding": "nearest"}, "unknown rounding 'nearest'"),
        ({"exclude_outside": True}, "with mode 'linear'"),
        ({"scale_h": 2.0}, "both scales or none"),
        ({"size": (0, 2)}, "two sizes of at least 1"),
    ],
)
def test_resize2d_refuses(attrs, what):
    with pytest.raises(ValueError, match=what):
        run_reference("resize2d", [ROW], {**HALF, "mode": "linear", "size": (1, 2), **attrs})


@pytest.mark.filterwarnings("error")
def test_layer_norm_of_nothing_is_quiet():
    (got,) = run_reference("layer_norm", [np.zeros((2, 0), np.float32)], {"axes": (1,), "eps": 0.5})
    assert got.shape == (2, 0)


TOP_K = {
    "ties by lowest index": (f(1, 3, 3, 0, 3), True, [3, 3, 3], [1, 2, 4]),
    "smallest": (f(1, 0, 0, 2), False, [0, 0, 1], [1, 2, 0]),
    "NaN is the largest": (f(1, NAN, INF, NAN), True, [NAN, NAN, INF], [1, 3, 2]),
    "NaN comes last of the smallest": (f(NAN, 1, INF), False, [1, INF, NAN], [1, 2, 0]),
    "all equal": (f(0, 0, 0, 0), True, [0, 0, 0], [0, 1, 2]),
    "zeros of both signs are equal": (f(0.0, -0.0, 0.0), True, [0, -0.0, 0], [0, 1, 2]),
}


@pytest.mark.parametrize("name", TOP_K)
def test_top_k(name):
    x, largest, values, indices = TOP_K[name]
    got = run_reference("top_k", [x], {"k": 3, "axis": 0, "largest": largest})
    np.testing.assert_array_equal(got[0], np.array(values, np.float32))
    np.testing.assert_array_equal(got[1], np.array(indices, np.int32))


def test_sdpa_masked_rows_are_zeros_and_causal_is_top_left():
    q, k = np.ones((1, 2), np.float32), np.arange(8, dtype=np.float32).reshape(4, 2)
    (got,) = run_reference("sdpa", [q, k, k], {"scale": 0.5, "causal": True})
    np.testing.assert_array_equal(got, k[:1])
    mask = np.full((1, 4), -INF, np.float32)
    (got,) = run_reference("sdpa", [q, k, k, mask], {"scale": 0.5, "causal": False})
    np.testing.assert_array_equal(got, np.zeros((1, 2)))


def test_gather_names_an_index_outside():
    with pytest.raises(IndexError, match=r"index 3 is outside 0\.\.2"):
        run_reference("gather", [f(1, 2, 3), i(0, 3)], {"axis": 0, "mode": "error", "wrap": False})


def test_reference_covers_the_op_table():
    assert set(REFERENCE) == set(OPS)


OP_LIST = Path(__file__).resolve().parents[3] / "engine" / "ops" / "op_list.inc"
_ROW = re.compile(r'^OP\((\w+),\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)"', re.MULTILINE)


def test_op_table_says_what_the_engine_says():
    """Names, numbers of inputs and outputs, attributes with types and defaults."""
    rows = {name: row for name, *row in _ROW.findall(OP_LIST.read_text())}
    assert set(rows) == set(REFERENCE)
    for name, (inputs, outputs, attributes) in rows.items():
        spec = OPS[name]
        arguments = [part.strip() for part in inputs.split(",")]
        assert spec.min_inputs == sum(not part.endswith("?") for part in arguments), name
        assert spec.max_inputs == len(arguments) or inputs.endswith("..."), name
        assert spec.outputs == len(outputs.split(",")), name
        assert [attr_text(key, attr) for key, attr in spec.attrs.items()] == attributes.split(), name


def attr_text(name, attr):
    """The attribute as op_list.inc writes it."""
    from rml_export.op_table import OPTIONAL, REQUIRED

    text = f"{name}:{attr.type}"
    if attr.default is REQUIRED:
        return text
    if attr.default is OPTIONAL:
        return f"{text}?"
    default = attr.default
    if isinstance(default, bool):
        return f"{text}={str(default).lower()}"
    if isinstance(default, tuple):
        return f"{text}={','.join(map(str, default))}"
    return f"{text}={default:g}" if isinstance(default, float) else f"{text}={default}"
