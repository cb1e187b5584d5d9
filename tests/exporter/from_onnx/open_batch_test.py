"""Families of operators for any batch: each row of the result depends on its own row of the inputs alone."""

import numpy as np
import pytest
from rml_export.dims import BatchMultiple
from rml_export.from_onnx import lower_onnx

from tests.exporter.comparing import numbers
from tests.exporter.from_onnx.lower import model

N, H = 3, 4
CASES = {
    "lstm": (
        f"""a = Transpose<perm = [1, 0, 2]> (x)
            s, last = LSTM<hidden_size = {H}, direction = "bidirectional"> (a, w, r, b)
            t = Transpose<perm = [2, 0, 1, 3]> (s)
            y = Flatten (t)""",
        (N, 5, 2),
        {"w": numbers(2, 4 * H, 2), "r": numbers(2, 4 * H, H), "b": numbers(2, 8 * H)},
    ),
    "resize": ('y = Resize<mode = "linear"> (x, "", s)', (N, 3, 6, 5), {"s": np.array([1, 1, 2, 1.5], np.float32)}),
    "nearest": ('y = Resize<mode = "nearest"> (x, "", s)', (N, 3, 6, 5), {"s": np.array([1, 1, 2, 2], np.float32)}),
    "volume_pool": ("y = MaxPool<kernel_shape = [2, 2, 2]> (x)", (N, 3, 4, 6, 5), {}),
    "volume": ("y = Conv (x, w)", (N, 3, 4, 6, 5), {"w": numbers(2, 3, 2, 3, 3)}),
    "transposed": ("y = ConvTranspose<strides = [2, 2]> (x, w)", (N, 3, 6, 5), {"w": numbers(3, 2, 3, 3)}),
    "groups": (
        "y = GroupNormalization<num_groups = 3> (x, s, b)",
        (N, 6, 6, 5),
        {"s": numbers(6), "b": numbers(6, seed=1)},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_any_batch(case: str) -> None:
    lines, shape, constants = CASES[case]
    inputs = {"x": numbers(*shape)}
    proto = model(lines, inputs, constants, dims={"x": ("N", *shape[1:])})
    (output,) = lower_onnx(proto, inputs=list(inputs.values())).graph.outputs
    assert output.rows
    assert output.value.shape[0] == BatchMultiple(1)


def test_attention_for_any_batch() -> None:
    inputs = {name: numbers(N, 4, 3, 8, seed=seed) for seed, name in enumerate("qkv")}
    dims = {name: ("N", 4, 3, 8) for name in "qkv"}
    proto = model("y = Attention<is_causal = 1> (q, k, v)", inputs, opset=23, dims=dims)
    (output,) = lower_onnx(proto, inputs=list(inputs.values()), runtime="reference").graph.outputs
    assert output.rows
    assert output.value.shape[0] == BatchMultiple(1)
