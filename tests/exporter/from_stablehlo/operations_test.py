"""Every operation that has a lowering against XLA, special values included."""

import numpy as np
import pytest
from rml_export.graph import count_by_op

from tests.exporter.comparing import SPECIAL, numbers
from tests.exporter.from_stablehlo.lower import check, main, outputs

UNARY = (
    *("abs", "negate", "exponential", "log", "sqrt", "rsqrt", "sine", "cosine", "tanh", "logistic"),
    *("exponential_minus_one", "log_plus_one", "sign"),
    *("floor", "ceil", "round_nearest_even", "round_nearest_afz"),
)
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "remainder")
T = "tensor<2x15xf32>"


@pytest.mark.parametrize("op", UNARY)
def test_unary(op):
    special = np.stack([SPECIAL, SPECIAL * np.float32(0.01)])
    check(main(f"%0 = stablehlo.{op} %x : {T}\n%0", f"%x: {T}", T), numbers(2, 15), others=[(special,)])


@pytest.mark.parametrize("op", BINARY)
def test_binary(op):
    pairs = tuple(np.ascontiguousarray(item[:2]) for item in np.meshgrid(SPECIAL, SPECIAL[2:4], copy=True))
    text = main(f"%0 = stablehlo.{op} %x, %y : {T}\n%0", f"%x: {T}, %y: {T}", T)
    check(text, numbers(2, 15), numbers(2, 15, seed=1), others=[pairs])


@pytest.mark.parametrize("direction", ["EQ", "NE", "LT", "LE", "GT", "GE"])
def test_compare_and_select(direction):
    body = f"""%0 = stablehlo.compare {direction}, %x, %y, FLOAT : ({T}, {T}) -> tensor<2x15xi1>
               %1 = stablehlo.select %0, %x, %y : tensor<2x15xi1>, {T}
               %0, %1"""
    other = np.roll(np.stack([SPECIAL, SPECIAL]), 1, axis=1)
    text = main(body, f"%x: {T}, %y: {T}", f"tensor<2x15xi1>; {T}")
    check(text, numbers(2, 15), numbers(2, 15, seed=1), others=[(np.stack([SPECIAL, SPECIAL]), other)])


B = "tensor<4xi1>"


@pytest.mark.parametrize("op", ["and", "or", "xor", "add", "multiply"])
def test_booleans(op):
    body = f"%0 = stablehlo.{op} %x, %y : {B}\n%1 = stablehlo.not %0 : {B}\n%0, %1"
    text = main(body, f"%x: {B}, %y: {B}", f"{B}; {B}")
    check(text, np.array([1, 1, 0, 0], bool), np.array([1, 0, 1, 0], bool))


I = "tensor<6xi32>"  # noqa: E741


@pytest.mark.parametrize("op", ["add", "subtract", "multiply", "maximum", "minimum"])
def test_integers(op):
    ends = np.array([2**31 - 1, -(2**31), 7, -7, 0, 1], np.int32)
    check(main(f"%0 = stablehlo.{op} %x, %y : {I}\n%0", f"%x: {I}, %y: {I}", I), ends, ends[::-1].copy())


def test_integer_division_truncates():
    x, y = np.array([-7, 8, -7, 7, 9, -9], np.int32), np.array([2, -3, 3, -3, 4, -4], np.int32)
    body = f"%0 = stablehlo.divide %x, %y : {I}\n%1 = stablehlo.remainder %x, %y : {I}\n%0, %1"
    text = main(body, f"%x: {I}, %y: {I}", f"{I}; {I}")
    check(text, x, y)
    quotient, rest = outputs(text, x, y)
    assert quotient.tolist() == [-3, -2, -2, -2, 2, 2]
    assert rest.tolist() == [-1, 2, -1, 1, 1, -1]


CONVERSIONS = {
    "to_integer": ("f32", "i32", np.array([1.9, -1.9, 0.5, 100, -3, 7], np.float32)),
    "to_float": ("i32", "f32", np.array([1, -1, 0, 2**30, 5, 7], np.int32)),
    "to_bool": ("f32", "i1", np.array([0, -0.0, np.nan, 1, -3, 0.1], np.float32)),
    "from_bool": ("i1", "f32", np.array([0, 1, 1, 0, 1, 0], bool)),
    "bool_to_integer": ("i1", "i32", np.array([0, 1, 1, 0, 1, 0], bool)),
    "double": ("f32", "f64", np.array([1.5, -2, 0, 3, 4, 1e30], np.float32)),
}


@pytest.mark.parametrize("case", CONVERSIONS)
def test_convert(case):
    source, target, x = CONVERSIONS[case]
    body = f"%0 = stablehlo.convert %x : (tensor<6x{source}>) -> tensor<6x{target}>\n%0"
    check(main(body, f"%x: tensor<6x{source}>", f"tensor<6x{target}>"), x)


def test_doubles_inside_are_floats():
    body = """%0 = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xf64>
              %e = stablehlo.constant dense<1.0e-3> : tensor<3xf64>
              %1 = stablehlo.add %0, %e : tensor<3xf64>
              %2 = stablehlo.convert %1 : (tensor<3xf64>) -> tensor<3xf32>
              %2"""
    export = check(main(body, "%x: tensor<3xf32>", "tensor<3xf32>"), numbers(3))
    assert count_by_op(export.graph) == {"add": 1}


def test_clamp():
    body = f"""%l = stablehlo.constant dense<-1.0> : tensor<f32>
               %h = stablehlo.constant dense<2.0> : tensor<f32>
               %0 = stablehlo.clamp %l, %x, %h : (tensor<f32>, {T}, tensor<f32>) -> {T}
               %1 = stablehlo.clamp %y, %x, %z : {T}
               %0, %1"""
    text = main(body, f"%x: {T}, %y: {T}, %z: {T}", f"{T}; {T}")
    special = np.stack([SPECIAL, SPECIAL[::-1]])
    plain = [numbers(2, 15), numbers(2, 15, seed=1), numbers(2, 15, seed=2) + 3]
    check(text, *plain, others=[(special, -special, special)])


CHLO = {
    "chlo.erf %x : {T} -> {T}": {"erf": 1},
    "chlo.square %x : {T} -> {T}": {"mul": 1},
}


@pytest.mark.parametrize("op", CHLO)
def test_chlo(op):
    text = main(f"%0 = {op.replace('{T}', T)}\n%0", f"%x: {T}", T)
    export = check(text, numbers(2, 15), others=[(np.stack([SPECIAL, -SPECIAL]),)])
    assert count_by_op(export.graph) == CHLO[op]


def test_exact_gelu_is_one_node():
    body = """%h = stablehlo.constant dense<5.000000e-01> : tensor<2x3xf32>
              %s = stablehlo.constant dense<0.707106769> : tensor<2x3xf32>
              %0 = stablehlo.multiply %h, %x : tensor<2x3xf32>
              %1 = stablehlo.negate %x : tensor<2x3xf32>
              %2 = stablehlo.multiply %1, %s : tensor<2x3xf32>
              %3 = chlo.erfc %2 : tensor<2x3xf32> -> tensor<2x3xf32>
              %4 = stablehlo.multiply %0, %3 : tensor<2x3xf32>
              %4"""
    export = check(main(body, "%x: tensor<2x3xf32>", "tensor<2x3xf32>"), numbers(2, 3))
    assert count_by_op(export.graph) == {"gelu": 1}


X = numbers(2, 3, 4, 5)
XT = "tensor<2x3x4x5xf32>"
SHAPES = {
    "reshape": ("stablehlo.reshape %x : ({X}) -> {Y}", "6x20"),
    "transpose": ("stablehlo.transpose %x, dims = [3, 0, 2, 1] : ({X}) -> {Y}", "5x2x4x3"),
    "broadcast": ("stablehlo.broadcast_in_dim %x, dims = [1, 2, 3, 4] : ({X}) -> {Y}", "2x2x3x4x5"),
    "broadcast_permuted": ("stablehlo.broadcast_in_dim %x, dims = [0, 2, 1, 3] : ({X}) -> {Y}", "2x4x3x5"),
    "slice": ("stablehlo.slice %x [0:2, 1:3, 0:4:2, 1:4] : ({X}) -> {Y}", "2x2x2x3"),
    "concatenate": ("stablehlo.concatenate %x, %x, dim = 2 : ({X}, {X}) -> {Y}", "2x3x8x5"),
    "reverse": ("stablehlo.reverse %x, dims = [1, 3] : {X}", "2x3x4x5"),
    "pad": ("stablehlo.pad %x, %c, low = [0, 1, 0, 3], high = [0, 2, 0, 0], interior = [0, 0, 0, 0] : ({X}, tensor<f32>) -> {Y}", "2x6x4x8"),  # noqa: E501
    "negative_pad": ("stablehlo.pad %x, %c, low = [0, 0, -1, 1], high = [0, 0, 2, -2], interior = [0, 0, 0, 0] : ({X}, tensor<f32>) -> {Y}", "2x3x5x4"),  # noqa: E501
    "dynamic_slice": ("stablehlo.dynamic_slice %x, %i, %j, %j, %k, sizes = [2, 2, 2, 2] : ({X}, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> {Y}", "2x2x2x2"),  # noqa: E501
    "set_dimension_size": ("stablehlo.set_dimension_size %x, %j, dim = 0 : ({X}, tensor<i32>) -> {X}", "2x3x4x5"),
}  # fmt: skip
CONSTANTS = """%c = stablehlo.constant dense<1.5> : tensor<f32>
%i = stablehlo.constant dense<-4> : tensor<i32>
%j = stablehlo.constant dense<2> : tensor<i32>
%k = stablehlo.constant dense<100> : tensor<i32>
"""


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    op, shape = SHAPES[name]
    made = op.replace("{X}", XT).replace("{Y}", f"tensor<{shape}xf32>")
    check(main(f"{CONSTANTS}%0 = {made}\n%0", f"%x: {XT}", f"tensor<{shape}xf32>"), X)


def test_updates():
    body = """%0 = stablehlo.constant dense<0> : tensor<i32>
              %1 = stablehlo.constant dense<1> : tensor<i32>
              %9 = stablehlo.constant dense<9> : tensor<i32>
              %a = stablehlo.dynamic_update_slice %x, %row, %1, %0 : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
              %b = stablehlo.dynamic_update_slice %a, %row, %9, %0 : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
              %c = stablehlo.dynamic_update_slice %b, %box, %1, %1 : (tensor<4x3xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
              %b, %c"""  # noqa: E501
    arguments = "%x: tensor<4x3xf32>, %row: tensor<1x3xf32>, %box: tensor<2x2xf32>"
    text = main(body, arguments, "tensor<4x3xf32>; tensor<4x3xf32>")
    check(text, numbers(4, 3), numbers(1, 3, seed=1), numbers(2, 2, seed=2))


def test_dot_general():
    body = """%0 = stablehlo.dot_general %a, %b, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3]
                : (tensor<2x3x4x5xf32>, tensor<2x6x4x5xf32>) -> tensor<2x4x3x6xf32>
              %1 = stablehlo.dot %v, %w : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
              %0, %1"""
    arguments = "%a: tensor<2x3x4x5xf32>, %b: tensor<2x6x4x5xf32>, %v: tensor<3x4xf32>, %w: tensor<4xf32>"
    text = main(body, arguments, "tensor<2x4x3x6xf32>; tensor<3xf32>")
    check(text, X, numbers(2, 6, 4, 5, seed=1), numbers(3, 4), numbers(4))


def test_convolution():
    body = """%0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, f, 0, 1],
              window = {stride = [2, 1], pad = [[0, 1], [1, 1]], rhs_dilate = [1, 2]}
              {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
              : (tensor<2x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<2x6x4x6xf32>
              %0"""
    text = main(body, "%x: tensor<2x8x8x4xf32>, %w: tensor<3x3x2x6xf32>", "tensor<2x6x4x6xf32>")
    export = check(text, numbers(2, 8, 8, 4), numbers(3, 3, 2, 6, seed=1))
    assert count_by_op(export.graph)["conv2d"] == 1


def test_transposed_convolution_with_reversed_window():
    body = """%0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
              window = {pad = [[2, 3], [1, -1]], lhs_dilate = [2, 3], reverse = [true, false]}
              {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
              : (tensor<2x4x3x4xf32>, tensor<6x2x3x2xf32>) -> tensor<2x6x8x9xf32>
              %0"""
    text = main(body, "%x: tensor<2x4x3x4xf32>, %w: tensor<6x2x3x2xf32>", "tensor<2x6x8x9xf32>")
    export = check(text, numbers(2, 4, 3, 4), numbers(6, 2, 3, 2, seed=1))
    assert count_by_op(export.graph)["conv_transpose2d"] == 1


REGION = """({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%r = stablehlo.{op} %a, %b : tensor<f32>
stablehlo.return %r : tensor<f32>
})"""
REDUCTIONS = {
    "sum": ("add", "0.0"),
    "max": ("maximum", "0xFF800000"),
    "min": ("minimum", "0x7F800000"),
    "product": ("multiply", "1.0"),
    "max_and_a_number": ("maximum", "0.5"),
    "sum_and_a_number": ("add", "0.5"),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reduce(name):
    op, initial = REDUCTIONS[name]
    body = f"""%c = stablehlo.constant dense<{initial}> : tensor<f32>
        %0 = stablehlo.reduce(%x init: %c) applies stablehlo.{op} across dimensions = [1, 3]
          : ({XT}, tensor<f32>) -> tensor<2x4xf32>
        %0"""
    with_nan = X.copy()
    with_nan[0, 0, 0, 0] = np.nan
    check(main(body, f"%x: {XT}", "tensor<2x4xf32>"), X, others=[(with_nan,)])


def test_any_and_all():
    body = """%f = stablehlo.constant dense<false> : tensor<i1>
              %t = stablehlo.constant dense<true> : tensor<i1>
              %0 = stablehlo.reduce(%x init: %f) applies stablehlo.or across dimensions = [1] : (tensor<4x2xi1>, tensor<i1>) -> tensor<4xi1>
              %1 = stablehlo.reduce(%x init: %t) applies stablehlo.and across dimensions = [1] : (tensor<4x2xi1>, tensor<i1>) -> tensor<4xi1>
              %0, %1"""  # noqa: E501
    check(main(body, "%x: tensor<4x2xi1>", f"{B}; {B}"), np.array([[1, 1], [1, 0], [0, 1], [0, 0]], bool))


WINDOWS = {
    "max": ("maximum", "0xFF800000", "[[0, 0], [0, 0], [0, 0], [0, 0]]", "2x3x4x2"),
    "max_padded": ("maximum", "0xFF800000", "[[0, 0], [0, 1], [1, 1], [0, 0]]", "2x4x5x2"),
    "min": ("minimum", "0x7F800000", "[[0, 0], [0, 0], [0, 0], [0, 0]]", "2x3x4x2"),
    "sum_padded": ("add", "0.0", "[[0, 0], [0, 1], [1, 1], [0, 0]]", "2x4x5x2"),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_reduce_window(name):
    op, initial, pads, shape = WINDOWS[name]
    body = f"""%c = stablehlo.constant dense<{initial}> : tensor<f32>
        %0 = "stablehlo.reduce_window"(%x, %c) <{{padding = dense<{pads}> : tensor<4x2xi64>,
          window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}}>
          {REGION.replace("{op}", op)}
          : (tensor<2x7x8x2xf32>, tensor<f32>) -> tensor<{shape}xf32>
        %0"""
    x = numbers(2, 7, 8, 2, low=-5, high=-1)  # negative: padding is no 0
    x[0, 0, 0, 0] = np.nan
    check(main(body, "%x: tensor<2x7x8x2xf32>", f"tensor<{shape}xf32>"), x)


TAKE = """%0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}>
: (tensor<3x1xf32>, tensor<4xi32>) -> tensor<4x1xf32>
%0"""


def test_gather_moves_positions_to_the_nearest_inside():
    text = main(TAKE, "%x: tensor<3x1xf32>, %i: tensor<4xi32>", "tensor<4x1xf32>")
    x, indices = np.array([[10], [20], [30]], np.float32), np.array([-5, 0, 2, 100], np.int32)
    check(text, x, indices)
    assert outputs(text, x, indices)[0].reshape(-1).tolist() == [10, 10, 30, 30]
    known = TAKE.replace("%0 =", "%i = stablehlo.constant dense<[-5, 0, 2, 100]> : tensor<4xi32>\n%0 =", 1)
    text = main(known, "%x: tensor<3x1xf32>", "tensor<4x1xf32>")
    assert outputs(text, x)[0].reshape(-1).tolist() == [10, 10, 30, 30]


def test_gather_along_two_axes():
    body = """%0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
        collapsed_slice_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 0>,
        slice_sizes = array<i64: 1, 1, 4>}>
        : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> tensor<5x4xf32>
        %0"""
    text = main(body, "%x: tensor<2x3x4xf32>, %i: tensor<2x5xi32>", "tensor<5x4xf32>")
    check(text, numbers(2, 3, 4), np.array([[0, 1, 2, 9, -1], [1, 0, 1, 1, 7]], np.int32))


def test_top_k_takes_the_first_of_equals():
    body = """%v, %i = chlo.top_k(%x, k = 3) : tensor<2x4xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
              %v, %i"""
    text = main(body, "%x: tensor<2x4xf32>", "tensor<2x3xf32>; tensor<2x3xi32>")
    values, places = outputs(text, np.array([[1, 2, 2, 0], [0, 0, 0, 0]], np.float32))
    assert values.tolist() == [[2, 2, 1], [0, 0, 0]]
    assert places.tolist() == [[1, 2, 0], [0, 1, 2]]


SORT = """%p = stablehlo.iota dim = 1 : tensor<2x4xi32>
%v, %i = "stablehlo.sort"(%x, %p) <{dimension = 1 : i64, is_stable = true}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
%r = stablehlo.compare {order}, %a, %b, {kind} : (tensor<f32>, tensor<f32>) -> tensor<i1>
stablehlo.return %r : tensor<i1>
}) : (tensor<2x4xf32>, tensor<2x4xi32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
%v, %i"""


@pytest.mark.parametrize("order", ["LT", "GT"])
@pytest.mark.parametrize("kind", ["FLOAT", "TOTALORDER"])
def test_sort_with_ties(order, kind):
    body = SORT.replace("{order}", order).replace("{kind}", kind)
    text = main(body, "%x: tensor<2x4xf32>", "tensor<2x4xf32>; tensor<2x4xi32>")
    export = check(text, np.array([[1, 2, 2, 0], [0, 0, -1, 0]], np.float32))
    assert count_by_op(export.graph) == {"top_k": 1}


GRIDS = {
    "upsampling": ([[0, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]], "broadcast_to", 0),
    "one_axis": ([[0, 1], [0, 1, 2], [3, 0, 0, 2, 9, -4]], "gather", 1),
    "both": ([[1, 0, 1], [0, 0, 1, 1, 2, 2], [0, 1, 2, 3]], "broadcast_to", 1),
}


@pytest.mark.parametrize("name", GRIDS)
def test_gather_on_a_grid(name):
    lists, op, gathers = GRIDS[name]
    places = np.stack(np.meshgrid(*lists, indexing="ij"), axis=-1)
    shape = "x".join(str(size) for size in places.shape[:-1])
    body = f"""%i = stablehlo.constant dense<{places.tolist()}> : tensor<{shape}x3xi32>
        %0 = "stablehlo.gather"(%x, %i) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2],
        start_index_map = [0, 1, 2], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 1>}}>
        : (tensor<2x3x4xf32>, tensor<{shape}x3xi32>) -> tensor<{shape}xf32>
        %0"""
    export = check(main(body, "%x: tensor<2x3x4xf32>", f"tensor<{shape}xf32>"), numbers(2, 3, 4))
    counts = count_by_op(export.graph)
    assert counts[op] == 1 and counts.get("gather", 0) == gathers


def test_gather_of_rows():
    body = """%0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
              collapsed_slice_dims = [2], operand_batching_dims = [1], start_indices_batching_dims = [0],
              start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 4, 1, 1>}>
              : (tensor<4x3x5xf32>, tensor<3x2x1xi32>) -> tensor<3x4x2xf32>
              %0"""
    text = main(body, "%x: tensor<4x3x5xf32>, %i: tensor<3x2x1xi32>", "tensor<3x4x2xf32>")
    export = check(text, numbers(4, 3, 5), np.array([0, 4, -3, 2, 9, 1], np.int32).reshape(3, 2, 1))
    assert count_by_op(export.graph)["gather_elements"] == 1


def test_gather_of_a_diagonal_is_no_grid():
    body = """%i = stablehlo.constant dense<[[[0, 0], [1, 1]], [[1, 0], [0, 1]]]> : tensor<2x2x2xi32>
        %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1],
        start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}>
        : (tensor<2x3xf32>, tensor<2x2x2xi32>) -> tensor<2x2xf32>
        %0"""
    check(main(body, "%x: tensor<2x3xf32>", "tensor<2x2xf32>"), numbers(2, 3))


def test_a_product_with_a_broadcast_weight_is_one_with_the_weight():
    body = """%0 = stablehlo.broadcast_in_dim %w, dims = [1, 2] : (tensor<4x5xf32>) -> tensor<2x4x5xf32>
        %1 = stablehlo.dot_general %x, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1]
          : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
        %1"""
    text = main(body, "%x: tensor<2x3x4xf32>, %w: tensor<4x5xf32>", "tensor<2x3x5xf32>")
    export = check(text, numbers(2, 3, 4), numbers(4, 5, seed=1))
    assert count_by_op(export.graph) == {"matmul": 1}
