"""Control flow, names, what is refused and how, files."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from rml_export import ExportError, export_jax
from rml_export.evaluate import evaluate
from rml_export.from_jax import lower_jax
from rml_export.from_jax import lowering as lowerings
from rml_export.graph import count_by_op
from rml_export.reader import read_graph

from tests.exporter.comparing import numbers
from tests.exporter.from_jax.lower import check


def cumulative(x):
    return lax.scan(lambda s, row: (s + row, s * 2), jnp.zeros(3), x)


LOOPS = {
    "scan": cumulative,
    "reverse_scan": lambda x: lax.scan(lambda s, row: (s + row, s * 2), jnp.zeros(3), x, reverse=True),
    "scan_without_inputs": lambda x: lax.scan(lambda s, _: (s * 2, None), x, None, length=3)[0],
    "scan_of_constants": lambda x: lax.scan(lambda s, k: (s + k, s), x, jnp.arange(3.0))[1],
    "fori_loop": lambda x: lax.fori_loop(0, 4, lambda i, y: y + x[0] * i, x),
    "while": lambda x: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, jnp.tanh(s[1])), (0, x))[1],
    "cond": lambda x: lax.cond(True, jnp.sin, jnp.cos, x),
    "switch": lambda x: lax.switch(2, [jnp.sin, jnp.cos, jnp.tanh], x),
    "remat": jax.checkpoint(lambda x: jnp.sin(x) * 2),
    "vmap": jax.vmap(lambda row: row / row.sum()),
    "custom_vjp": lambda x: clipped(x),
    "scan_over_nothing": lambda x: lax.scan(lambda s, row: (s + row, s), jnp.ones(3), x[:0]),
}


@jax.custom_vjp
def clipped(x):
    return jnp.clip(x, -1, 1)


clipped.defvjp(lambda x: (clipped(x), None), lambda _, g: (g,))


@pytest.mark.parametrize("name", LOOPS)
def test_control_flow(name):
    check(LOOPS[name], numbers(4, 3), others=[(numbers(4, 3, seed=2),)])


def test_steps_share_one_input_projection():
    p = {"w": numbers(3, 5), "u": numbers(5, 5, seed=1)}

    def rnn(p, x):
        return lax.scan(lambda h, r: (jnp.tanh(r @ p["w"] + h @ p["u"]), None), jnp.zeros((2, 5)), x)[0]

    export = check(rnn, numbers(6, 2, 3), params=p)
    assert count_by_op(export.graph)["matmul"] == 6  # one for the input; the first step's state is zero


UNSUPPORTED = {
    "cumprod": (lambda x: jnp.cumprod(x, axis=1), "cumprod"),
    "lgamma": (lax.lgamma, "lgamma"),
    "fft": (lambda x: jnp.fft.fft(x).real, "fft"),
    "branch_on_data": (lambda x: lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x), "depends on the inputs"),
    "loop_on_data": (
        lambda x: lax.while_loop(lambda s: s.sum() < 3, lambda s: s + 1, x),
        "a loop whose end depends on the inputs",
    ),
    "long_scan": (lambda x: lax.scan(lambda s, _: (s * 2, None), x, None, length=5000)[0], "5000 steps; at most 4096"),
    "random": (lambda x: x + jax.random.normal(jax.random.key(0), x.shape), "random"),
    "narrow": (lambda x: (x > 0).astype(jnp.uint8) * 2, "primitive mul: arithmetic of uint8"),
    "narrowed": (lambda x: x.astype(int).astype(jnp.int8), "a conversion from int32 to int8"),
    "integer_product": (lambda x: x.astype(int) @ x.astype(int).T, "integer matrices"),
    "scatter": (lambda x: x.at[0].set(1.0), "scatter"),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_unsupported(name):
    fn, text = UNSUPPORTED[name]
    with pytest.raises(ExportError, match=text) as caught:
        lower_jax(lambda p, x: fn(x), (), (numbers(4, 3),), static=True)
    assert "export_test.py:" in str(caught.value) or name in ("random", "cumprod")  # JAX records no line


REFUSED = {
    "key": (lambda x: x, lambda: jax.random.key(0), "input 0 is no array: .*PRNGKey"),
    "complex": (lambda x: x, lambda: np.ones(3, np.complex64), "input 0 has dtype complex64"),
    "no output": (lambda x: None, lambda: numbers(3), "the model returns no tensors"),
    "no rows": (lambda x: x + 1, lambda: numbers(0, 3), "the example inputs have no rows"),
    "many rows": (
        lambda x: x + 1,
        lambda: numbers(65537),
        "the example inputs have 65537 rows; expected at most 65536",
    ),
    "high rank": (
        lambda x: lax.lgamma(x.reshape((1,) * 8 + (3,))),
        lambda: numbers(3),
        r"(?s)primitive reshape: a value .* has rank 9; the limit is 8 at export_test.py:.*primitive lgamma",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_and_why(name):
    fn, example, text = REFUSED[name]
    with pytest.raises(ExportError, match=text):
        lower_jax(lambda p, x: fn(x), (), (example(),), static=name == "high rank")


def test_all_problems_at_once(tmp_path):
    def fn(p, x):
        return jnp.cumprod(lax.lgamma(x), axis=1) + lax.lgamma(x * 2)

    with pytest.raises(ExportError) as caught:
        export_jax(fn, (), (numbers(4, 3),), tmp_path / "m")
    assert len(caught.value.problems) == 2
    assert "(and 1 more)" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_ops_dtypes_loops_and_branches_at_once(tmp_path):
    def fn(p, x):
        y = lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x)
        z = lax.while_loop(lambda s: s.sum() < 3, lambda s: s + 1, x)
        return lax.lgamma(y) + z + x.astype(jnp.complex64).real + lax.scan(lambda s, _: (s * 2, None), x, None, 5000)[0]

    with pytest.raises(ExportError) as caught:
        export_jax(fn, (), (numbers(4, 3),), tmp_path / "deep" / "m")
    kinds = ("primitive cond:", "primitive while:", "primitive lgamma:", "complex64", "primitive scan: 5000 steps")
    for part in kinds:
        (text,) = [problem for problem in caught.value.problems if part in problem]
        assert re.search(r"at export_test\.py:\d+:\d+ \(", text)
    assert len(caught.value.problems) >= len(kinds)
    assert list(tmp_path.iterdir()) == []


def test_any_batch_though_every_position_of_a_long_axis_is_read_on_its_own():
    def decay(params, x):
        return lax.scan(lambda s, row: (0.5 * s + row, None), jnp.zeros(x.shape[:1]), x.T)[0]

    graph = lower_jax(decay, (), (numbers(2, 110),)).graph
    assert graph.batch_range == (1, 65536) and graph.outputs[0].rows
    x = numbers(4, 110, seed=1)
    (got,) = evaluate(graph, [x])
    np.testing.assert_allclose(got, x @ 0.5 ** np.arange(109, -1, -1.0), rtol=1e-5, atol=1e-6)


def test_function_that_raises():
    with pytest.raises(ExportError, match="JAX cannot trace the function: TypeError"):
        lower_jax(lambda p, x: x @ jnp.ones((7, 2)), (), (numbers(4, 3),))


def test_names(tmp_path):
    params = {"layers": [{"w": numbers(3, 20)}, {"w": numbers(20, 30)}], "unused": numbers(50)}

    def fn(p, batch):
        hidden = jnp.tanh(batch["x"] @ p["layers"][0]["w"])
        return {"y": hidden @ p["layers"][1]["w"], "h": hidden + batch["a"]}

    inputs = ({"x": numbers(2, 3), "a": numbers(2, 20)},)
    export_jax(fn, params, inputs, tmp_path / "m")
    graph = read_graph(tmp_path / "m")
    assert [value.name for value in graph.inputs] == ["a", "x"]
    assert [output.name for output in graph.outputs] == ["h", "y"]
    assert {value.name for value in graph.constants()} == {"layers.0.w", "layers.1.w"}
    assert graph.batch_range == (1, 65536)
    assert all(output.rows for output in graph.outputs)


def test_unused_and_returned_inputs():
    export = lower_jax(lambda p, a, b, c: (a, c + 1), (), (numbers(2, 3), numbers(2, 4), numbers(2, 5)))
    assert [value.name for value in export.graph.inputs] == ["input_0", "input_1", "input_2"]
    assert count_by_op(export.graph) == {"reshape": 1, "add": 1}


def test_wrong_numbers_of_names():
    with pytest.raises(ExportError, match="2 input names for 1 inputs"):
        lower_jax(lambda p, x: x + 1, (), (numbers(2),), input_names=["a", "b"])
    with pytest.raises(ExportError, match="2 output names for 1 outputs"):
        lower_jax(lambda p, x: x + 1, (), (numbers(2),), output_names=["a", "b"])


def test_parameters_of_other_dtypes():
    params = {"half": numbers(3, 3).astype(np.float16), "mask": np.array([True, False, True])}
    check(lambda p, x: jnp.where(p["mask"], x @ p["half"].astype(jnp.float32), 0.0), numbers(2, 3), params=params)


def test_a_wrong_lowering_is_named(monkeypatch):
    monkeypatch.setitem(lowerings.LOWERINGS, "tanh", lambda c, x: c("sin", x))

    def model(x):
        with jax.named_scope("head"):
            return jnp.exp(jnp.tanh(jnp.abs(x)))

    with pytest.raises(
        ExportError, match=r"differs from jax: .*first at tanh in 'head' at export_test.py:\d+.*: 4 of 4"
    ):
        lower_jax(lambda _, x: model(x), (), (numbers(4),), static=True)
