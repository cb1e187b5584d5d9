"""Each pass on text graphs: what it makes of them, equal bits, and where it must not match, with its reason."""

import copy

import numpy as np
import pytest
from rml_export.evaluate import evaluate
from rml_export.graph import Graph
from rml_export.passes import PASSES, run_pass, run_passes

from tests.exporter.passes.text_graph import parse, show

REWRITES = {
    "identity reshape": (
        "simplify_shape_ops",
        "x: f32[2, 3]\ny = exp(x)\nz = reshape(y) shape=(2,3)\n-> z",
        "x: f32[2, 3]\ny = exp(x)\n-> y",
    ),
    "identity transpose": (
        "simplify_shape_ops",
        "x: f32[2, 2]\ny = exp(x)\nz = transpose(y) perm=(0,1)\n-> z",
        "x: f32[2, 2]\ny = exp(x)\n-> y",
    ),
    "whole slice": (
        "simplify_shape_ops",
        "x: f32[3]\ny = slice(x) axes=(0,) starts=(0,) ends=(99,) steps=(1,)\nz = exp(y)\n-> z",
        "x: f32[3]\nz = exp(x)\n-> z",
    ),
    "cast to its own type": (
        "simplify_shape_ops",
        "x: i32[3]\ny = cast(x) to='i32'\nz = neg(y)\n-> z",
        "x: i32[3]\nz = neg(x)\n-> z",
    ),
    "sum over no axes": (
        "simplify_shape_ops",
        "x: f32[3]\ny = reduce_sum(x) axes=()\nz = exp(y)\n-> z",
        "x: f32[3]\nz = exp(x)\n-> z",
    ),
    "no pads": (
        "simplify_shape_ops",
        "x: f32[3]\ny = pad(x) before=(0,) after=(0,)\nz = exp(y)\n-> z",
        "x: f32[3]\nz = exp(x)\n-> z",
    ),
    "concat of one": (
        "simplify_shape_ops",
        "x: f32[3]\ny = concat(x) axis=0\nz = exp(y)\n-> z",
        "x: f32[3]\nz = exp(x)\n-> z",
    ),
    "reshape of reshape": (
        "simplify_shape_ops",
        "x: f32[2, 3]\ny = reshape(x) shape=(6,)\nz = reshape(y) shape=(3,2)\n-> z",
        "x: f32[2, 3]\nz = reshape(x) shape=(3,2)\n-> z",
    ),
    "squeeze of unsqueeze, both ends": (
        "simplify_shape_ops",
        "x: f32[1, 3]\ny = unsqueeze(x) axes=(2,)\nz = squeeze(y) axes=(0,)\nw = exp(z)\n-> w",
        "x: f32[1, 3]\nz = reshape(x) shape=(3,1)\nw = exp(z)\n-> w",
    ),
    "transposes compose": (
        "simplify_shape_ops",
        "x: f32[2, 3, 4]\ny = transpose(x) perm=(1,2,0)\nz = transpose(y) perm=(1,0,2)\n-> z",
        "x: f32[2, 3, 4]\nz = transpose(x) perm=(2,1,0)\n-> z",
    ),
    "transposes cancel": (
        "simplify_shape_ops",
        "x: f32[2, 3, 4]\ny = transpose(x) perm=(1,2,0)\nz = transpose(y) perm=(2,0,1)\nw = exp(z)\n-> w",
        "x: f32[2, 3, 4]\nw = exp(x)\n-> w",
    ),
    "reduction that keeps dims": (
        "simplify_shape_ops",
        "x: f32[2, 3]\ny = reduce_max(x) axes=(1,)\nz = reshape(y) shape=(2,1)\nw = sub(x, z)\n-> w",
        "x: f32[2, 3]\ny = reduce_max(x) axes=(1,) keep_dims=True\nw = sub(x, y)\n-> w",
    ),
    "broadcast to an addend": (
        "drop_implicit_broadcasts",
        "x: f32[2, 3]\nb: f32[3]\ny = broadcast_to(b) shape=(2,3)\nz = add(x, y)\n-> z",
        "x: f32[2, 3]\nb: f32[3]\nz = add(x, b)\n-> z",
    ),
    "leading ones added": (
        "drop_implicit_broadcasts",
        "x: f32[2, 3]\nb: f32[3]\ny = reshape(b) shape=(1,3)\nz = where(x, y, x)\n-> z",
        "x: f32[2, 3]\nb: f32[3]\nz = where(x, b, x)\n-> z",
    ),
    "leading ones dropped": (
        "drop_implicit_broadcasts",
        "x: f32[1, 2, 3]\nb: f32[1, 2, 3]\ny = squeeze(b) axes=(0,)\nz = add(x, y)\n-> z",
        "x: f32[1, 2, 3]\nb: f32[1, 2, 3]\nz = add(x, b)\n-> z",
    ),
    "mask of attention": (
        "drop_implicit_broadcasts",
        "q: f32[2, 3, 4]\nm: f32[3, 3]\ny = broadcast_to(m) shape=(2,3,3)\nz = sdpa(q, q, q, y) scale=0.5\n-> z",
        "q: f32[2, 3, 4]\nm: f32[3, 3]\nz = sdpa(q, q, q, m) scale=0.5\n-> z",
    ),
    "rows of a constant": (
        "shrink_broadcast_constants",
        "x: f32[2, 3]\nc = const([[1., 2, 3], [1, 2, 3]])\nz = mul(x, c)\n-> z",
        "x: f32[2, 3]\nc = const([1., 2, 3])\nz = mul(x, c)\n-> z",
    ),
    "columns of a constant": (
        "shrink_broadcast_constants",
        "x: f32[2, 3]\nc = const([[1., 1, 1], [nan, nan, nan]])\nz = mul(x, c)\n-> z",
        "x: f32[2, 3]\nc = const([[1.], [nan]])\nz = mul(x, c)\n-> z",
    ),
    "weights of a batch": (
        "unbatch_matmul_weights",
        "x: f32[2, 3, 2]\nw = const([[[1., 2], [3, 4]], [[1, 2], [3, 4]]])\nz = matmul(x, w)\n-> z",
        "x: f32[2, 3, 2]\nw = const([[1., 2], [3, 4]])\nz = matmul(x, w)\n-> z",
    ),
    "a matrix that is broadcast": (
        "unbatch_matmul_weights",
        "x: f32[2, 3, 2]\nw: f32[2, 5]\ny = broadcast_to(w) shape=(2,2,5)\nz = matmul(x, y)\n-> z",
        "x: f32[2, 3, 2]\nw: f32[2, 5]\nz = matmul(x, w)\n-> z",
    ),
    "a matrix behind an axis of size 1 that is broadcast": (
        "unbatch_matmul_weights",
        "x: f32[2, 3, 2]\nw = const(ones(1, 2, 5), 'w')\ny = broadcast_to(w) shape=(2,2,5)\nz = matmul(x, y)\n-> z",
        "x: f32[2, 3, 2]\nw = const(ones(2, 5), 'w')\nz = matmul(x, w)\n-> z",
    ),
    "a computed matrix behind an axis of size 1 that is broadcast": (
        "unbatch_matmul_weights",
        "x: f32[2, 3, 2]\nw: f32[1, 2, 5]\ny = broadcast_to(w) shape=(2,2,5)\nz = matmul(x, y)\n-> z",
        "x: f32[2, 3, 2]\nw: f32[1, 2, 5]\nr = reshape(w) shape=(2,5)\nz = matmul(x, r)\n-> z",
    ),
    "the same twice": (
        "eliminate_common_subexpressions",
        "x: f32[3]\na = exp(x)\nb = exp(x)\nz = add(a, b)\n-> z, b",
        "x: f32[3]\na = exp(x)\nz = add(a, a)\n-> z, a",
    ),
    "chains of the same": (
        "eliminate_common_subexpressions",
        "x: f32[3]\na = exp(x)\nb = exp(x)\nc = neg(a)\nd = neg(b)\nz = add(c, d)\n-> z",
        "x: f32[3]\na = exp(x)\nc = neg(a)\nz = add(c, c)\n-> z",
    ),
    "several outputs": (
        "eliminate_common_subexpressions",
        "x: f32[3]\na, b = top_k(x) k=2 axis=0\nc, d = top_k(x) k=2 axis=0\n"
        "e = cast(d) to='f32'\nz = add(a, e)\n-> z, b",
        "x: f32[3]\na, b = top_k(x) k=2 axis=0\ne = cast(b) to='f32'\nz = add(a, e)\n-> z, b",
    ),
    "equal constants, the named one stays": (
        "share_identical_constants",
        "x: f32[2]\na = const([1., 2])\nb = const([1., 2], 'w')\ny = add(x, a)\nz = mul(y, b)\n-> z",
        "x: f32[2]\nb = const([1., 2], 'w')\ny = add(x, b)\nz = mul(y, b)\n-> z",
    ),
    "dead nodes": (
        "eliminate_dead_code",
        "x: f32[2]\na = exp(x)\nb = neg(a)\nz = neg(x)\n-> z",
        "x: f32[2]\nz = neg(x)\n-> z",
    ),
}

REFUSALS = {
    "an output must be computed": ("simplify_shape_ops", "x: f32[2]\ny = reshape(x) shape=(2,)\n-> y", "not computed"),
    "another reader of the reduction": (
        "simplify_shape_ops",
        "x: f32[2, 3]\ny = reduce_max(x) axes=(1,)\nz = reshape(y) shape=(2,1)\nw = sub(x, z)\n-> w, y",
        "other readers",
    ),
    "a reader that does not broadcast": (
        "drop_implicit_broadcasts",
        "x: f32[3]\ny = broadcast_to(x) shape=(2,3)\nz = reduce_sum(y) axes=(0,)\n-> z",
        "reduce_sum, does not broadcast",
    ),
    "the only operand of full shape": (
        "drop_implicit_broadcasts",
        "x: f32[3]\ny = broadcast_to(x) shape=(2,3)\nz = add(y, x)\n-> z",
        "has its shape from this broadcast",
    ),
    "a broadcast that is an output": (
        "drop_implicit_broadcasts",
        "x: f32[3]\ny = broadcast_to(x) shape=(2,3)\n-> y",
        "graph output",
    ),
    "queries of attention": (
        "drop_implicit_broadcasts",
        "q: f32[3, 4]\nk: f32[2, 3, 4]\ny = broadcast_to(q) shape=(2,3,4)\nz = sdpa(y, k, k) scale=0.5\n-> z",
        "does not broadcast",
    ),
    "a constant that gives the shape": (
        "shrink_broadcast_constants",
        "x: f32[3]\nc = const(zeros(2, 3))\nz = add(x, c)\n-> z",
        "has its shape from this constant",
    ),
    "a constant in a concat": (
        "shrink_broadcast_constants",
        "x: f32[2, 3]\nc = const(zeros(2, 3))\nz = concat(x, c) axis=0\n-> z",
        "concat does not broadcast",
    ),
    "weights that differ by a bit": (
        "unbatch_matmul_weights",
        "x: f32[2, 3, 1]\nw = const([[[0.]], [[-0.]]])\nz = matmul(x, w)\n-> z",
        "differ",
    ),
    "the batch comes from a broadcast": (
        "unbatch_matmul_weights",
        "x: f32[3, 2]\nw: f32[2, 5]\ny = broadcast_to(w) shape=(2,2,5)\nz = matmul(x, y)\n-> z",
        "has its shape from the weight's batch",
    ),
    "matrices that are broadcast in part": (
        "unbatch_matmul_weights",
        "x: f32[2, 3, 4, 2]\nw: f32[3, 2, 5]\ny = broadcast_to(w) shape=(2,3,2,5)\nz = matmul(x, y)\n-> z",
        "differ",
    ),
    "the batch comes from the weight": (
        "unbatch_matmul_weights",
        "x: f32[3, 2]\nw = const(ones(2, 2, 2))\nz = matmul(x, w)\n-> z",
        "has its shape from the weight's batch",
    ),
}

UNTOUCHED = {
    "flip is no whole slice": "x: f32[3]\ny = slice(x) axes=(0,) starts=(-1,) ends=(-4,) steps=(-1,)\n-> y",
    "reshape of a transpose": "x: f32[2, 3]\ny = transpose(x) perm=(1,0)\nz = reshape(y) shape=(6,)\n-> z",
    "transpose after a reduction": "x: f32[2, 3, 4]\ny = reduce_sum(x) axes=(1,)\nz = transpose(y) perm=(1,0)\n-> z",
    "constants 2 and 4": "x: f32[1]\na = const([2.])\nb = const([4.])\ny = add(x, a)\nz = mul(y, b)\n-> z",
    "0 and -0": "x: f32[1]\na = const([0.])\nb = const([-0.])\ny = add(x, a)\nz = mul(y, b)\n-> z",
    "1 and 1.0": "x: f32[1]\ni: i32[1]\na = const([1.])\nb = iconst([1])\ny = add(x, a)\nz = add(i, b)\n-> y, z",
    "other attributes": "x: f32[2, 2]\na = softmax(x) axis=0\nb = softmax(x) axis=1\nz = add(a, b)\n-> z",
    "operands in another order": "x: f32[2]\ny: f32[2]\na = sub(x, y)\nb = sub(y, x)\nz = mul(a, b)\n-> z",
    "a named parameter of ones": "x: f32[2, 2]\nw = const(ones(2, 2), 'norm')\nz = mul(x, w)\n-> z",
    "no algebra": "x: f32[1]\na = const([0.])\ny = mul(x, a)\nz = add(y, a)\nw = sub(z, z)\n-> w",
    "reductions over other axes": "x: f32[2, 2]\ny = reduce_sum(x) axes=(0,)\nz = reshape(y) shape=(2,1)\n-> z",
}


def arrays(graph: Graph, seed: int) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 1.0, -3.5], np.float32)
    result = []
    for value in graph.inputs:
        if value.dtype == "i32":
            result.append(generator.integers(-5, 5, value.shape).astype(np.int32))
        else:
            result.append(generator.choice(special, value.shape).astype(np.float32))
    return result


def assert_equal_bits(before: Graph, after: Graph) -> None:
    for seed in range(3):
        inputs = arrays(before, seed)
        for left, right in zip(evaluate(before, inputs), evaluate(after, inputs), strict=True):
            np.testing.assert_array_equal(left, right)
            assert (np.signbit(left) == np.signbit(right))[~np.isnan(left)].all()


@pytest.mark.parametrize("case", REWRITES)
def test_rewrite(case):
    name, before, after = REWRITES[case]
    graph = parse(before)
    rewriter = run_pass(graph, name)
    run_pass(graph, "eliminate_dead_code")
    assert show(graph) == show(parse(after))
    assert rewriter.matches > 0
    assert_equal_bits(parse(before), graph)


@pytest.mark.parametrize("case", REFUSALS)
def test_refusal(case):
    name, text, reason = REFUSALS[case]
    graph = parse(text)
    rewriter = run_pass(graph, name)
    assert show(graph) == show(parse(text))
    assert rewriter.matches == 0
    assert [item for item in rewriter.refusals if reason in item.reason], rewriter.refusals


@pytest.mark.parametrize("case", UNTOUCHED)
def test_untouched(case):
    graph = parse(UNTOUCHED[case])
    report = run_passes(graph)
    assert sum(report.matches.values()) == 0
    assert show(graph) == show(parse(UNTOUCHED[case]))


@pytest.mark.parametrize("case", REWRITES)
def test_fixed_point_is_idempotent_and_independent_of_order(case):
    _, text, _ = REWRITES[case]
    graph = parse(text)
    run_passes(graph)
    shown = show(graph)
    assert sum(run_passes(graph).matches.values()) == 0
    backwards = parse(text)
    for _ in range(5):
        for name in reversed(PASSES):
            run_pass(backwards, name)
    assert show(backwards) == shown
    assert_equal_bits(parse(text), graph)


def test_unknown_pass():
    with pytest.raises(KeyError, match="no pass named"):
        run_passes(parse("x: f32[1]\ny = exp(x)\n-> y"), skip=["fuse_everything"])


def test_skipped_pass_does_not_run():
    graph = parse(REWRITES["dead nodes"][1])
    before = copy.copy(graph.nodes)
    run_passes(graph, skip=["eliminate_dead_code"])
    assert graph.nodes == before
