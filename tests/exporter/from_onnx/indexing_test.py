"""Gathers, scatters, the largest elements, one-hot against ONNX Runtime."""

import numpy as np
import pytest
from rml_export import ExportError
from rml_export.evaluate import evaluate
from rml_export.from_onnx import lower_onnx
from rml_export.graph import count_by_op

from tests.exporter.comparing import integers, numbers
from tests.exporter.from_onnx.lower import check, model

X = {"x": numbers(3, 4, 5)}
TIES = {"x": np.array([[1, 3, 3, -2], [0, 0, 0, 0], [-5, -5, 7, 7]], np.float32)}


def test_gather_nd():
    places = integers(2, 3, 2, low=-3, high=3)
    check("y = GatherND (x, i)", {**X, "i": places.astype(np.int64)})
    check("y = GatherND (x, i)", X, {"i": np.array([[-1], [0]])})
    check("y = GatherND (x, i)", X, {"i": np.array([1, -1, 2])})


def test_gather_nd_with_batch_axes():
    inputs = {"x": numbers(2, 3, 4, 5), "i": integers(2, 3, 2, 1, low=-4, high=4).astype(np.int64)}
    check("y = GatherND <batch_dims = 2> (x, i)", inputs)
    pairs = {"x": inputs["x"], "i": integers(2, 6, 2, low=0, high=3).astype(np.int64)}
    check("y = GatherND <batch_dims = 1> (x, i)", pairs)
    one = model("y = GatherND <batch_dims = 1> (x, i)", pairs, dims={"x": ("N", 3, 4, 5), "i": ("N", 6, 2)})
    assert lower_onnx(one, inputs=list(pairs.values())).graph.outputs[0].rows


def test_gather_elements():
    check("y = GatherElements <axis = 1> (x, i)", {**X, "i": integers(3, 6, 5, low=-4, high=4).astype(np.int64)})
    check("y = GatherElements (x, i)", X, {"i": integers(2, 3, 4, low=-3, high=3)})


@pytest.mark.parametrize("axes", ["<batch_axis = 0, time_axis = 1>", ""])
def test_reverse_sequence(axes):
    count, steps = (3, 4) if axes else (4, 3)
    lengths = np.array([1, steps, 2, 3][:count])
    check(f"y = ReverseSequence {axes} (x, n)", {**X, "n": lengths})
    check(f"y = ReverseSequence {axes} (x, n)", X, {"n": lengths})


def test_an_index_out_of_range_becomes_no_other_one():
    places = np.array([[0, 0], [1, 2]])
    graph = lower_onnx(model("y = GatherND (x, i)", {**X, "i": places}), inputs=[X["x"], places], static=True).graph
    for wrong in ([[0, 4]], [[-4, 0]], [[2, -5]]):
        with pytest.raises(IndexError, match="index 12 is outside"):
            evaluate(graph, [X["x"], np.array([*wrong, [0, 0]], np.int32)])


REDUCTIONS = ("none", "add", "mul", "max", "min")


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_scatters_to_known_places(reduction, dtype):
    x, updates = (integers(3, 4, seed=seed).astype(dtype) for seed in (0, 1))
    once = np.array([[0, 2, -1, 1], [1, 0, 0, -1]])
    twice = np.array([[0, 2, 0, 1], [0, 2, 0, 1]])
    how = f'<axis = 0, reduction = "{reduction}">'
    check(f"y = ScatterElements {how} (x, i, u)", {"x": x, "u": updates[:2]}, {"i": once}, opset=18)
    if reduction != "none":
        check(f"y = ScatterElements {how} (x, i, u)", {"x": x, "u": updates[:2]}, {"i": twice}, opset=18)
    rows = np.array([[2], [-3]]) if reduction == "none" else np.array([[2], [2]])
    how = f'<reduction = "{reduction}">'
    check(f"y = ScatterND {how} (x, i, u)", {"x": x, "u": updates[:2]}, {"i": rows}, opset=18)
    cells = np.array([[2, 1], [0, -1]])
    check(f"y = ScatterND {how} (x, i, u)", {"x": x, "u": updates[0, :2]}, {"i": cells}, opset=18)


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_sums_at_places_from_the_inputs(dtype):
    x, u = integers(3, 4).astype(dtype), integers(2, 4, seed=1).astype(dtype)
    places = np.array([[0, 2, -1, 1], [1, 2, -3, -2]])
    elements = 'y = ScatterElements <axis = {axis}, reduction = "add"> (x, i, u)'
    check(elements.format(axis=0), {"x": x, "u": u, "i": places}, opset=18)
    check(elements.format(axis=-1), {"x": x, "u": u, "i": places - 1}, opset=18)
    slices = 'y = ScatterND <reduction = "add"> (x, i, u)'
    check(slices, {"x": x, "u": u, "i": np.array([[-1], [2]])}, opset=18)
    graph = check(slices, {"x": x, "u": u[0], "i": np.array([[2, 1], [0, -1], [-3, 3], [2, 1]])}, opset=18).graph
    assert count_by_op(graph)["scatter_add"] == 1


def test_scatter_of_old_opsets():
    check(
        "y = Scatter <axis = 1> (x, i, u)",
        {"x": numbers(2, 4), "u": numbers(2, 1)},
        {"i": np.array([[1], [3]])},
        opset=9,
    )


@pytest.mark.parametrize("given", [X, TIES], ids=["plain", "ties"])
def test_the_largest(given):
    check("y, i = TopK (x, k)", given, {"k": np.array([2])}, outputs=("y", "i"))
    check("y, i = TopK <axis = 0, largest = 0> (x, k)", given, {"k": np.array([2])}, outputs=("y", "i"))
    for op in ("ArgMax", "ArgMin"):
        check(f"y = {op} (x)", given)
        check(f"y = {op} <axis = -1, keepdims = 0> (x)", given)
        check(f"y = {op} <axis = 1, select_last_index = 1> (x)", given)


def test_hardmax():
    check("y = Hardmax (x)", TIES)
    check("y = Hardmax <axis = 0> (x)", TIES)
    check("y = Hardmax (x)", X, opset=11)


@pytest.mark.parametrize("dtype", [np.int64, np.float32])
@pytest.mark.parametrize("axis", ["", "<axis = 0>", "<axis = 1>"])
def test_one_hot(axis, dtype):
    constants = {"d": np.int64(4), "v": np.array([-1, 2], np.float32)}
    inputs = {"x": integers(2, 3, low=-6, high=6).astype(dtype)}
    runtime = "onnxruntime" if dtype is np.int64 else "reference"
    check(f"y = OneHot {axis} (x, d, v)", inputs, constants, runtime=runtime)


UNSUPPORTED = {
    "far_sums": ('y = ScatterElements <reduction = "add"> (x, far, x)', "an index that is outside an axis of 2"),
    "places_from_data": ("y = ScatterElements (x, i, x)", "indices that depend on the inputs"),
    "rows_from_data": ("y = ScatterND (x, i, x)", "indices that depend on the inputs"),
    "k_from_data": ("y, j = TopK (x, i)", "op TopK: a k that depends on the inputs"),
    "outside": ("y = ScatterElements (x, far, x)", "op ScatterElements: an index that is outside an axis of 2"),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_unsupported(name):
    line, text = UNSUPPORTED[name]
    i = np.array([0]) if name == "k_from_data" else np.array([[0, 1], [1, 0]])
    inputs = {"x": numbers(2, 2), "i": i}
    held = {"k": np.array([1]), "far": np.array([[0, 2], [1, 0]])}
    with pytest.raises(ExportError, match=text):
        lower_onnx(model(line, inputs, held), inputs=list(inputs.values()), static=True, runtime="reference")


@pytest.mark.parametrize("largest", [0, 1])
def test_top_k_of_integers_is_exact(largest: int) -> None:
    x = np.array([[7, 2**31 - 1, -(2**31), 7, 2**24 + 1, 2**24, -1, 0, -65536, 65535, -65537, 7]] * 2, np.int32)
    text = f"y, i = TopK<axis = 1, largest = {largest}> (x, k)"
    check(text, {"x": x}, {"k": np.array([9], np.int64)}, outputs=("y", "i"))


@pytest.mark.parametrize("flags", ["", "exclusive = 1", "reverse = 1", "exclusive = 1, reverse = 1"])
def test_running_sums(flags: str) -> None:
    text = f"y = CumSum<{flags}> (x, a)" if flags else "y = CumSum (x, a)"
    check(text, {"x": integers(2, 7, 3)}, {"a": np.int64(1)})
    check(text, {"x": numbers(2, 7, 3)}, {"a": np.int64(-2)})
