"""The Builder: examples, folding, refusals, outputs."""

import numpy as np
import pytest
from rml_export import Builder, ExportError
from rml_export.canonical import canonical

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_values_carry_examples():
    b = Builder()
    y = b.op("mul", b.input("x", X), b.constant(2.0), name="scale")
    np.testing.assert_array_equal(y.example, X * 2)
    assert (y.dtype, y.shape, y.producer.name) == ("f32", (2, 3), "scale")


def test_ops_on_constants_fold():
    b = Builder()
    folded = b.op("transpose", b.constant(X), perm=(1, 0))
    assert folded.is_constant and not b.graph.nodes and b.folded == 1
    np.testing.assert_array_equal(folded.data, X.T)
    kept = b.op("transpose", b.constant(X), perm=(1, 0), fold=False)
    assert not kept.is_constant and len(b.graph.nodes) == 1


def test_axes_become_non_negative_and_defaults_are_filled_in():
    b = Builder()
    x = b.input("x", X)
    assert b.op("softmax", x, axis=-1).producer.attrs == {"axis": 1}
    assert b.op("reduce_sum", x, axes=(-2,)).producer.attrs == {"axes": (0,), "keep_dims": False}
    assert b.op("unsqueeze", x, axes=(-1,)).shape == (2, 3, 1)


REFUSALS = {
    "unknown op": (lambda b, x: b.op("fft", x, axis=0), "has no op 'fft'"),
    "unknown attribute": (lambda b, x: b.op("softmax", x, axis=0, beta=1.0), "unknown attribute 'beta', it takes axis"),
    "missing attribute": (lambda b, x: b.op("softmax", x), "attribute 'axis' is missing"),
    "wrong type": (lambda b, x: b.op("softmax", x, axis=1.5), "is 1.5, expected int"),
    "bool for int": (lambda b, x: b.op("softmax", x, axis=True), "is True, expected int"),
    "not finite": (lambda b, x: b.op("clamp", x, min=-np.inf), "expected a finite number"),
    "clamp without bounds": (lambda b, x: b.op("clamp", x), "needs min or max"),
    "axis too large": (lambda b, x: b.op("softmax", x, axis=2), "is 2, expected an axis of rank 2"),
    "too few inputs": (lambda b, x: b.op("add", x), "1 inputs, expected 2"),
    "i32 for an f32 op": (lambda b, x: b.op("exp", b.input("i", [1, 2])), "input 0 is 'i' i32[2], expected f32"),
    "mixed dtypes": (lambda b, x: b.op("add", x, b.constant(1)), "input 1 is i32[], expected f32 like the first"),
    "f32 indices": (lambda b, x: b.op("gather", x, x, axis=0, mode="error"), "input 1 is 'x' f32[2, 3], expected i32"),
    "shapes that do not broadcast": (
        lambda b, x: b.op("add", x, b.constant(np.ones(2))),
        "node (add) on 'x' f32[2, 3]",
    ),
    "wrong number of outputs": (lambda b, x: b.op("top_k", x, k=1, axis=0), "asked for 1 outputs, it has 2"),
    "the node's name": (lambda b, x: b.op("softmax", x, name="head"), "node 'head' (softmax)"),
    "input twice": (lambda b, x: b.input("x", X), "two inputs are named 'x'"),
    "input without a name": (lambda b, x: b.input("", X), "an input has an empty name"),
    "output without a name": (lambda b, x: b.output("", b.op("exp", x)), "an output has an empty name"),
    "output twice": (lambda b, x: (b.output("y", b.op("exp", x)), b.output("y", x)), "two outputs are named 'y'"),
    "rank over 8": (lambda b, x: b.op("reshape", x, shape=(1,) * 8 + (6,)), "rank 9; the limit is 8"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusal(name):
    make, text = REFUSALS[name]
    b = Builder()
    with pytest.raises(ExportError) as error:
        make(b, b.input("x", X))
    assert text in str(error.value)


def test_outputs_are_computed():
    b = Builder()
    b.output("x_again", b.input("x", X))
    b.output("constant", b.constant(X))
    assert [output.value.producer.op for output in b.graph.outputs] == ["reshape", "reshape"]
    np.testing.assert_array_equal(b.evaluate([X + 1])[0], X + 1)


def test_evaluate_checks_its_inputs():
    b = Builder()
    b.output("y", b.op("exp", b.input("x", X)))
    with pytest.raises(ExportError, match="2 inputs, expected 1"):
        b.evaluate([X, X])
    with pytest.raises(ExportError, match=r"float32\[3, 2\], expected 'x' f32\[2, 3\]"):
        b.evaluate([X.T])


def test_canonical():
    assert canonical(np.array([True, False])).tolist() == [1.0, 0.0]
    assert canonical(np.float64(0.1)).dtype == np.float32
    assert canonical(np.array(7, np.uint8)).dtype == np.int32
    with pytest.raises(ExportError, match="2147483648, which does not fit into int32"):
        canonical(np.array([0, 2**31]))
    with pytest.raises(ExportError, match="complex64"):
        canonical(np.zeros(1, np.complex64))
