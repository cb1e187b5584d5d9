"""What stands in the files: text, alignment, round trips, symbolic dims."""

import json
import zlib

import numpy as np
import pytest
from rml_export import Builder, ExportError
from rml_export.dims import BatchMultiple, parse_dim
from rml_export.evaluate import evaluate
from rml_export.golden import Tolerance, difference, dump_golden, read_golden
from rml_export.graph import Graph, Node, Output, Value
from rml_export.reader import load_graph, read_graph
from rml_export.safetensors_file import deserialize, serialize
from rml_export.writer import dump_graph, file_paths, float_text, write_graph
from safetensors import safe_open
from safetensors.numpy import load, load_file

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def linear(weight: np.ndarray) -> Builder:
    b = Builder()
    y = b.op("matmul", b.input("x", X), b.constant(weight, "fc.weight"), name="fc")
    b.output("y", b.op("add", y, b.constant(0.1)))
    return b


def test_text():
    text, weights = dump_graph(linear(np.ones((3, 2))).graph, "test")
    assert (
        text
        == f"""{{"format":"rml-graph","version":1,"producer":"test",
"weights":{{"bytes":{len(weights)},"crc32":"{zlib.crc32(weights):08x}"}},
"inputs":[
{{"id":0,"name":"x","dtype":"f32","shape":[2,3]}}
],
"constants":[
{{"id":1,"name":"fc.weight","dtype":"f32","shape":[3,2]}},
{{"id":2,"dtype":"f32","shape":[],"data":[0.1]}}
],
"nodes":[
{{"op":"matmul","in":[0,1],"out":[3],"name":"fc"}},
{{"op":"add","in":[3,2],"out":[4]}}
],
"values":[
{{"id":3,"dtype":"f32","shape":[2,2]}},
{{"id":4,"dtype":"f32","shape":[2,2]}}
],
"outputs":[
{{"id":4,"name":"y"}}
]}}
"""
    )


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31m", "\x9b", "\u202e", "\ufeff", "\ud800"], ids=ascii)
def test_names_are_printable(name):
    b = Builder()
    b.output(name, b.op("neg", b.input("x", X)))
    with pytest.raises(ExportError, match="do not print"):
        dump_graph(b.graph, "test")


def test_names_of_padding_are_taken():
    b = Builder()
    b.output("y", b.op("add", b.input("x", X), b.constant(X, "__pad.0")))
    with pytest.raises(ExportError, match=r"constant name '__pad\.0' is taken"):
        dump_graph(b.graph, "test")


def test_names_of_any_language():
    b = Builder()
    b.output("größe", b.op("neg", b.input("入力", X)))
    assert '"name":"入力"' in dump_graph(b.graph, "test")[0]


@pytest.mark.parametrize("data", [[np.inf], [-np.inf], [np.nan], np.arange(17.0)])
def test_what_json_cannot_hold_is_stored(data):
    b = Builder()
    b.output("y", b.op("add", b.input("x", np.zeros(1)), b.constant(np.array(data))))
    text, weights = dump_graph(b.graph, "test")
    assert json.loads(text)["constants"] == [{"id": 1, "name": "const.0", "dtype": "f32", "shape": [len(data)]}]
    np.testing.assert_array_equal(load(weights)["const.0"], np.array(data, np.float32))


def test_floats_are_the_shortest_that_read_back():
    bits = np.random.default_rng(0).integers(0, 2**32, 20000, dtype=np.uint32)
    for value in [*bits.view(np.float32), np.float32(1e-5), np.float32(16777217.0), np.float32(-0.0)]:
        if np.isfinite(value):
            text = float_text(value)
            assert np.float32(json.loads(text)).tobytes() == value.tobytes() or (value == 0 and json.loads(text) == 0)
    assert [float_text(1e-5), float_text(0.1), float_text(3.0)] == ["1e-05", "0.1", "3.0"]
    with pytest.raises(ValueError, match="JSON has no"):
        float_text(np.nan)


def test_read_back(tmp_path):
    b = linear(np.random.default_rng(0).standard_normal((3, 5)))
    write_graph(b.graph, tmp_path / "model", "test")
    again = read_graph(tmp_path / "model.json")
    assert dump_graph(again, "test") == dump_graph(b.graph, "test")
    np.testing.assert_array_equal(evaluate(again, [X])[0], b.evaluate([X])[0])


def test_damaged_weights_are_noticed():
    text, weights = dump_graph(linear(np.ones((3, 2))).graph, "test")
    with pytest.raises(ValueError, match="crc32"):
        load_graph(text, weights[:-1] + b"\x01")


def test_weights_that_are_views_keep_their_logical_values(tmp_path):
    weight = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32).T
    assert not weight.flags.c_contiguous
    write_graph(linear(weight).graph, tmp_path / "m", "test")
    np.testing.assert_array_equal(load_file(tmp_path / "m.safetensors")["fc.weight"], weight)
    np.testing.assert_array_equal(load(serialize({"w": weight, "f": np.asfortranarray(X)}))["f"], X)


def test_official_library_reads_it_and_every_tensor_is_aligned(tmp_path):
    tensors = {
        "a": X,
        "empty": np.zeros((0, 3), np.float32),
        "s": np.float32(2.5).reshape(()),
        "i": np.arange(5, dtype=np.int32),
    }
    data = serialize(tensors, {"atol": "0.1"})
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    assert (8 + size) % 64 == 0
    assert all(entry["data_offsets"][0] % 64 == 0 for name, entry in header.items() if name in tensors)
    (tmp_path / "t.safetensors").write_bytes(data)
    with safe_open(tmp_path / "t.safetensors", "np") as file:
        assert file.metadata() == {"atol": "0.1"}
        for name, tensor in tensors.items():
            np.testing.assert_array_equal(file.get_tensor(name), tensor)
    ours, metadata = deserialize(data)
    assert set(ours) == set(tensors) and metadata == {"atol": "0.1"}


@pytest.mark.parametrize("data", [b"", b"1234567", b"\xff" * 8, serialize({"a": X})[:-4]])
def test_broken_weights_are_value_errors(data):
    with pytest.raises(ValueError):
        deserialize(data)


def test_symbolic_dims_round_trip():
    x = Value("f32", (BatchMultiple(1), 3), name="x", rows=True)
    y = Value("f32", (BatchMultiple(3),))
    y.producer = Node("reshape", [x], [y], {"shape": (BatchMultiple(3),)})
    graph = Graph([x], [y.producer], [Output("y", y, rows=True)], batch_range=(1, 64))
    text, weights = dump_graph(graph, "test")
    assert '"symbols":{"B":{"min":1,"max":64}}' in text
    assert '"shape":["B",3],"rows":true' in text and '"attrs":{"shape":["3*B"]}' in text
    again = load_graph(text, weights)
    assert dump_graph(again, "test")[0] == text
    np.testing.assert_array_equal(evaluate(again, [np.ones((5, 3))])[0], np.ones(15))


@pytest.mark.parametrize("text", ["b", "B*2", "0*B", "-1*B", "2*B*B", "", 1.5, True])
def test_dims_that_are_none(text):
    with pytest.raises(ValueError, match="expected an integer"):
        parse_dim(text)


def test_paths():
    assert [path.name for path in file_paths("x/net.json")] == ["net.json", "net.safetensors", "net.golden.safetensors"]
    assert file_paths("x/1/model")[2].name == "golden.safetensors"
    assert file_paths("v1.5")[0].name == "v1.5.json"


def test_golden(tmp_path):
    (tmp_path / "g").write_bytes(dump_golden([X, np.arange(3)], [X * 2], Tolerance(1e-5, 0.0)))
    golden = read_golden(tmp_path / "g")
    assert golden.tolerance == Tolerance(1e-5, 0.0)
    assert [array.dtype for array in golden.inputs] == [np.float32, np.int32]
    np.testing.assert_array_equal(golden.outputs[0], X * 2)
    with safe_open(tmp_path / "g", "np") as file:
        assert file.metadata() == {"atol": "0.00001", "rtol": "0."}


def test_difference_says_where():
    assert difference(X, X) is None
    assert (
        difference(X, X + np.array([[0, 0, 0], [0, 1, 0]], np.float32))
        == "1 of 6 elements differ, first at [1, 1]: got 4.0, expected 5.0"
    )
    assert difference(np.full(1, np.nan, np.float32), np.zeros(1, np.float32)) is not None
    assert "expected float32[2, 3]" in difference(X.T, X)
