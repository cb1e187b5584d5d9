"""Calls, loops, folding, names, what is refused and how, files, and the ways in from a framework."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from rml_export import ExportError, export_jax, export_stablehlo
from rml_export.evaluate import evaluate
from rml_export.from_jax import lower_jax
from rml_export.from_stablehlo import lower_stablehlo
from rml_export.golden import read_golden
from rml_export.graph import count_by_op
from rml_export.reader import read_graph

from tests.exporter.comparing import numbers
from tests.exporter.from_stablehlo.lower import check, main, outputs

V = "tensor<3xf32>"


def test_calls_and_composites_are_inlined():
    body = f"""%0 = func.call @twice(%x) : ({V}) -> {V}
               %1 = stablehlo.composite "my.twice" %0 {{decomposition = @twice}} : ({V}) -> {V}
               %1"""
    twice = f"func.func private @twice(%a: {V}) -> {V} {{\n%0 = stablehlo.add %a, %a : {V}\nreturn %0 : {V} }}"
    export = check(main(body, f"%x: {V}", V, twice), numbers(3))
    assert count_by_op(export.graph) == {"add": 2}


def test_the_composite_top_k_is_one_node():
    body = """%v, %i = stablehlo.composite "chlo.top_k" %x {composite_attributes = {k = 2 : i64}, decomposition = @f, version = 1 : i32}
                : (tensor<1x4xf32>) -> (tensor<1x2xf32>, tensor<1x2xi32>)
              %v, %i"""  # noqa: E501
    decomposition = """func.func private @f(%a: tensor<1x4xf32>) -> (tensor<1x2xf32>, tensor<1x2xi32>) {
        %v, %i = chlo.top_k(%a, k = 2) : tensor<1x4xf32> -> (tensor<1x2xf32>, tensor<1x2xi32>)
        return %v, %i : tensor<1x2xf32>, tensor<1x2xi32> }"""
    text = main(body, "%x: tensor<1x4xf32>", "tensor<1x2xf32>; tensor<1x2xi32>", decomposition)
    values, places = evaluate_only(text, np.array([[1, 3, 3, 0]], np.float32))
    assert values.tolist() == [[3, 3]] and places.tolist() == [[1, 2]]


def evaluate_only(text, *inputs):
    """For composites, which XLA's compiler takes from JAX only."""
    from rml_export.from_stablehlo.front_end import Argument, Produced, lower_module

    names = [f"out_{i}" for i in range(2)]
    return evaluate(lower_module(Produced(text, [Argument("x")], names), inputs).graph, inputs)


LOOP = f"""%zero = stablehlo.constant dense<0> : tensor<i32>
%one = stablehlo.constant dense<1> : tensor<i32>
%n = stablehlo.constant dense<{{trips}}> : tensor<i32>
%i, %s = stablehlo.while(%a = %zero, %b = %x) : tensor<i32>, {V}
cond {{
%c = stablehlo.compare LT, %a, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
stablehlo.return %c : tensor<i1>
}} do {{
%d = stablehlo.add %a, %one : tensor<i32>
%e = stablehlo.sine %b : {V}
stablehlo.return %d, %e : tensor<i32>, {V}
}}
%s"""


@pytest.mark.parametrize("trips", [0, 1, 3])
def test_a_loop_is_unrolled(trips):
    export = check(main(LOOP.replace("{trips}", str(trips)), f"%x: {V}", V), numbers(3))
    assert count_by_op(export.graph) == ({"sin": trips} if trips else {"reshape": 1})


def test_the_longest_loop():
    text = main(LOOP.replace("stablehlo.sine %b", "stablehlo.constant dense<1.0>"), f"%x: {V}", V)
    assert outputs(text.replace("{trips}", "4096"), numbers(3))[0].tolist() == [1, 1, 1]
    with pytest.raises(ExportError, match=r"stablehlo.while: a loop of more than 4096 trips at line 6 of the module"):
        lower_stablehlo(text.replace("{trips}", "4097"), [numbers(3)])


CASE = f"""%i = stablehlo.constant dense<{{index}}> : tensor<i32>
%0 = "stablehlo.case"(%i) ({{
%a = stablehlo.sine %x : {V}
stablehlo.return %a : {V}
}}, {{
%a = stablehlo.tanh %x : {V}
stablehlo.return %a : {V}
}}) : (tensor<i32>) -> {V}
%0"""


@pytest.mark.parametrize("index, op", [(0, "sin"), (1, "tanh"), (-1, "tanh"), (7, "tanh")])
def test_a_case_that_is_known(index, op):
    export = check(main(CASE.replace("{index}", str(index)), f"%x: {V}", V), numbers(3))
    assert count_by_op(export.graph) == {op: 1}


def test_results_of_loop_steps_are_put_together_once():
    def fn(p, x):
        return lax.scan(lambda s, row: (s + row, s * row), jnp.zeros(3), x)[1]

    export = lower_jax(fn, (), (numbers(5, 3),), via="stablehlo", static=True)
    assert count_by_op(export.graph)["concat"] == 1


C = "tensor<5xf32>"
FOLDED = {  # what rml-graph has on constants only: XLA says what comes out
    "floor": f"stablehlo.floor %c : {C}",
    "ceil": f"stablehlo.ceil %c : {C}",
    "round_nearest_even": f"stablehlo.round_nearest_even %c : {C}",
    "round_nearest_afz": f"stablehlo.round_nearest_afz %c : {C}",
    "sign": f"stablehlo.sign %c : {C}",
    "remainder": f"stablehlo.remainder %c, %d : {C}",
    "power": f"stablehlo.power %d, %c : {C}",
    "reverse": f"stablehlo.reverse %c, dims = [0] : {C}",
}
NUMBERS = "%c = stablehlo.constant dense<[2.5, -2.5, 0.49999997, -0.0, 7.0]> : tensor<5xf32>\n"
NUMBERS += "%d = stablehlo.constant dense<[2.0, 2.0, 3.0, 1.5, 4.0]> : tensor<5xf32>\n"


@pytest.mark.parametrize("name", FOLDED)
def test_constants_fold(name):
    body = f"{NUMBERS}%0 = {FOLDED[name]}\n%1 = stablehlo.add %0, %x : {C}\n%1"
    export = check(main(body, f"%x: {C}", C), numbers(5))
    assert count_by_op(export.graph) == {"add": 1}


K = "tensor<4xi32>"
FOLDED_INTEGERS = {
    "divide": f"stablehlo.divide %c, %d : {K}",
    "remainder": f"stablehlo.remainder %c, %d : {K}",
    "shift_left": f"stablehlo.shift_left %c, %d : {K}",
    "shift_right_logical": f"stablehlo.shift_right_logical %c, %d : {K}",
    "shift_right_arithmetic": f"stablehlo.shift_right_arithmetic %c, %d : {K}",
    "xor": f"stablehlo.xor %c, %d : {K}",
    "not": f"stablehlo.not %c : {K}",
}


@pytest.mark.parametrize("name", FOLDED_INTEGERS)
def test_integer_constants_fold(name):
    body = f"""%c = stablehlo.constant dense<[-7, 8, 2147483647, -2147483648]> : {K}
               %d = stablehlo.constant dense<[2, -3, 40, 31]> : {K}
               %0 = {FOLDED_INTEGERS[name]}
               %1 = stablehlo.maximum %0, %x : {K}
               %1"""
    export = check(main(body, f"%x: {K}", K), np.full(4, -(2**31), np.int32))
    assert count_by_op(export.graph) == {"maximum": 1}


def test_conversions_of_constants_saturate():
    body = """%c = stablehlo.constant dense<[3.0e10, -3.0e10, 0x7FC00000, -1.9]> : tensor<4xf32>
              %0 = stablehlo.convert %c : (tensor<4xf32>) -> tensor<4xi32>
              %1 = stablehlo.maximum %0, %x : tensor<4xi32>
              %1"""
    (got,) = outputs(main(body, f"%x: {K}", K), np.full(4, -(2**31), np.int32))
    assert got.tolist() == [2**31 - 1, -(2**31), 0, -1]


UNSUPPORTED = {
    "stablehlo.cbrt %x : {V}": "stablehlo.cbrt: rml-graph has no op for it",
    "stablehlo.custom_call @my_kernel(%x) : ({V}) -> {V}": "stablehlo.custom_call @my_kernel: a call of code",
    "stablehlo.reduce_precision %x, format = e5m10 : {V}": "stablehlo.reduce_precision: rounding to 5 bits",
}


@pytest.mark.parametrize("op", UNSUPPORTED)
def test_unsupported(op):
    with pytest.raises(ExportError) as caught:
        lower_stablehlo(main(f"%0 = {op.replace('{V}', V)}\n%0", f"%x: {V}", V), [numbers(3)])
    assert str(caught.value).startswith(f"unsupported operation {UNSUPPORTED[op]}")
    assert str(caught.value).endswith("at line 3 of the module")


def test_a_loop_on_data_is_refused():
    body = """%n = stablehlo.constant dense<1.0> : tensor<f32>
        %s = stablehlo.while(%b = %x) : tensor<f32>
        cond {
        %c = stablehlo.compare LT, %b, %n, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
        } do {
        %e = stablehlo.add %b, %n : tensor<f32>
        stablehlo.return %e : tensor<f32>
        }
        %s"""
    with pytest.raises(ExportError, match=r"stablehlo.while: a loop whose end depends on the inputs"):
        lower_stablehlo(main(body, "%x: tensor<f32>", "tensor<f32>"), [np.float32(0)])


def test_all_problems_at_once_with_lines_of_the_model(tmp_path):
    def fn(p, x):
        return lax.lgamma(x) + lax.erf_inv(lax.lgamma(x * 2)) + lax.cbrt(x)

    with pytest.raises(ExportError) as caught:
        export_jax(fn, (), (numbers(4, 3),), tmp_path / "m", via="stablehlo")
    assert [text.split(":")[0] for text in caught.value.problems] == [
        "unsupported operation chlo.lgamma",
        "unsupported operation chlo.erf_inv",
        "unsupported operation stablehlo.cbrt",
    ]
    assert all("at export_test.py:" in text for text in caught.value.problems)
    assert "(and 1 more)" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


SHAPES = {
    "dynamic": ("tensor<?xf32>", "whose shape is not known"),
    "complex": ("tensor<3xcomplex<f32>>", "values of dtype complex<f32>"),
}


@pytest.mark.parametrize("case", SHAPES)
def test_types_that_are_refused(case):
    kind, message = SHAPES[case]
    with pytest.raises(ExportError, match=message):
        lower_stablehlo(main(f"%0 = stablehlo.add %x, %x : {kind}\n%0", f"%x: {kind}", kind), [numbers(3)])


IDENTITY = main("%x", f"%x: {V}", V)
BROKEN = {
    "text": ("module {\n nonsense \n}", [numbers(3)], {}, "this is no StableHLO module: Unable to parse.*\n.*nonsense"),
    "no_main": (IDENTITY.replace("@main", "@other"), [numbers(3)], {}, "has no @main; its functions: other"),
    "count": (IDENTITY, [numbers(3), numbers(3)], {}, "@main takes 1 arguments, expected 2: input_0, input_1"),
    "dtype": (IDENTITY, [np.ones(3, np.int32)], {}, "@main takes 'input' as float32, it is int32"),
    "no_output": (
        "module {\n func.func @main(%x: tensor<3xf32>) { return }\n}",
        [numbers(3)],
        {},
        "the model returns no tensors",
    ),
    "rank": (
        main("%0 = stablehlo.reshape %x : (tensor<3xf32>) -> tensor<1x1x1x1x1x1x1x1x3xf32>\n%x", f"%x: {V}", V),
        [numbers(3)],
        {},
        "operation stablehlo.reshape: a value of .* has rank 9; the limit is 8 at line",
    ),
    "shape": (IDENTITY, [numbers(4)], {}, r"@main takes 'input' as \[3\], it is \[4\]"),
    "input_names": (IDENTITY, [numbers(3)], {"input_names": ["a", "b"]}, "2 input names for 1 inputs"),
    "output_names": (IDENTITY, [numbers(3)], {"output_names": ["a", "b"]}, "2 output names for 1 outputs"),
    "missing_file": ("nowhere.mlir", [numbers(3)], {}, "cannot read nowhere.mlir: No such file or directory"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_modules_that_cannot_be_taken(case):
    module, inputs, options, message = BROKEN[case]
    with pytest.raises(ExportError, match=message):
        lower_stablehlo(module, inputs, **options)


def test_arithmetic_of_narrow_integers_is_refused():
    kind = "tensor<3xui8>"
    with pytest.raises(ExportError, match=r"stablehlo\.add: arithmetic of uint8, .* at line"):
        lower_stablehlo(main(f"%0 = stablehlo.add %x, %x : {kind}\n%0", f"%x: {kind}", kind))


def test_booleans_are_drawn_as_such():
    kind = "tensor<3xi1>"
    export = lower_stablehlo(main(f"%0 = stablehlo.not %x : {kind}\n%0", f"%x: {kind}", kind))
    assert export.graph.inputs[0].dtype == "f32"


PRODUCT = "%0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x20xf32>)"
PRODUCT = main(f"{PRODUCT} -> tensor<2x20xf32>\n%0", "%w: tensor<3x20xf32>, %x: tensor<2x3xf32>", "tensor<2x20xf32>")


@pytest.mark.parametrize("given", ["text", "path", "bytecode"])
def test_a_module_becomes_files(given, tmp_path):
    module = PRODUCT
    if given == "path":
        module = tmp_path / "model.mlir"
        module.write_text(PRODUCT)
    elif given == "bytecode":
        module = jax.export.export(jax.jit(lambda w, x: x @ w))(numbers(3, 20), numbers(2, 3)).mlir_module_serialized
    w = numbers(3, 20)
    export_stablehlo(module, None, tmp_path / "model", params={"dense.weight": w}, output_names=["y"])
    graph = read_graph(tmp_path / "model")
    assert [(value.name, value.shape) for value in graph.inputs] == [("input", (2, 3))]
    assert [output.name for output in graph.outputs] == ["y"] and graph.batch_range is None
    assert [value.name for value in graph.constants()] == ["dense.weight"]
    golden = read_golden(tmp_path / "golden.safetensors")
    np.testing.assert_allclose(golden.outputs[0], golden.inputs[0] @ w, rtol=1e-5)


def test_names_from_jax(tmp_path):
    params = {"layers": [{"w": numbers(3, 20)}, {"w": numbers(20, 30)}], "unused": numbers(50)}

    def fn(p, batch):
        with jax.named_scope("first"):
            hidden = jnp.tanh(batch["x"] @ p["layers"][0]["w"])
        return {"y": hidden @ p["layers"][1]["w"], "h": hidden + batch["a"]}

    inputs = ({"x": numbers(2, 3), "a": numbers(2, 20), "unused": numbers(2, 7)},)
    export_jax(fn, params, inputs, tmp_path / "m", via="stablehlo")
    graph = read_graph(tmp_path / "m")
    assert [value.name for value in graph.inputs] == ["a", "unused", "x"]
    assert [output.name for output in graph.outputs] == ["h", "y"]
    assert {value.name for value in graph.constants()} == {"layers.0.w", "layers.1.w"}
    assert graph.batch_range == (1, 65536)
    assert all(output.rows for output in graph.outputs)
    assert [node.name for node in graph.nodes if node.op == "tanh"] == ["first"]


def test_parameters_of_other_dtypes_and_closures():
    params = {"half": numbers(3, 3).astype(jnp.bfloat16), "mask": np.array([True, False, True])}
    table = jnp.asarray(numbers(5, 3).astype(jnp.bfloat16))

    def fn(p, x):
        return jnp.where(p["mask"], x @ p["half"].astype(jnp.float32), 0.0) + table[1:3].astype(jnp.float32)

    x = numbers(2, 3)
    (got,) = evaluate(lower_jax(fn, params, (x,), via="stablehlo", static=True).graph, [x])
    np.testing.assert_allclose(got, fn(params, x), rtol=1e-5)


def test_via_something_else():
    with pytest.raises(ExportError, match="via 'hlo'; expected one of direct, stablehlo"):
        lower_jax(lambda p, x: x, (), (numbers(3),), via="hlo")


def test_function_that_raises():
    with pytest.raises(ExportError, match="JAX cannot trace the function: TypeError"):
        lower_jax(lambda p, x: x @ jnp.ones((7, 2)), (), (numbers(4, 3),), via="stablehlo")
