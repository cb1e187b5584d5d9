"""Positions of extremes, running sums and scatters: what a region or a window stands for, against XLA."""

import numpy as np
import pytest
from rml_export import ExportError
from rml_export.from_stablehlo import lower_stablehlo
from rml_export.graph import count_by_op

from tests.exporter.comparing import integers, numbers
from tests.exporter.from_stablehlo.lower import check, main

REGION = """({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%r = stablehlo.add %a, %b : tensor<f32>
stablehlo.return %r : tensor<f32>
})"""

ARGMAX = """%p = stablehlo.iota dim = 1 : tensor<3x4xi32>
%z = stablehlo.constant dense<0xFF800000> : tensor<f32>
%n = stablehlo.constant dense<0> : tensor<i32>
%v, %i = stablehlo.reduce(%x init: %z), (%p init: %n) across dimensions = [1]
 : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
 reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
%g = stablehlo.compare {better}, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
%m = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
%o = stablehlo.or %g, %m : tensor<i1>
%e = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
%l = stablehlo.compare LT, %c, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
%q = stablehlo.and %e, %l : tensor<i1>
%w = stablehlo.or %o, %q : tensor<i1>
%r = stablehlo.select %o, %a, %b : tensor<i1>, tensor<f32>
%s = stablehlo.select %w, %c, %d : tensor<i1>, tensor<i32>
stablehlo.return %r, %s : tensor<f32>, tensor<i32>
}
%i"""


@pytest.mark.parametrize("better", ["GT", "LT"])
def test_argmax(better):
    body = ARGMAX.replace("{better}", better)
    body = body.replace("0xFF800000", "0x7F800000") if better == "LT" else body
    x = np.array([[1, 2, 2, 0], [0, 0, 0, 0], [-1, -3, -3, -1]], np.float32)
    export = check(main(body, "%x: tensor<3x4xf32>", "tensor<3xi32>"), x)
    assert count_by_op(export.graph) == {"argmax" if better == "GT" else "argmin": 1}
    both = main(body[: body.rindex("%i")] + "%v, %i", "%x: tensor<3x4xf32>", "tensor<3xf32>; tensor<3xi32>")
    check(both, x, others=[(np.where(x == 2, np.float32(np.nan), x),)])


def test_argmax_of_integers():
    body = ARGMAX.replace("{better}", "GT").replace("f32", "i32").replace("FLOAT", "SIGNED")
    x = np.array([[1, 2, 2, 0], [-7, -(2**31), -7, -9], [5, 2**31 - 1, 2**24, 3]], np.int32)
    text = main(body.replace("0xFF800000", str(-(2**31))), "%x: tensor<3x4xi32>", "tensor<3xi32>")
    assert count_by_op(check(text, x).graph) == {"argmax": 1}


def test_argmax_from_a_number_that_may_win_is_refused():
    body = ARGMAX.replace("{better}", "GT").replace("0xFF800000", "0.0")
    with pytest.raises(ExportError, match=r"stablehlo\.reduce: an argmax that starts from a number which may win"):
        lower_stablehlo(main(body, "%x: tensor<3x4xf32>", "tensor<3xi32>"), (numbers(3, 4),))


@pytest.mark.parametrize(("pads", "dtype"), [("3, 0", "f32"), ("0, 3", "f32"), ("3, 0", "i32")])
def test_running_sum(pads, dtype):
    body = f"""%c = stablehlo.constant dense<0{".0" * (dtype == "f32")}> : tensor<{dtype}>
        %0 = "stablehlo.reduce_window"(%x, %c) <{{padding = dense<[[0, 0], [{pads}], [0, 0]]> : tensor<3x2xi64>,
          window_dimensions = array<i64: 1, 4, 1>}}> {REGION.replace("f32", dtype)}
          : (tensor<2x4x3x{dtype}>, tensor<{dtype}>) -> tensor<2x4x3x{dtype}>
        %0"""
    x = (numbers(2, 4, 3) * 10).astype(np.float32 if dtype == "f32" else np.int32)
    export = check(main(body, f"%x: tensor<2x4x3x{dtype}>", f"tensor<2x4x3x{dtype}>"), x)
    assert count_by_op(export.graph) == {"cumsum": 1}


SCATTERS = {
    "rows": ("update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]", "4x1", "4x3"),
    "elements": (
        "update_window_dims = [], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0]",
        "4x2",
        "4",
    ),
    "boxes": ("update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1]", "4x2", "4x3x2"),
    "batches": (
        "update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [1], "
        "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [0]",
        "3x2x1",
        "3x2",
    ),
}


@pytest.mark.parametrize("name", SCATTERS)
def test_scatter_of_sums_drops_what_lies_outside(name):
    numbers_of, indices, updates = SCATTERS[name]
    body = f"""%0 = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<{numbers_of},
        index_vector_dim = {indices.count("x")}>}}> {REGION}
        : (tensor<5x3xf32>, tensor<{indices}xi32>, tensor<{updates}xf32>) -> tensor<5x3xf32>
        %0"""
    text = main(body, f"%x: tensor<5x3xf32>, %i: tensor<{indices}xi32>, %u: tensor<{updates}xf32>", "tensor<5x3xf32>")
    sizes = [tuple(map(int, item.split("x"))) for item in (indices, updates)]
    places = [integers(*sizes[0], low=-1, high=6, seed=seed) for seed in range(4)]
    updates = numbers(*sizes[1], seed=9)
    export = check(text, numbers(5, 3), places[0], updates, others=[(numbers(5, 3), i, updates) for i in places[1:]])
    assert count_by_op(export.graph)["scatter_add"] == 1
