"""sink_transposes and hoist_step_projections: before and after, equal bits, and where they must not match."""

import numpy as np
import pytest
from rml_export.evaluate import evaluate
from rml_export.passes import run_pass, run_passes
from rml_export.writer import dump_graph

from tests.exporter.passes.text_graph import parse, show

X = "x: f32[2, 3, 4, 5]\nt = transpose(x) perm=(0,2,3,1)\n"
SINK = {
    "unary": (X + "y = exp(t)\n-> y", "x: f32[2, 3, 4, 5]\na = exp(x)\ny = transpose(a) perm=(0,2,3,1)\n-> y"),
    "scalar": (
        X + "c = const(2)\ny = mul(t, c)\n-> y",
        "x: f32[2, 3, 4, 5]\nc = const(2)\na = mul(x, c)\ny = transpose(a) perm=(0,2,3,1)\n-> y",
    ),
    "bias of the last axis": (
        X + "c = const([1,2,3])\ny = add(c, t)\n-> y",
        "x: f32[2, 3, 4, 5]\nc = const([[[[1]],[[2]],[[3]]]])\na = add(c, x)\ny = transpose(a) perm=(0,2,3,1)\n-> y",
    ),
    "operands transposed alike": (
        X + "z: f32[2, 3, 4, 5]\nu = transpose(z) perm=(0,2,3,1)\ny = add(t, u)\n-> y",
        "x: f32[2, 3, 4, 5]\nz: f32[2, 3, 4, 5]\na = add(x, z)\ny = transpose(a) perm=(0,2,3,1)\n-> y",
    ),
    "pad": (
        X + "y = pad(t) before=(0,1,2,0) after=(0,3,0,0)\n-> y",
        "x: f32[2, 3, 4, 5]\na = pad(x) before=(0,0,1,2) after=(0,0,3,0)\ny = transpose(a) perm=(0,2,3,1)\n-> y",
    ),
    "concat": (
        X + "z: f32[2, 1, 4, 5]\nu = transpose(z) perm=(0,2,3,1)\ny = concat(t, u) axis=3\n-> y",
        "x: f32[2, 3, 4, 5]\nz: f32[2, 1, 4, 5]\na = concat(x, z) axis=1\ny = transpose(a) perm=(0,2,3,1)\n-> y",
    ),
    "mean over the image": (
        X + "y = reduce_mean(t) axes=(1,2)\n-> y",
        "x: f32[2, 3, 4, 5]\ny = reduce_mean(x) axes=(2,3)\n-> y",
    ),
    "reduction that keeps its axes": (
        X + "y = reduce_max(t) axes=(3,) keep_dims=True\n-> y",
        "x: f32[2, 3, 4, 5]\na = reduce_max(x) axes=(1,) keep_dims=True\ny = transpose(a) perm=(0,2,3,1)\n-> y",
    ),
}
SINK_REFUSED = {
    "two readers": (X + "y = exp(t)\nz = neg(t)\n-> y, z", "the transpose has other readers"),
    "graph output": (X + "y = exp(t)\n-> y, t", "the transpose is a graph output"),
    "axes that change places": (
        "x: f32[2, 3, 4]\nt = transpose(x) perm=(2,1,0)\ny = reduce_sum(t) axes=(1,)\n-> y",
        "the axes that stay change their order",
    ),
}
SINK_UNTOUCHED = {
    "one operand only": X + "z: f32[2, 4, 5, 3]\ny = add(t, z)\n-> y",
    "other permutations": "x: f32[2, 3, 4, 4]\nt = transpose(x) perm=(0,2,3,1)\nu = transpose(x) perm=(0,3,2,1)\n"
    "v = add(t, u)\n-> v",
    "softmax": X + "y = softmax(t) axis=3\n-> y",
}

STEPS = "x: f32[2, 3, 4]\nw = const(arange(20).reshape(4, 5) / 8)\n"
SLICE = "s{t} = slice(x) axes=(1,) starts=({t},) ends=({u},) steps=(1,)\nr{t} = reshape(s{t}) shape=(2,4)\n"
PRODUCT = "p{t} = matmul(r{t}, w)\n"


def loop(times, product=PRODUCT, cut=SLICE):
    body = "".join((cut + product).format(t=t, u=t + 1) for t in times)
    return STEPS + body + "-> " + ", ".join(f"p{t}" for t in times)


def equal_bits(left, right):
    generator = np.random.default_rng(3)
    inputs = [generator.standard_normal(value.shape).astype(np.float32) for value in left.inputs]
    for a, b in zip(evaluate(left, inputs), evaluate(right, inputs), strict=True):
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("case", SINK)
def test_sinks(case):
    before, after = SINK[case]
    graph = parse(before)
    assert run_pass(graph, "sink_transposes").matches == 1
    run_pass(graph, "eliminate_dead_code")
    assert show(graph) == show(parse(after))
    equal_bits(parse(before), graph)


@pytest.mark.parametrize("case", SINK_REFUSED)
def test_does_not_sink_and_says_why(case):
    text, reason = SINK_REFUSED[case]
    graph = parse(text)
    rewriter = run_pass(graph, "sink_transposes")
    assert rewriter.matches == 0
    assert reason in [item.reason for item in rewriter.refusals]


@pytest.mark.parametrize("case", SINK_UNTOUCHED)
def test_does_not_sink(case):
    graph = parse(SINK_UNTOUCHED[case])
    before = show(graph)
    assert run_pass(graph, "sink_transposes").matches == 0
    assert show(graph) == before


def test_channels_last_layers_lose_their_inner_transposes():
    graph = parse(
        "x: f32[1, 4, 4, 2]\nw = const(ones(2, 2, 3, 3))\nb = const([1, 2])\nz = const(0)\n"
        "a = transpose(x) perm=(0,3,1,2)\nc = conv2d(a, w) pads=(1,1,1,1)\nd = transpose(c) perm=(0,2,3,1)\n"
        "e = add(d, b)\nf = maximum(e, z)\ng = transpose(f) perm=(0,3,1,2)\nh = conv2d(g, w)\n-> h"
    )
    run_passes(graph)
    assert [node.op for node in graph.nodes] == ["transpose", "conv2d", "add", "maximum", "conv2d"]


@pytest.mark.parametrize("times", [(0, 1), (0, 1, 2), (2, 1, 0)])
def test_steps_become_one_product(times):
    graph = parse(loop(times))
    rewriter = run_pass(graph, "hoist_step_projections")
    run_pass(graph, "eliminate_dead_code")
    assert rewriter.matches == len(times)
    assert [node.op for node in graph.nodes] == ["matmul", *["slice", "reshape"] * len(times)]
    assert graph.nodes[0].output.shape == (2, 3, 5)
    equal_bits(parse(loop(times)), graph)


def test_slices_may_name_axes_that_they_keep():
    cut = "s{t} = slice(x) axes=(0,1,2) starts=(0,{t},0) ends=(2,{u},4) steps=(1,1,1)\nr{t} = squeeze(s{t}) axes=(1,)\n"
    graph = parse(loop((0, 1), cut=cut))
    assert run_pass(graph, "hoist_step_projections").matches == 2
    equal_bits(parse(loop((0, 1), cut=cut)), graph)


TWO_WIDE = "s{t} = slice(x) axes=(1,) starts=({t},) ends=(3,) steps=(2,)\nr{t} = reduce_sum(s{t}) axes=(1,)\n"
NOT_HOISTED = {
    "one step": loop((1,)),
    "sums of steps": loop((0, 1), cut=TWO_WIDE),
    "other weights": loop((0,)).replace("-> p0", "")
    + "v = const(ones(4, 5))\n"
    + (SLICE + "p1 = matmul(r{t}, v)\n-> p0, p1").format(t=1, u=2),
    "weight that is no constant": loop((0, 1)).replace("w = const(arange(20).reshape(4, 5) / 8)", "w: f32[4, 5]"),
    "the axis that is multiplied": "x: f32[2, 3, 4]\nw = const(ones(1, 5))\n"
    "a = slice(x) axes=(2,) starts=(0,) ends=(1,) steps=(1,)\nb = slice(x) axes=(2,) starts=(1,) ends=(2,) steps=(1,)\n"
    "p = matmul(a, w)\nq = matmul(b, w)\n-> p, q",
}


@pytest.mark.parametrize("case", NOT_HOISTED)
def test_not_hoisted(case):
    graph = parse(NOT_HOISTED[case])
    before = show(graph)
    assert run_pass(graph, "hoist_step_projections").matches == 0
    assert show(graph) == before


def test_a_name_goes_with_the_constant_that_moved():
    """The bias [2] of the dead addition is another constant than [2, 1], though both have been 'b'."""
    graph = parse(
        "x: f32[3, 2, 4]\nz: f32[3, 2]\nt = transpose(x) perm=(0,2,1)\nb = const([0,0], 'b')\nc = const([0,0], 'c')\n"
        "a = add(t, b)\ny = transpose(a) perm=(0,2,1)\nd = add(z, c)\n-> y, d"
    )
    run_passes(graph)
    assert {value.name: value.shape for value in graph.constants()} == {"b": (2, 1), "c": (2,)}
    dump_graph(graph, "test")
