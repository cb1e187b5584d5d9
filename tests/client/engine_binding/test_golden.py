"""Every fixture through the module: the framework's numbers, and the very bits that the C++ tests hold."""

import zlib

import numpy as np
import pytest

import rml
from tests.client.engine_binding.conftest import FIXTURES

NAMES = sorted(path.stem for path in FIXTURES.glob("*.json"))


def bits_digest(outputs) -> str:
    """BitsDigest() of tests/engine/exec/fixtures.h."""
    crc = 0
    for array in outputs:
        kind = {"float32": "f32", "int32": "i32"}[array.dtype.name]
        crc = zlib.crc32(f"{kind}[{', '.join(map(str, array.shape))}]".encode(), crc)
        bits = array.view(np.uint32).copy()
        if kind == "f32":
            bits[np.isnan(array)] = 0x7FC00000
        crc = zlib.crc32(bits.tobytes(), crc)
    return f"{crc:08x}"


def test_there_are_fixtures():
    assert len(NAMES) >= 6 * 19


@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_the_framework_s_and_have_the_committed_bits(name, golden):
    inputs, expected = golden(name)
    committed = (FIXTURES / f"{name}.bits").read_text().strip()
    for threads in (1, 2):
        model = rml.load(FIXTURES / f"{name}.json", threads=threads)
        outputs = model.run(*inputs)
        for output, want in zip(outputs, expected, strict=True):
            np.testing.assert_allclose(output, want, rtol=0, atol=1e-5)
        assert bits_digest(outputs) == committed
        named = model.run({info.name: array for info, array in zip(model.inputs, inputs, strict=True)})
        assert list(named) == [info.name for info in model.outputs]
        assert bits_digest(named.values()) == committed
