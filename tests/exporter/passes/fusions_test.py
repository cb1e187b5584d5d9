"""Means, softmaxes, layer norms, gelu and its kin, written out: found again, and only where they are what they seem."""

import numpy as np
import pytest
from rml_export.evaluate import evaluate
from rml_export.graph import Graph
from rml_export.passes import run_pass, run_passes

from tests.exporter.passes.text_graph import parse

X = "x: f32[2, 3, 4]\n"
MAX = "m = reduce_max(x) axes=(2,) keep_dims=True\n"
SOFT = MAX + "d = sub(x, m)\ne = exp(d)\ns = reduce_sum(e) axes=(2,) keep_dims=True\n"
MEAN = "n = const(4)\nu = reduce_sum(x) axes=(2,) keep_dims=True\nm = div(u, n)\n"
NORM = (
    MEAN + "d = sub(x, m)\nq = mul(d, d)\nv = reduce_mean(q) axes=(2,) keep_dims=True\n"
    "c = const(0.001)\na = add(v, c)\nr = rsqrt(a)\n"
)
SCALE = NORM + "w = const([1,2,3,4])\ns = mul(r, w)\nf = mul(x, s)\n"
TANH = (
    "k = const(0.044715)\nh = const(0.5)\no = const(1)\nb = const(0.7978846)\nx2 = mul(x, x)\nx3 = mul(x2, x)\n"
    "a = mul(k, x3)\ns = add(x, a)\nt = mul(s, b)\nu = tanh(t)\nv = add(u, o)\n"
)
ERF = "h = const(0.5)\no = const(1)\nb = const(0.70710677)\nt = mul(x, b)\nu = erf(t)\nv = add(o, u)\n"
FUSED = {
    "mean by division": (X + MEAN + "-> m", ["reduce_mean"]),
    "mean by multiplication": (
        X + "n = const(0.25)\nu = reduce_sum(x) axes=(2,)\ny = mul(n, u)\n-> y",
        ["reduce_mean"],
    ),
    "softmax": (X + SOFT + "y = div(e, s)\n-> y", ["softmax"]),
    "softmax by reciprocal": (X + SOFT + "i = reciprocal(s)\ny = mul(i, e)\n-> y", ["softmax"]),
    "softmax with a guarded maximum": (
        X + "g = const(-inf)\nl = reduce_max(x) axes=(2,) keep_dims=True\nm = maximum(g, l)\nd = sub(x, m)\n"
        "e = exp(d)\ns = reduce_sum(e) axes=(2,) keep_dims=True\ny = div(e, s)\n-> y",
        ["softmax"],
    ),
    "softmax whose sums were reshaped": (
        X + "l = reduce_max(x) axes=(2,)\nm = reshape(l) shape=(2,3,1)\nd = sub(x, m)\ne = exp(d)\n"
        "k = reduce_sum(e) axes=(2,)\ns = reshape(k) shape=(2,3,1)\nb = broadcast_to(s) shape=(2,3,4)\n"
        "y = div(e, b)\n-> y",
        ["softmax"],
    ),
    "log_softmax": (X + SOFT + "l = log(s)\ny = sub(d, l)\n-> y", ["log_softmax"]),
    "layer_norm": (X + NORM + "y = mul(d, r)\n-> y", ["layer_norm"]),
    "layer_norm by division": (X + NORM.replace("rsqrt", "sqrt") + "y = div(d, r)\n-> y", ["layer_norm"]),
    "layer_norm with weight and bias": (
        X + NORM + "w = const([1,2,3,4])\nb = const([4,3,2,1])\nf = mul(d, r)\ng = mul(w, f)\ny = add(g, b)\n-> y",
        ["layer_norm"],
    ),
    "layer_norm with its weight on the scale": (
        X + NORM + "w = const([1,2,3,4])\nf = mul(r, w)\ny = mul(d, f)\n-> y",
        ["layer_norm"],
    ),
    "layer_norm multiplied out, as Keras": (
        X + SCALE + "b = const([4,3,2,1])\ni = neg(m)\ng = mul(i, s)\nh = add(g, b)\ny = add(f, h)\n-> y",
        ["layer_norm"],
    ),
    "layer_norm multiplied out, as tf.nn": (
        X + SCALE + "b = const([4,3,2,1])\ng = mul(s, m)\nh = sub(b, g)\ny = add(h, f)\n-> y",
        ["layer_norm"],
    ),
    "layer_norm multiplied out without bias": (X + SCALE + "g = mul(m, s)\ny = sub(f, g)\n-> y", ["layer_norm"]),
    "layer_norm multiplied out without weight": (
        X + NORM + "f = mul(r, x)\ni = neg(m)\ng = mul(r, i)\ny = add(g, f)\n-> y",
        ["layer_norm"],
    ),
    "gelu, tanh": (X + TANH + "w = mul(x, v)\ny = mul(h, w)\n-> y", ["gelu"]),
    "gelu, tanh, other order": (X + TANH + "w = mul(h, v)\ny = mul(w, x)\n-> y", ["gelu"]),
    "gelu, tanh, by pow": (
        X + TANH.replace("x2 = mul(x, x)\nx3 = mul(x2, x)", "j = const(3)\nx3 = pow(x, j)") + "w = mul(h, v)\n"
        "y = mul(w, x)\n-> y",
        ["gelu"],
    ),
    "gelu, exact": (X + ERF + "w = mul(h, v)\ny = mul(w, x)\n-> y", ["gelu"]),
    "gelu, exact, by division": (X + ERF + "z = const(2)\nw = mul(x, v)\ny = div(w, z)\n-> y", ["gelu"]),
    "sigmoid": (X + "o = const(1)\nn = neg(x)\ne = exp(n)\ns = add(e, o)\ny = div(o, s)\n-> y", ["sigmoid"]),
    "gelu of something": (
        "z: f32[2, 3, 4]\nx = sin(z)\n" + ERF + "w = mul(h, v)\ny = mul(w, x)\n-> y",
        ["sin", "gelu"],
    ),
}

# One row: the axes that a reduction drops, put back, look like new ones in front.
ONE_ROW = {
    "layer_norm": (
        "x: f32[1, 6]\nn = const(6)\nt = reduce_sum(x) axes=(1,)\nm = div(t, n)\nk = reshape(m) shape=(1,1)\n"
        "d = sub(x, k)\nq = mul(d, d)\ns = reduce_sum(q) axes=(1,)\nv = div(s, n)\nw = reshape(v) shape=(1,1)\n"
        "c = const(0.001)\na = add(w, c)\nr = rsqrt(a)\ny = mul(d, r)\n-> y"
    ),
    "softmax": (
        "x: f32[1, 6]\ng = const(-inf)\nl = reduce_max(x) axes=(1,)\np = maximum(g, l)\nm = reshape(p) shape=(1,1)\n"
        "d = sub(x, m)\ne = exp(d)\nk = reduce_sum(e) axes=(1,)\ns = reshape(k) shape=(1,1)\ny = div(e, s)\n-> y"
    ),
}

KEPT = {
    "mean by another number": X + "n = const(5)\nu = reduce_sum(x) axes=(2,)\ny = div(u, n)\n-> y",
    "mean by several numbers": X + "n = const([4,4,3])\nu = reduce_sum(x) axes=(2,)\ny = div(u, n)\n-> y",
    "sum that is read twice": X + "n = const(4)\nu = reduce_sum(x) axes=(2,)\ny = div(u, n)\nz = exp(u)\n-> y, z",
    "softmax over two axes": X + SOFT.replace("(2,)", "(1,2)") + "y = div(e, s)\n-> y",
    "maximum over another axis": X + SOFT.replace(MAX, MAX.replace("(2,)", "(1,)")) + "y = div(e, s)\n-> y",
    "softmax whose exponentials are an output": X + SOFT + "y = div(e, s)\n-> y, e",
    "guard that is no infinity": X
    + SOFT.replace(MAX, "g = const(0)\nl = reduce_max(x) axes=(2,) keep_dims=True\nm = maximum(g, l)\n")
    + "y = div(e, s)\n-> y",
    "norm over the middle axis": X
    + NORM.replace("(2,)", "(1,)").replace("const(4)", "const(3)")
    + "y = mul(d, r)\n-> y",
    "variance of another mean": X
    + NORM.replace("v = reduce_mean(q) axes=(2,)", "v = reduce_mean(q) axes=(1,2)")
    + "y = mul(d, r)\n-> y",
    "inner value read elsewhere": X + NORM + "y = mul(d, r)\n-> y, v",
    "mean added, not taken away": X + SCALE + "g = mul(m, s)\ny = add(f, g)\n-> y",
    "difference the other way around": X + SCALE + "g = mul(m, s)\ny = sub(g, f)\n-> y",
    "bias taken away": X + SCALE + "b = const([4,3,2,1])\ng = mul(s, m)\nh = sub(g, b)\ny = add(h, f)\n-> y",
    "mean of one scale, x of another": X + SCALE + "g = mul(m, r)\ny = sub(f, g)\n-> y",
    "norm multiplied out whose scale is an output": X + SCALE + "g = mul(m, s)\ny = sub(f, g)\n-> y, s",
    "norm multiplied out with a wide weight": X
    + SCALE.replace("[1,2,3,4]", "ones(3, 4)")
    + "g = mul(m, s)\ny = sub(f, g)\n-> y",
    "nearly gelu": X + TANH.replace("0.044715", "0.0447") + "w = mul(h, v)\ny = mul(w, x)\n-> y",
    "gelu of two values": X + "z: f32[2, 3, 4]\n" + ERF + "w = mul(h, v)\ny = mul(w, z)\n-> y",
    "gelu whose erf is an output": X + ERF + "w = mul(h, v)\ny = mul(w, x)\n-> y, u",
    "sigmoid of twice x": X
    + "o = const(1)\nk = const(-2)\nn = mul(x, k)\ne = exp(n)\ns = add(e, o)\ny = div(o, s)\n-> y",
}
SCALES = {
    "weight of one element": X + "w = const([2])\nf = layer_norm(x) axes=(2,) eps=1e-3\ny = mul(f, w)\n-> y",
    "weight of two axes": X + "w = const(ones(3, 4))\nf = layer_norm(x) axes=(2,) eps=1e-3\ny = mul(f, w)\n-> y",
    "bias without weight": X + "w = const([1,2,3,4])\nf = layer_norm(x) axes=(2,) eps=1e-3\ny = add(f, w)\n-> y",
    "norm with another reader": X
    + "w = const([1,2,3,4])\nf = layer_norm(x) axes=(2,) eps=1e-3\ny = mul(f, w)\nz = exp(f)\n-> y, z",
}
FUSIONS = ("fuse_reductions", "fuse_layer_norm", "fuse_pointwise_chains")


def close(left: Graph, right: Graph, scale: float, rtol: float = 2e-6) -> None:
    generator = np.random.default_rng(5)
    inputs = [scale * generator.standard_normal(value.shape).astype(np.float32) for value in left.inputs]
    inputs[0].reshape(-1)[3:6] = 0.0, -0.0, 7.5
    for a, b in zip(evaluate(left, inputs), evaluate(right, inputs), strict=True):
        np.testing.assert_allclose(b, a, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("case", FUSED)
def test_found(case):
    text, ops = FUSED[case]
    graph = parse(text)
    run_passes(graph)
    assert [node.op for node in graph.nodes] == ops
    for scale in (0.1, 1, 5):
        close(parse(text), graph, scale)
    assert sum(run_passes(graph).matches.values()) == 0


@pytest.mark.parametrize("op", ONE_ROW)
def test_found_in_one_row(op):
    graph = parse(ONE_ROW[op])
    run_passes(graph)
    assert [node.op for node in graph.nodes] == [op]
    close(parse(ONE_ROW[op]), graph, 1)


@pytest.mark.parametrize("case", FUSED)
def test_infinities_and_nan_stay(case):
    text, _ = FUSED[case]
    graph = parse(text)
    run_passes(graph)
    for special in (np.inf, -np.inf, np.nan):
        x = np.linspace(-2, 2, 24, dtype=np.float32).reshape(2, 3, 4)
        x[0, 1, 2] = special
        for a, b in zip(evaluate(parse(text), [x]), evaluate(graph, [x]), strict=True):
            np.testing.assert_array_equal(np.isnan(b), np.isnan(a))
            np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", KEPT)
def test_left_alone(case):
    graph = parse(KEPT[case])
    run_passes(graph)
    assert not {node.op for node in graph.nodes} & {"softmax", "layer_norm", "gelu", "sigmoid"}
    close(parse(KEPT[case]), graph, 1)


@pytest.mark.parametrize("case", SCALES)
def test_constants_that_do_not_belong_to_the_norm(case):
    graph = parse(SCALES[case])
    assert run_pass(graph, "fuse_layer_norm").matches == 0


def test_refusals_say_why():
    graph = parse(KEPT["inner value read elsewhere"])
    reasons = [item.reason for item in run_passes(graph).refusals]
    assert "the reduce_mean inside is a graph output" in reasons
    graph = parse(KEPT["gelu whose erf is an output"])
    assert "computes gelu, but the erf inside is a graph output" in [r.reason for r in run_passes(graph).refusals]


@pytest.mark.parametrize("name", FUSIONS)
def test_each_fusion_alone_keeps_the_numbers(name):
    for text, _ in FUSED.values():
        graph = parse(text)
        run_pass(graph, name)
        close(parse(text), graph, 1)
