"""Models for the tests of the Python module rml."""

from pathlib import Path

import numpy as np
import pytest
from rml_export.builder import Builder
from safetensors.numpy import load_file

import rml

FIXTURES = Path("tests/fixtures")


@pytest.fixture(scope="module")
def mlp():
    """One input x f32[B, 12], one output logits f32[B, 4]."""
    return rml.load(FIXTURES / "torch_mlp.json")


@pytest.fixture(scope="module")
def two_tower():
    """Two inputs."""
    return rml.load(FIXTURES / "torch_two_tower.json")


@pytest.fixture(scope="session")
def write_model(tmp_path_factory):
    """write_model(shape) writes a static model y = relu(x) of that shape and returns its path."""

    def write(shape):
        builder = Builder()
        x = builder.input("x", np.zeros(shape, np.float32))
        builder.output("y", builder.op("relu", x))
        path = tmp_path_factory.mktemp("model") / "relu"
        builder.write(path)
        return path.with_suffix(".json")

    return write


@pytest.fixture(scope="session")
def golden():
    """golden(name) is the fixture's golden inputs and outputs, in the model's order."""

    def read(name):
        tensors = load_file(FIXTURES / f"{name}.golden.safetensors")

        def ordered(kind):
            return [tensors[f"{kind}.{i}"] for i in range(sum(key.startswith(f"{kind}.") for key in tensors))]

        return ordered("input"), ordered("output")

    return read
