"""What is refused, with which class and words; the model serves on after each."""

import re

import numpy as np
import pytest

import rml

X = np.zeros((2, 12), np.float32)


def f32(*shape):
    return np.zeros(shape, np.float32)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([f32(2, 11)], "input 'x' is f32[2, 11]; expected f32[B, 12]"),
        ([f32(12)], "input 'x' is f32[12]; expected f32[B, 12]"),
        ([f32(0, 12)], "input 'x' is f32[0, 12]; expected f32[B, 12]"),
        ([X.astype(np.float64)], "input 'x' is f64[2, 12]; expected f32[B, 12]"),
        ([X.astype(np.float16)], "input 'x' is f16[2, 12]; expected f32[B, 12]"),
        ([X.astype(np.int32)], "input 'x' is i32[2, 12]; expected f32[B, 12]"),
        ([X.astype(np.int64)], "input 'x' is i64[2, 12]; expected f32[B, 12]"),
        ([X.astype(np.uint8)], "input 'x' is u8[2, 12]; expected f32[B, 12]"),
        ([X.astype(bool)], "input 'x' is bool[2, 12]; expected f32[B, 12]"),
        ([X.astype(complex)], "input 'x' is complex128[2, 12]; expected f32[B, 12]"),
        ([f32(*[1] * 9)], "input 'x' is f32[1, 1, 1, 1, 1, 1, 1, 1, 1]; expected f32[B, 12]"),
        (["text"], "input 'x' is a str, no array of numbers; expected f32[B, 12]"),
        ([None], "input 'x' is a NoneType, no array of numbers; expected f32[B, 12]"),
        ([], "the model has 1 inputs (x); got 0"),
        ([X, X], "the model has 1 inputs (x); got 2"),
        ([{}], "input 'x' (f32[B, 12]) is missing"),
        ([{"y": X}], "input 'x' (f32[B, 12]) is missing; there is no input 'y'; the model has x"),
        ([{"x": X, 1: X}], "there is no input '1'; the model has x"),
    ],
)
def test_inputs_that_do_not_fit(mlp, inputs, message):
    with pytest.raises(rml.InvalidArgument, match=f"^{re.escape(message)}$"):
        mlp.run(*inputs)
    assert mlp.run(X)[0].shape == (2, 4)


def test_every_wrong_input_is_named(two_tower):
    first, second = (info.name for info in two_tower.inputs)
    with pytest.raises(rml.InvalidArgument, match=rf"'{first}' is f64\[1\].*; input '{second}' is f64\[2\]"):
        two_tower.run(np.zeros(1), np.zeros(2))


def read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ([f32(3, 4)], "output 'logits' is f32[3, 4]; expected f32[2, 4]"),
        ([np.zeros((2, 4), np.int32)], "output 'logits' is i32[2, 4]; expected f32[2, 4]"),
        ([np.zeros((2, 4))], "output 'logits' is f64[2, 4]; expected f32[B, 4]"),
        ([f32(4, 2).T], "output 'logits' is not C-contiguous or not aligned; expected an array that is"),
        ([f32(2, 8)[:, ::2]], "output 'logits' is not C-contiguous or not aligned; expected an array that is"),
        ([read_only(f32(2, 4))], "output 'logits' is read-only; expected a writable array"),
        ([[[0.0] * 4] * 2], "output 'logits' is a list; expected an array f32[B, 4]"),
        ([], "the model has 1 outputs (logits); got 0"),
        ({"y": f32(2, 4)}, "output 'logits' (f32[B, 4]) is missing; there is no output 'y'; the model has logits"),
        (f32(2, 4), "outputs are a dict by name, a list or a tuple; got ndarray"),
        ([X.reshape(-1)[4:12].reshape(2, 4)], "output 'logits' shares memory with input 'x'"),
    ],
)
def test_out_that_does_not_fit(mlp, out, message):
    with pytest.raises(rml.InvalidArgument, match=f"^{re.escape(message)}$"):
        mlp.run(X, out=out)
    assert mlp.run(X)[0].shape == (2, 4)


def test_errors_are_also_python_s_own(mlp, tmp_path):
    with pytest.raises(ValueError, match="expected f32"):
        mlp.run(X[0])
    with pytest.raises(FileNotFoundError, match=r"missing\.json"):
        rml.load(tmp_path / "missing.json")
    assert issubclass(rml.ResourceExhausted, MemoryError)
    assert all(issubclass(getattr(rml, name), rml.RmlError) for name in ("Internal", "Unimplemented", "NotFound"))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"threads": 0}, rml.InvalidArgument, "threads is 0; expected at least 1"),
        ({"disabled_passes": ["nope"]}, rml.InvalidArgument, "nope"),
        ({"isa": "sse"}, rml.InvalidArgument, "sse"),
        ({"threads": "two"}, TypeError, "incompatible function arguments"),
    ],
)
def test_options_that_do_not_exist(options, error, message):
    with pytest.raises(error, match=message):
        rml.load("tests/fixtures/torch_mlp.json", **options)


def test_a_damaged_file_is_named(tmp_path):
    path = tmp_path / "model.json"
    path.write_text("{")
    with pytest.raises(rml.InvalidArgument, match=r"model\.json"):
        rml.load(path)


def test_profile_and_steps_check_rows(mlp):
    with pytest.raises(rml.InvalidArgument, match="runs is 0; expected at least 1"):
        mlp.profile(runs=0)
    for call in (lambda: mlp.profile(rows=0), lambda: mlp.step_info(0)):
        with pytest.raises(rml.InvalidArgument, match=f"rows is 0; this model takes 1 to {mlp.max_rows}"):
            call()
    with pytest.raises(rml.InvalidArgument, match=r"input 'x' is f32\[2, 3\]"):
        mlp.profile([f32(2, 3)])


def test_an_index_out_of_range_names_the_node(golden):
    model = rml.load("tests/fixtures/torch_encoder.json")
    [tokens], _ = golden("torch_encoder")
    with pytest.raises(rml.InvalidArgument, match="gather"):
        model.run(np.full_like(tokens, 2**30))
    assert model.run(tokens)
