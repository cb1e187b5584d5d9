"""Literals of other printers: weights of dense_resource, booleans packed in bits."""

import numpy as np
import pytest
from rml_export.from_stablehlo import lower_stablehlo
from rml_export.from_stablehlo.text import clean

from tests.exporter.from_stablehlo.lower import main, outputs

WEIGHTS = np.array([[1.5, -2.0, 0.0], [4.0, 5.0, -6.0]], np.float32)


def with_resource(name: str, kind: str, data: bytes) -> str:
    body = f"%w = stablehlo.constant dense_resource<{name}> : {kind}\n%0 = stablehlo.add %w, %x : {kind}\n%0"
    blob = "04000000" + data.hex().upper()
    resources = f'\n{{-#\n  dialect_resources: {{\n    builtin: {{\n      {name}: "0x{blob}"\n    }}\n  }}\n#-}}\n'
    return main(body, f"%x: {kind}", kind) + resources


@pytest.mark.parametrize("name", ["w", "torch_tensor_2_3_torch.float32", "a-b$1"])
def test_resources_come_into_place(name):
    text = with_resource(name, "tensor<2x3xf32>", WEIGHTS.tobytes())
    assert "dense_resource" not in clean(text)
    np.testing.assert_array_equal(outputs(text, np.zeros((2, 3), np.float32))[0], WEIGHTS)


def test_an_empty_resource():
    text = with_resource("w", "tensor<0x3xf32>", b"")
    assert outputs(text, np.zeros((0, 3), np.float32))[0].shape == (0, 3)


@pytest.mark.parametrize("count", [3, 8, 9, 20])
def test_packed_booleans(count):
    flags = np.random.default_rng(count).integers(0, 2, count).astype(bool)
    packed = np.packbits(flags, bitorder="little").tobytes().hex().upper()
    kind = f"tensor<{count}xi1>"
    body = f'%w = stablehlo.constant dense<"0x{packed}"> : {kind}\n%0 = stablehlo.and %w, %x : {kind}\n%0'
    (got,) = outputs(main(body, f"%x: {kind}", kind), np.ones(count, bool))
    np.testing.assert_array_equal(got, flags.astype(np.float32))


def test_booleans_of_a_byte_each_stay():
    text = 'dense<"0x01000101"> : tensor<4xi1>'
    assert clean(text) == text
    assert clean('dense<"0x0B"> : tensor<2x2xi1>') == 'dense<"0x01010001"> : tensor<2x2xi1>'


def test_bfloat16_constants():
    body = """%a = stablehlo.constant dense<[1.5, -2.0, 0x7FC0]> : tensor<3xbf16>
              %b = stablehlo.constant dense<0.5> : tensor<3xbf16>
              %0 = stablehlo.multiply %a, %b : tensor<3xbf16>
              %1 = stablehlo.convert %0 : (tensor<3xbf16>) -> tensor<3xf32>
              %2 = stablehlo.add %1, %x : tensor<3xf32>
              %2"""
    export = lower_stablehlo(main(body, "%x: tensor<3xf32>", "tensor<3xf32>"), [np.zeros(3, np.float32)])
    np.testing.assert_array_equal(export.outputs[0], np.array([0.75, -1, np.nan], np.float32))
