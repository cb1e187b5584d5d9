"""Models as files: the batch, open dims, names, functions, branches, and what is refused."""

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper, parser
from rml_export import ExportError, export_onnx
from rml_export.dims import BatchMultiple
from rml_export.evaluate import evaluate
from rml_export.from_onnx import lower_onnx
from rml_export.golden import Tolerance
from rml_export.graph import count_by_op
from rml_export.reader import read_graph

from tests.exporter.comparing import numbers
from tests.exporter.from_onnx.lower import check, model

X = numbers(2, 3, 4)
HEADS = """
s = Shape <start = 0, end = 1> (x)
t = Concat <axis = 0> (s, two, rest)
h = Reshape (x, t)
m = Reshape (h, flat)
z = Expand (zeros, s)
p = Softmax (m)
q = Reshape (p, back)
y = Add (q, x)
"""
HELD = {"two": np.array([2]), "rest": np.array([-1, 4]), "flat": np.array([-1, 4]), "back": np.array([-1, 6, 4])}
HELD["zeros"] = np.zeros(1, np.float32)


@pytest.mark.parametrize("runtime", ["onnxruntime", "reference"])
def test_any_batch_and_names(tmp_path, runtime):
    proto = model(HEADS, {"x": numbers(2, 6, 4)}, HELD, dims={"x": ("N", 6, 4)})
    export_onnx(proto, tmp_path / "m", runtime=runtime)
    graph = read_graph(tmp_path / "m")
    assert [value.shape for value in graph.inputs] == [(BatchMultiple(1), 6, 4)]
    assert [(output.name, output.rows) for output in graph.outputs] == [("y", True)]
    assert graph.batch_range == (1, 65536)


def test_a_model_in_a_file_keeps_the_names_of_its_weights(tmp_path):
    proto = model("y = Gemm (x, fc_w, fc_b)", {"x": X[0]}, {"fc_w": numbers(4, 20), "fc_b": numbers(20)})
    onnx.save(proto, tmp_path / "net.onnx")
    export_onnx(tmp_path / "net.onnx", tmp_path / "m", input_names=["image"], output_names=["score"])
    graph = read_graph(tmp_path / "m")
    assert {value.name for value in graph.constants()} == {"fc_w", "fc_b"}
    assert ([value.name for value in graph.inputs], graph.outputs[0].name) == (["image"], "score")
    assert graph.batch_range is None  # the file says 3 rows


def test_open_dims_are_named_until_they_have_sizes():
    proto = model("y = Add (x, z)", {"x": X, "z": X}, dims={"x": ("N", "seq", 4), "z": ("N", None, "width")})
    with pytest.raises(ExportError) as caught:
        lower_onnx(proto)
    assert caught.value.problems == (
        "dim 'seq' (axis 1 of 'x') is open: fix its size, --dim seq=SIZE",
        "dim 'z:1' (axis 1 of 'z') is open: fix its size, --dim z:1=SIZE",
        "dim 'width' (axis 2 of 'z') is open: fix its size, --dim width=SIZE",
    )
    export = lower_onnx(proto, dims={"seq": 3, "z:1": 3, "width": 4})
    assert [value.shape for value in export.graph.inputs] == [(BatchMultiple(1), 3, 4)] * 2
    by_example = lower_onnx(proto, inputs=[X, X])
    assert [value.shape for value in by_example.graph.inputs] == [(BatchMultiple(1), 3, 4)] * 2
    fixed = lower_onnx(proto, dims={"seq": 3, "z:1": 3, "width": 4, "N": 5})
    assert (fixed.graph.batch_range, fixed.graph.inputs[0].shape) == (None, (5, 3, 4))


def test_an_input_without_the_batch_may_have_its_size_by_chance():
    proto = model("y = MatMul (a, x)", {"a": numbers(2, 2), "x": X[:, :2]}, dims={"x": ("N", 2, 4)})
    export = lower_onnx(proto)
    assert [value.shape for value in export.graph.inputs] == [(2, 2), (BatchMultiple(1), 2, 4)]


def test_a_batch_that_the_file_fixes_can_be_opened(tmp_path):
    lines = "m = Relu (x)\ns = Reshape (m, rest)\nt = Add (s, z)\ny = Softmax (t)"
    proto = model(lines, {"x": X[:1], "z": X[:1, 0]}, {"rest": np.array([-1, 4, 3])}, opset=17)
    proto.graph.node.append(parser.parse_node("u = ReduceMax <axes = [2], keepdims = 0> (y)"))
    proto.graph.output[0].CopyFrom(helper.make_tensor_value_info("u", 1, [1, 4]))
    proto.graph.value_info.append(helper.make_tensor_value_info("m", 1, [1, 3, 4]))
    proto.graph.input[1].type.tensor_type.shape.dim[1].dim_value = 1
    proto.graph.input[1].type.tensor_type.shape.dim.add(dim_value=3)
    onnx.save(proto, tmp_path / "net.onnx")
    assert lower_onnx(tmp_path / "net.onnx").graph.batch_range is None
    for runtime in ("onnxruntime", "reference"):
        graph = lower_onnx(tmp_path / "net.onnx", open_batch=True, runtime=runtime).graph
        assert [value.shape[0] for value in graph.inputs] == [BatchMultiple(1)] * 2
        assert graph.outputs[0].rows


def test_a_batch_that_cannot_be_opened():
    baked = model(
        "a = Reshape (x, one)\ny = MatMul (a, w)", {"x": X[:1]}, {"one": np.array([1, 12]), "w": numbers(12, 2)}
    )
    assert lower_onnx(baked).graph.batch_range is None
    with pytest.raises(ExportError, match=r"op Reshape: .* at 'a'"):
        lower_onnx(baked, open_batch=True)
    with pytest.raises(ExportError, match="is for a model whose file fixes axis 0"):
        lower_onnx(model("y = Neg (x)", {"x": X}, dims={"x": ("N", 3, 4)}), open_batch=True)


WRONG_INPUTS = {
    "count": ({"inputs": [X, X]}, "2 example inputs for 1 inputs"),
    "input": ({"inputs": {"z": X}, "dims": {"S": 3}}, "no input 'z'; the model's are x"),
    "rank": ({"inputs": [X[0]]}, r"input 'x': the example is float32\[3, 4\], expected f32\[N, S, 4\]"),
    "dtype": ({"inputs": [X.astype(int)]}, r"the example is int32\[2, 3, 4\], expected f32\[N, S, 4\]"),
    "size": ({"inputs": [X[:, :, :3]]}, "input 'x': axis 2 of the example is 3, expected 4"),
    "dim_and_example": ({"inputs": [X], "dims": {"S": 5}}, "axis 1 of the example is 3, expected 5"),
    "unknown_dim": ({"dims": {"S": 3, "T": 3}}, "no dim 'T'; open dims are N, S"),
    "negative_dim": ({"dims": {"S": -3}}, "dim 'S' = -3; expected a number from 0"),
    "names": ({"dims": {"S": 3}, "output_names": ["a", "b"]}, "2 output names for 1 outputs"),
    "runtime": ({"dims": {"S": 3}, "runtime": "mine"}, "runtime 'mine'; expected one of onnxruntime, reference"),
}


@pytest.mark.parametrize("name", WRONG_INPUTS)
def test_inputs_that_do_not_fit(name):
    given, text = WRONG_INPUTS[name]
    proto = model("y = Neg (x)", {"x": X}, dims={"x": ("N", "S", 4)})
    with pytest.raises(ExportError, match=text):
        lower_onnx(proto, **given)


def test_a_batch_that_is_part_of_the_result_is_refused_with_advice():
    proto = model("y = ReduceMean <keepdims = 0> (x, a)", {"x": X}, {"a": np.array([0])}, dims={"x": ("N", 3, 4)})
    export = lower_onnx(proto)
    assert not export.graph.outputs[0].rows
    proto = model("s = Size (x)\nf = CastLike (s, x)\ny = Div (x, f)", {"x": X}, dims={"x": ("N", 3, 4)})
    with pytest.raises(ExportError, match="a static one"):
        lower_onnx(proto)
    assert lower_onnx(proto, static=True).graph.batch_range is None


FUNCTION = parser.parse_function(
    '<domain: "mine", opset_import: ["" : 21]> scaled <factor> (x, w) => (y) {'
    " f = Constant <value_float: float = @factor> ()  a = Mul (x, f)  y = Clip (a, w) }"
)


def test_functions_are_inlined():
    proto = model(
        "a = mine.scaled <factor = 2.0> (x, )\ny = mine.scaled <factor = 0.5> (a, low)",
        {"x": X},
        {"low": np.float32(0)},
        functions=[FUNCTION],
    )
    export = lower_onnx(proto, runtime="onnxruntime")
    assert count_by_op(export.graph) == {"mul": 2, "clamp": 1}
    np.testing.assert_array_equal(evaluate(export.graph, [X])[0], np.maximum(X, 0))


@pytest.mark.parametrize("condition", [True, False])
def test_a_branch_on_a_constant(condition):
    then = parser.parse_graph("t () => (float[N] r) { two = Constant <value_float = 2.0> () r = Mul (x, two) }")
    other = parser.parse_graph("e () => (float[N] r) { r = Neg (x) }")
    proto = model("y = Identity (a)", {"x": X}, {"c": np.array(condition)})
    proto.graph.node.insert(0, helper.make_node("If", ["c"], ["a"], then_branch=then, else_branch=other))
    export = lower_onnx(proto, runtime="reference")
    np.testing.assert_array_equal(evaluate(export.graph, [X])[0], X * 2 if condition else -X)


def test_branches_within_functions_see_what_surrounds_them():
    inner = parser.parse_graph("t () => (float[A, B, C] r) { r = Mul (x, x) }")
    other = parser.parse_graph("e () => (float[A, B, C] r) { r = Neg (x) }")
    choice = helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=other)
    body = helper.make_function("mine", "chosen", ["x", "c"], ["y"], [choice], [helper.make_opsetid("", 21)])
    lines = (
        "n = Size (x)\nz = Sub (n, n)\nc = Equal (n, z)\nd = Not (c)\na = mine.chosen (x, d)\ny = mine.chosen (a, c)"
    )
    export = lower_onnx(model(lines, {"x": X}, functions=[body]))
    np.testing.assert_array_equal(evaluate(export.graph, [X])[0], -(X * X))


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.uint8, np.int8, np.int64, np.bool_])
def test_inputs_of_other_dtypes(dtype):
    x = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    proto = model("a = Cast <to = 1> (x)\nb = Mul (a, w)\ny = Concat <axis = 0> (b, a)", {"x": x}, {"w": numbers(3)})
    export = lower_onnx(proto, inputs=[x], static=True)
    assert export.graph.inputs[0].dtype == ("f32" if x.dtype.kind in "fb" else "i32")
    assert export.outputs[0].dtype == np.float32


def test_half_precision_needs_a_tolerance_that_it_can_meet():
    x, w = (numbers(*shape).astype(np.float16) for shape in ((4, 64), (64, 8)))
    proto = model("y = MatMul (x, w)", {"x": x}, {"w": w})
    with pytest.raises(ExportError, match="differs from onnxruntime"):
        lower_onnx(proto, inputs=[x], static=True, tolerance=Tolerance(1e-6, 1e-6))
    export = lower_onnx(proto, inputs=[x], static=True, tolerance=Tolerance(0.02, 0.02))
    assert export.graph.constants()[0].dtype == "f32"


def test_quantised_weights_become_floats():
    held = {"w": np.array([[1, -2], [3, 100]], np.int8), "s": np.float32(0.5)}
    export = check("v = DequantizeLinear (w, s)\ny = MatMul (x, v)", {"x": numbers(3, 2)}, held, runtime="reference")
    assert count_by_op(export.graph) == {"matmul": 1}


def test_operators_that_onnx_defines_by_others():
    export = check("y = HardSigmoid <alpha = 0.3> (x)", {"x": X})
    assert "hard" not in "".join(count_by_op(export.graph))


UNSUPPORTED = {
    "no_op": ("y = Det (q)", "unsupported op Det: rml-graph has no op for it at 'y'"),
    "unknown_op": ("y = Strange (x)", "op Strange: opset 21 of ONNX has no such operator"),
    "domain": (
        "y = com.microsoft.FusedGelu (x)",
        r"op com.microsoft.FusedGelu: the domain 'com.microsoft' has no such",
    ),
    "random": ("r = RandomNormal <shape = [3]> ()\ny = Add (x, r)", "op RandomNormal: its result is random at 'r'"),
    "shape_from_data": ("i = Cast <to = 7> (x)\ny = Expand (x, i)", "op Expand: "),
    "integer_product": ("i = Cast <to = 6> (q)\ny = MatMul (i, i)", "op MatMul: products of integers"),
    "narrow": ("i = Cast <to = 2> (x)\ny = Add (x, x)", "op Cast: a cast to uint8"),
    "four_axes": ("y = Conv (v, k)", "op Conv: over 4 spatial axes"),
    "big_number": ("y = Add (n, n)", "op Add: .* holds 5000000000, which does not fit into int32"),
    "undefined": ("y = Add (x, nothing)", "op Add: it reads 'nothing', which nothing before it makes"),
    "wrong_shapes": ("y = Add (x, l)", "op Add: it cannot be as it is: .*"),
    "attribute": ("y = Neg <strange = 1> (x)", "op Neg: .*strange"),
    "huge": ("a = ConstantOfShape (h)\ny = Add (x, a)", r"a result of shape \[1000000, 1000000\]"),
    "huge_of_data": ("o = ReduceMax (x)\ny = Expand (o, h3)", r"op Expand: a result of shape \[1000000, 3, 1000000\]"),
    "index": ("y = Gather (x, two)", "op Gather: an index that is outside an axis of 2"),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_unsupported(name):
    lines, text = UNSUPPORTED[name]
    held = {
        "v": numbers(1, 1, 3, 3, 3, 3),
        "k": numbers(1, 1, 2, 2, 2, 2),
        "l": numbers(5, 5),
        "big": np.array([5000000000]),
        "h": np.array([1000000, 1000000]),
        "h3": np.array([1000000, 3, 1000000]),
        "two": np.array(2),
    }
    inputs = {"x": X}
    if name == "four_axes":
        inputs["v"] = held.pop("v")
    if "(q)" in lines:
        inputs["q"] = numbers(3, 3)
    if name == "big_number":
        inputs["n"], lines = np.array([1]), "y = Add (n, big)"
    with pytest.raises(ExportError, match=text):
        lower_onnx(model(lines, inputs, held), inputs=list(inputs.values()), static=True, runtime="reference")


def test_all_problems_at_once_and_nothing_written(tmp_path):
    proto = model("a = Det (x)\nb = Add (a, a)\nc = Unique (b)\nd = Neg (c)\ny = Det (x)", {"x": numbers(4, 3, 3)})
    with pytest.raises(ExportError) as caught:
        export_onnx(proto, tmp_path / "m", runtime="reference")
    assert caught.value.problems == (
        "unsupported op Det: rml-graph has no op for it at 'a' (and 1 more)",
        "unsupported op Unique: the shape of its result depends on the inputs at 'c'",
    )
    assert list(tmp_path.iterdir()) == []


def proto_with(**changes):
    proto = model("y = Add (x, w)", {"x": X}, {"w": numbers(4)})
    for change in changes.values():
        change(proto)
    return proto


def add_sparse(proto):
    values, places = numpy_helper.from_array(np.ones(1, np.float32), "sparse"), numpy_helper.from_array(np.array([0]))
    proto.graph.sparse_initializer.append(helper.make_sparse_tensor(values, places, [4]))


BROKEN = {
    "opset": (lambda p: setattr(p.opset_import[0], "version", 999), "opset 999; onnx .* knows opsets up to"),
    "huge_opset": (
        lambda p: (p.opset_import.add(domain="mine", version=2**40), p.graph.node.add(op_type="Op", domain="mine")),
        "unsupported op mine.Op: the domain 'mine' has no such operator",
    ),
    "huge_input": (
        lambda p: p.graph.input.append(helper.make_tensor_value_info("t", onnx.TensorProto.FLOAT, [2**40])),
        r"input 't' has the shape \[1099511627776\]; at most 1073741824 elements",
    ),
    "no_opset": (lambda p: p.ClearField("opset_import"), "does not say which opset"),
    "twice": (lambda p: p.graph.node.append(p.graph.node[0]), "'y' is defined 2 times"),
    "short_weights": (
        lambda p: setattr(p.graph.initializer[0], "raw_data", b"1234"),
        r"initializer 'w' of shape \[4\]",
    ),
    "negative_shape": (lambda p: p.graph.initializer[0].dims.__setitem__(0, -1), r"initializer 'w' has shape \[-1\]"),
    "sparse": (add_sparse, "sparse initializers: 'sparse'"),
    "text": (
        lambda p: p.graph.input.append(helper.make_tensor_value_info("t", onnx.TensorProto.STRING, [2])),
        "input 't' has dtype string; rml-graph holds float32 and int32",
    ),
    "unknown_dtype": (
        lambda p: p.graph.input.append(helper.make_tensor_value_info("t", 73, [2])),
        "input 't' has dtype 73; rml-graph holds float32 and int32",
    ),
    "no_rank": (
        lambda p: p.graph.input.append(helper.make_tensor_value_info("t", onnx.TensorProto.FLOAT, None)),
        "input 't' is a tensor without a rank",
    ),
    "sequence": (
        lambda p: p.graph.input.append(helper.make_tensor_sequence_value_info("t", onnx.TensorProto.FLOAT, [2])),
        "input 't' is of sequence_type",
    ),
    "missing_output": (
        lambda p: p.graph.output.append(onnx.ValueInfoProto(name="z")),
        "output 'z': nothing computes it",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_models(name):
    change, text = BROKEN[name]
    with pytest.raises(ExportError, match=text):
        lower_onnx(proto_with(change=change), runtime="reference")


def test_what_is_no_model(tmp_path):
    with pytest.raises(ExportError, match=r"cannot read .*: No such file"):
        lower_onnx(tmp_path / "none.onnx")
    for content in (b"", b"\x08\x09", b"no model at all"):
        with pytest.raises(ExportError, match="not an ONNX model"):
            lower_onnx(content)


def test_names_that_are_no_text():
    content = model("y = Neg (x)", {"x": X}).SerializeToString().replace(b"Neg", b"N\xffg")
    with pytest.raises(ExportError, match="not an ONNX model: a name in it is no UTF-8"):
        lower_onnx(content)


def test_a_wrong_lowering_is_blamed_on_its_node(monkeypatch):
    from rml_export.from_onnx.lowering import LOWERINGS

    monkeypatch.setitem(LOWERINGS, "Tanh", lambda c, x: c("sigmoid", x))
    proto = model("a = Neg (x)\nb = Tanh (a)\ny = Exp (b)", {"x": X})
    for runtime in ("onnxruntime", "reference"):
        with pytest.raises(ExportError, match=r"output 'y' differs from onnx\w*: .*; first at Tanh 'b': "):
            lower_onnx(proto, runtime=runtime)
