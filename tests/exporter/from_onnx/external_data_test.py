"""Weights in files beside the model: read from its own folder only, and only if every size is right."""

import numpy as np
import onnx
import pytest
from rml_export import ExportError, export_onnx
from rml_export.evaluate import evaluate
from rml_export.from_onnx import lower_onnx
from rml_export.reader import read_graph

from tests.exporter.comparing import numbers
from tests.exporter.from_onnx.lower import model

X, W = numbers(2, 4), numbers(4, 3, seed=1)
BIAS = np.array([1, -2, 3], np.float16)


def saved(folder):
    """A model whose weights lie in weights.bin: w from byte 0, b from byte 64."""
    proto = model("a = MatMul (x, w)\nc = Cast <to = 1> (b)\ny = Add (a, c)", {"x": X}, {"w": W, "b": BIAS})
    place = folder / "net.onnx"
    folder.mkdir(exist_ok=True)
    (folder / "weights.bin").write_bytes(W.tobytes().ljust(64, b"\0") + BIAS.tobytes())
    for tensor, offset, length in zip(proto.graph.initializer, (0, 64), (48, 6), strict=True):
        tensor.ClearField("raw_data")
        describe(tensor, location="weights.bin", offset=str(offset), length=str(length))
    onnx.save_model(proto, place)
    return place


def describe(tensor, **entries):
    tensor.data_location = onnx.TensorProto.EXTERNAL
    del tensor.external_data[:]
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)


def changed(place, **entries):
    """The model with another description of w."""
    proto = onnx.load(place, load_external_data=False)
    describe(proto.graph.initializer[0], **entries)
    place.write_bytes(proto.SerializeToString())
    return place


@pytest.mark.parametrize("runtime", ["onnxruntime", "reference"])
def test_weights_in_a_file(tmp_path, runtime):
    export_onnx(saved(tmp_path / "net"), tmp_path / "out", static=True, runtime=runtime)
    graph = read_graph(tmp_path / "out")
    assert {value.name for value in graph.constants()} == {"w", "b.cast"}
    np.testing.assert_allclose(evaluate(graph, [X])[0], X @ W + BIAS, rtol=1e-5)


def test_a_wrong_lowering_is_found_in_such_a_model_too(tmp_path, monkeypatch):
    from rml_export.from_onnx.lowering import LOWERINGS

    monkeypatch.setitem(LOWERINGS, "Add", lambda c, a, b: c("sub", a, b))
    with pytest.raises(ExportError, match="first at Add 'y'"):
        lower_onnx(saved(tmp_path / "net"), static=True)


WRONG = {
    "outside": ({"location": "../secret.bin"}, r"external data at '../secret\.bin', outside the model's folder"),
    "absolute": ({"location": "/etc/passwd"}, "external data at '/etc/passwd', outside the model's folder"),
    "link": ({"location": "link.bin"}, r"external data at 'link\.bin', outside the model's folder"),
    "nowhere": ({}, "external data at '', outside the model's folder"),
    "no_file": ({"location": "other.bin"}, r"no file 'other\.bin' beside the model"),
    "folder": ({"location": "."}, r"no file '\.' beside the model"),
    "short": ({"location": "weights.bin", "length": "44"}, r"44 bytes of external data; expected 48 for \[4, 3\]"),
    "beyond": ({"location": "weights.bin", "offset": "40"}, r"bytes 40 to 88 of 'weights\.bin', which has 70"),
    "negative": (
        {"location": "weights.bin", "offset": "-8"},
        "external data with offset '-8'; expected a number from 0",
    ),
    "text": ({"location": "weights.bin", "length": "all"}, "external data with length 'all'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_places_and_sizes_that_are_wrong(name, tmp_path):
    entries, text = WRONG[name]
    place = saved(tmp_path / "net")
    (tmp_path / "secret.bin").write_bytes(W.tobytes())
    (tmp_path / "net" / "link.bin").symlink_to(tmp_path / "secret.bin")
    with pytest.raises(ExportError, match=f"initializer 'w'.*{text}"):
        lower_onnx(changed(place, **entries), static=True)


def test_a_model_in_memory_has_no_folder(tmp_path):
    proto = onnx.load(saved(tmp_path / "net"), load_external_data=False)
    with pytest.raises(ExportError, match=r"lies in the file 'weights\.bin', and a model in memory has no folder"):
        lower_onnx(proto)


def test_every_initializer_that_is_wrong_is_named(tmp_path):
    place = changed(saved(tmp_path / "net"), location="other.bin")
    (tmp_path / "net" / "weights.bin").write_bytes(b"")
    with pytest.raises(ExportError) as caught:
        lower_onnx(place)
    assert len(caught.value.problems) == 2
