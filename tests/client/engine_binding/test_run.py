"""What run() takes and gives."""

import tracemalloc

import numpy as np
import pytest

import rml


def rows_of(count, seed=0):
    return np.random.default_rng(seed).standard_normal((count, 12), np.float32)


def test_what_a_model_says_of_itself(mlp):
    [x], [logits] = mlp.inputs, mlp.outputs
    assert (x.name, x.shape, x.dtype, x.row_independent) == ("x", (-1, 12), np.float32, True)
    assert (logits.name, logits.shape, logits.dtype) == ("logits", (-1, 4), np.float32)
    assert repr(x) == "<rml.TensorInfo x: f32[B, 12]>"
    assert mlp.min_rows == 1 < mlp.max_rows
    assert mlp.threads >= 1
    assert rml.isa() in ("portable", "avx2", "avx512")


def test_any_row_count_and_the_same_bits_in_each(mlp):
    x = rows_of(17)
    [whole] = mlp.run(x)
    for count in (1, 2, 7, 17):
        np.testing.assert_array_equal(mlp.run(x[:count])[0], whole[:count])


def test_options_of_load_leave_the_bits(mlp):
    x = rows_of(3)
    [expected] = mlp.run(x)
    path = "tests/fixtures/torch_mlp.json"
    for options in ({"fuse": False}, {"isa": "portable"}, {"disabled_passes": rml.pass_names()}, {"threads": 1}):
        np.testing.assert_array_equal(rml.load(path, **options).run(x)[0], expected)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: np.asfortranarray(x),
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: x[::-1].copy()[::-1],
        lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(x.shape),  # misaligned
        lambda x: x.astype(">f4"),
        lambda x: memoryview(x),
    ],
    ids=["fortran", "strided", "negative-stride", "misaligned", "big-endian", "memoryview"],
)
def test_any_memory_layout_is_read(mlp, make):
    x = rows_of(5)
    np.testing.assert_array_equal(mlp.run(make(x))[0], mlp.run(x)[0])


def test_a_read_only_input_is_read_in_place(mlp):
    x = rows_of(5)
    expected = mlp.run(x)[0]
    x.flags.writeable = False
    np.testing.assert_array_equal(mlp.run(x)[0], expected)


def test_lists_of_numbers_are_arrays_of_their_own_type(mlp):
    with pytest.raises(rml.InvalidArgument, match=r"input 'x' is f64\[1, 12\]; expected f32\[B, 12\]"):
        mlp.run([[0.5] * 12])


def peak_bytes(call):
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_contiguous_arrays_are_not_copied(write_model):
    model = rml.load(write_model((256, 1024)))
    x = np.random.default_rng(1).standard_normal((256, 1024), np.float32)
    y = np.empty_like(x)
    assert peak_bytes(lambda: model.run(x, out=[y])) < x.nbytes // 10
    assert x.nbytes <= peak_bytes(lambda: model.run(x)) < 2 * x.nbytes  # the output alone
    assert peak_bytes(lambda: model.run(np.asfortranarray(x), out=[y])) > x.nbytes  # how a copy shows


def test_out_is_filled_and_returned(mlp):
    x = rows_of(5)
    [expected] = mlp.run(x)
    mine = np.full((5, 4), np.nan, np.float32)
    for out in ([mine], (mine,), {"logits": mine}):
        mine.fill(np.nan)
        assert mlp.run(x, out=out)[0] is mine
        np.testing.assert_array_equal(mine, expected)
    assert mlp.run({"x": x}, out=[mine])["logits"] is mine


def test_out_may_be_a_part_of_a_larger_array(mlp):
    x = rows_of(5)
    large = np.zeros((7, 4), np.float32)
    mlp.run(x, out=[large[1:6]])
    np.testing.assert_array_equal(large[1:6], mlp.run(x)[0])
    assert not large[0].any()
    assert not large[6].any()


def test_outputs_are_new_writable_arrays(mlp):
    x = rows_of(2)
    first, second = mlp.run(x)[0], mlp.run(x)[0]
    assert not np.shares_memory(first, second)
    assert first.flags.owndata
    assert first.flags.writeable


def test_arrays_without_elements(write_model):
    model = rml.load(write_model((0, 3)))
    [y] = model.run(np.empty((0, 3), np.float32))
    assert y.shape == (0, 3)
    out = np.empty((0, 3), np.float32)
    assert model.run(np.empty((0, 3), np.float32), out=[out])[0] is out


def test_two_inputs_by_name_in_any_order(two_tower, golden):
    inputs, [expected] = golden("torch_two_tower")
    names = [info.name for info in two_tower.inputs]
    for order in (1, -1):
        given = dict(list(zip(names, inputs, strict=True))[::order])
        [got] = two_tower.run(given).values()
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-5)


def test_profile_and_steps_cover_the_model(mlp):
    steps = mlp.step_info(rows=6)
    assert steps
    assert all(step.label and step.kernel and step.width >= 1 for step in steps)
    assert steps[-1].output_shapes == [(6, 4)]
    assert any(step.flops > 0 for step in steps)
    for profile in (mlp.profile(), mlp.profile([rows_of(6)], runs=3), mlp.profile({"x": rows_of(6)}, runs=1)):
        assert sum(row.calls for row in profile.rows) == len(steps)
        assert sum(row.share for row in profile.rows) == pytest.approx(1)
        assert profile.wall_seconds > 0
        assert {row.label for row in profile.rows} == {step.label for step in steps}
