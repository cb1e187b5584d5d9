"""The specification's examples for shapes, products, windows, indexing and control flow (see spec_cases.py)."""

from tests.exporter.from_stablehlo.spec_cases import SpecCase


def reducer(op: str, kind: str) -> str:
    """The function inside a reduce or a window."""
    return f"""({{
      ^bb0(%a: tensor<{kind}>, %b: tensor<{kind}>):
        %s = stablehlo.{op} %a, %b : tensor<{kind}>
        stablehlo.return %s : tensor<{kind}>
    }})"""


_CUBE = [
    [[1, 2], [3, 4], [5, 6], [7, 8]],
    [[9, 10], [11, 12], [13, 14], [15, 16]],
    [[17, 18], [19, 20], [21, 22], [23, 24]],
]
_POSITIONS = """%i = stablehlo.constant dense<-1> : tensor<i64>
                %j = stablehlo.constant dense<3> : tensor<i64>"""

SHAPES = {
    "broadcast_in_dim": SpecCase(
        "%x: tensor<1x3xi32>",
        "tensor<2x3x2xi32>",
        "%0 = stablehlo.broadcast_in_dim %x, dims = [2, 1] : (tensor<1x3xi32>) -> tensor<2x3x2xi32>\n%0",
        [[[1, 2, 3]]],
        [[[[1, 1], [2, 2], [3, 3]], [[1, 1], [2, 2], [3, 3]]]],
    ),
    "concatenate": SpecCase(
        "%x: tensor<3x2xi64>, %y: tensor<1x2xi64>",
        "tensor<4x2xi64>",
        "%0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<3x2xi64>, tensor<1x2xi64>) -> tensor<4x2xi64>\n%0",
        [[[1, 2], [3, 4], [5, 6]], [[7, 8]]],
        [[[1, 2], [3, 4], [5, 6], [7, 8]]],
    ),
    "constant": SpecCase(
        "%x: tensor<f32>",
        "tensor<2x2xf32>",
        "%0 = stablehlo.constant dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf32>\n%0",
        [0],
        [[[0, 1], [2, 3]]],
    ),
    "get_dimension_size": SpecCase(
        "%x: tensor<2x3xi64>",
        "tensor<i32>",
        "%0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xi64>) -> tensor<i32>\n%0",
        [[[1, 2, 3], [4, 5, 6]]],
        [3],
    ),
    "iota": SpecCase(
        "%x: tensor<f32>",
        "tensor<4x5xi32>; tensor<4x5xi32>",
        "%0 = stablehlo.iota dim = 0 : tensor<4x5xi32>\n%1 = stablehlo.iota dim = 1 : tensor<4x5xi32>\n%0, %1",
        [0],
        [[[i] * 5 for i in range(4)], [[0, 1, 2, 3, 4]] * 4],
    ),
    "pad": SpecCase(
        "%x: tensor<2x3xi32>",
        "tensor<5x9xi32>",
        """%z = stablehlo.constant dense<0> : tensor<i32>
           %0 = stablehlo.pad %x, %z, low = [0, 1], high = [2, 1], interior = [1, 2]
             : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>
           %0""",
        [[[1, 2, 3], [4, 5, 6]]],
        [[[0, 1, 0, 0, 2, 0, 0, 3, 0], [0] * 9, [0, 4, 0, 0, 5, 0, 0, 6, 0], [0] * 9, [0] * 9]],
    ),
    "reverse": SpecCase(
        "%x: tensor<3x2xi32>",
        "tensor<3x2xi32>",
        "%0 = stablehlo.reverse %x, dims = [1] : tensor<3x2xi32>\n%0",
        [[[1, 2], [3, 4], [5, 6]]],
        [[[2, 1], [4, 3], [6, 5]]],
    ),
    "slice": SpecCase(
        "%x: tensor<3x4xi64>",
        "tensor<2x2xi64>",
        "%0 = stablehlo.slice %x [1:3, 2:4] : (tensor<3x4xi64>) -> tensor<2x2xi64>\n%0",
        [[[0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]],
        [[[1, 1], [1, 1]]],
    ),
    "transpose": SpecCase(
        "%x: tensor<2x3x2xi32>",
        "tensor<2x3x2xi32>",
        "%0 = stablehlo.transpose %x, dims = [2, 1, 0] : (tensor<2x3x2xi32>) -> tensor<2x3x2xi32>\n%0",
        [[[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]]],
        [[[[1, 7], [3, 9], [5, 11]], [[2, 8], [4, 10], [6, 12]]]],
    ),
    "dynamic_slice": SpecCase(
        "%x: tensor<4x4xi32>",
        "tensor<2x2xi32>",
        f"""{_POSITIONS}
            %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 2]
              : (tensor<4x4xi32>, tensor<i64>, tensor<i64>) -> tensor<2x2xi32>
            %0""",
        [[[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]]],
        [[[1, 1], [1, 1]]],
    ),
    "dynamic_update_slice": SpecCase(
        "%x: tensor<4x4xi32>, %y: tensor<2x2xi32>",
        "tensor<4x4xi32>",
        f"""{_POSITIONS}
            %0 = stablehlo.dynamic_update_slice %x, %y, %i, %j
              : (tensor<4x4xi32>, tensor<2x2xi32>, tensor<i64>, tensor<i64>) -> tensor<4x4xi32>
            %0""",
        [[[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1]], [[1, 1], [1, 1]]],
        [[[1, 1, 1, 1]] * 4],
    ),
    "gather": SpecCase(
        "%x: tensor<3x4x2xi32>, %y: tensor<2x3x2xi64>",
        "tensor<2x3x2x2xi32>",
        """%0 = "stablehlo.gather"(%x, %y) {
             dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0],
                                                   start_index_map = [1, 0], index_vector_dim = 2>,
             slice_sizes = array<i64: 1, 2, 2>, indices_are_sorted = false
           } : (tensor<3x4x2xi32>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xi32>
           %0""",
        [_CUBE, [[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 2]]]],
        [
            [
                [[[1, 2], [3, 4]], [[3, 4], [5, 6]], [[13, 14], [15, 16]]],
                [[[9, 10], [11, 12]], [[11, 12], [13, 14]], [[17, 18], [19, 20]]],
            ]
        ],
        refused="slices of several elements at positions that depend on the inputs",
    ),
}

ARITHMETIC = {
    "clamp": SpecCase(
        "%l: tensor<3xi32>, %x: tensor<3xi32>, %h: tensor<3xi32>",
        "tensor<3xi32>",
        "%0 = stablehlo.clamp %l, %x, %h : tensor<3xi32>\n%0",
        [[5, 10, 15], [3, 13, 23], [10, 15, 20]],
        [[5, 13, 20]],
    ),
    "compare": SpecCase(
        "%x: tensor<2xf32>, %y: tensor<2xf32>",
        "tensor<2xi1>",
        "%0 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>\n%0",
        [[1.0, 3.0], [1.1, 2.9]],
        [[1, 0]],
    ),
    "select": SpecCase(
        "%c: tensor<2x2xi1>, %x: tensor<2x2xi32>, %y: tensor<2x2xi32>",
        "tensor<2x2xi32>",
        "%0 = stablehlo.select %c, %x, %y : tensor<2x2xi1>, tensor<2x2xi32>\n%0",
        [[[0, 1], [1, 0]], [[1, 2], [3, 4]], [[5, 6], [7, 8]]],
        [[[5, 2], [3, 8]]],
    ),
    "optimization_barrier": SpecCase(
        "%x: tensor<f32>, %y: tensor<f32>",
        "tensor<f32>; tensor<f32>",
        "%0, %1 = stablehlo.optimization_barrier %x, %y : tensor<f32>, tensor<f32>\n%0, %1",
        [0.0, 1.0],
        [0.0, 1.0],
    ),
    "reduce_precision": SpecCase(
        "%x: tensor<3xf32>",
        "tensor<3xf32>",
        "%0 = stablehlo.reduce_precision %x, format = e5m2 : tensor<3xf32>\n%0",
        [[0.0, 1000.0, 1000000.0]],
        [[0.0, 1024.0, float("inf")]],
        refused="rounding to 5 bits of exponent and 2 of mantissa",
    ),
    "convolution": SpecCase(
        "%x: tensor<1x4x4x1xf32>, %w: tensor<3x3x1x1xf32>",
        "tensor<1x2x2x1xf32>",
        """%0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
             window = {stride = [4, 4], pad = [[0, 0], [0, 0]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]}
             {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
             : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x2x2x1xf32>
           %0""",
        [
            [[[[i] for i in row] for row in ([1, 2, 5, 6], [3, 4, 7, 8], [10, 11, 14, 15], [12, 13, 16, 17])]],
            [[[[1]], [[1]], [[1]]]] * 3,
        ],
        [[[[[10], [26]], [[46], [62]]]]],
    ),
    "dot_general": SpecCase(
        "%x: tensor<2x2x2xf32>, %y: tensor<2x2x2xf32>",
        "tensor<2x2x2xf32>",
        """%0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1]
             : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
           %0""",
        [[[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[[1, 0], [0, 1]]] * 2],
        [[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]],
    ),
    "reduce": SpecCase(
        "%x: tensor<1x6xi32>",
        "tensor<1xi32>",
        f"""%z = stablehlo.constant dense<0> : tensor<i32>
            %0 = "stablehlo.reduce"(%x, %z) {reducer("add", "i32")}
              {{dimensions = array<i64: 1>}} : (tensor<1x6xi32>, tensor<i32>) -> tensor<1xi32>
            %0""",
        [[[0, 1, 2, 3, 4, 5]]],
        [[15]],
    ),
    "reduce_window": SpecCase(
        "%x: tensor<3x2xf32>",
        "tensor<2x2xf32>",
        f"""%z = stablehlo.constant dense<0.0> : tensor<f32>
            %0 = "stablehlo.reduce_window"(%x, %z) {reducer("add", "f32")}
              {{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>,
                base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>,
                padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>}}
              : (tensor<3x2xf32>, tensor<f32>) -> tensor<2x2xf32>
            %0""",
        [[[1, 2], [3, 4], [5, 6]]],
        [[[0, 0], [3, 4]]],
        refused="a window over a dilated operand",
    ),
    "sort": SpecCase(
        "%x: tensor<2x3xf32>, %y: tensor<2x3xi64>",
        "tensor<2x3xf32>; tensor<2x3xi64>",
        """%0, %1 = "stablehlo.sort"(%x, %y) ({
             ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i64>, %d: tensor<i64>):
               %p = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
               stablehlo.return %p : tensor<i1>
           }) {dimension = 0 : i64, is_stable = true}
             : (tensor<2x3xf32>, tensor<2x3xi64>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
           %0, %1""",
        [[[1, 2, 3], [3, 2, 1]], [[3, 2, 1], [1, 2, 3]]],
        [[[3, 2, 3], [1, 2, 1]], [[1, 2, 1], [3, 2, 3]]],
        refused="a sort that carries values along",
    ),
}

CONTROL = {
    "case": SpecCase(
        "%x: tensor<2xi64>, %y: tensor<2xi64>",
        "tensor<2xi64>; tensor<2xi64>",
        """%i = stablehlo.constant dense<-1> : tensor<i32>
           %0, %1 = "stablehlo.case"(%i) ({
             stablehlo.return %x, %x : tensor<2xi64>, tensor<2xi64>
           }, {
             stablehlo.return %y, %y : tensor<2xi64>, tensor<2xi64>
           }) : (tensor<i32>) -> (tensor<2xi64>, tensor<2xi64>)
           %0, %1""",
        [[0, 0], [1, 1]],
        [[1, 1], [1, 1]],
    ),
    "if": SpecCase(
        "%x: tensor<i32>, %y: tensor<i32>",
        "tensor<i32>",
        """%p = stablehlo.constant dense<true> : tensor<i1>
           %0 = "stablehlo.if"(%p) ({
             stablehlo.return %x : tensor<i32>
           }, {
             stablehlo.return %y : tensor<i32>
           }) : (tensor<i1>) -> tensor<i32>
           %0""",
        [10, 11],
        [10],
    ),
    # The specification starts at i = 1 and says that the sum is 10; from 0 it is.
    "while": SpecCase(
        "%sum: tensor<i64>",
        "tensor<i64>; tensor<i64>",
        """%i = stablehlo.constant dense<0> : tensor<i64>
           %one = stablehlo.constant dense<1> : tensor<i64>
           %ten = stablehlo.constant dense<10> : tensor<i64>
           %0, %1 = "stablehlo.while"(%i, %sum) ({
             ^bb0(%a: tensor<i64>, %b: tensor<i64>):
               %p = stablehlo.compare LT, %a, %ten : (tensor<i64>, tensor<i64>) -> tensor<i1>
               stablehlo.return %p : tensor<i1>
           }, {
             ^bb0(%a: tensor<i64>, %b: tensor<i64>):
               %s = stablehlo.add %b, %one : tensor<i64>
               %n = stablehlo.add %a, %one : tensor<i64>
               stablehlo.return %n, %s : tensor<i64>, tensor<i64>
           }) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
           %0, %1""",
        [0],
        [10, 10],
    ),
}
