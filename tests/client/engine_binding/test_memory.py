"""References and memory come back."""

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rml_export.builder import Builder

import rml


def test_a_run_keeps_no_reference(mlp):
    x, out, inputs = np.zeros((3, 12), np.float32), np.empty((3, 4), np.float32), {}
    inputs["x"] = x
    objects = (x, out, inputs, mlp)
    before = [sys.getrefcount(item) for item in objects]
    for _ in range(10):
        mlp.run(inputs, out=[out])
        mlp.run(x, out={"logits": out})
        mlp.profile([x], runs=1)
        with pytest.raises(rml.InvalidArgument):
            mlp.run(x, out=[x])
        with pytest.raises(rml.InvalidArgument):
            mlp.run({"x": x, "z": x})
    gc.collect()
    assert [sys.getrefcount(item) for item in objects] == before
    result = mlp.run(x)
    references = sys.getrefcount(result[0])
    assert references == 2  # the tuple's and the argument's


def test_runs_leave_no_objects_behind(mlp):
    x = np.zeros((3, 12), np.float32)

    def blocks_after(runs):
        for _ in range(runs):
            mlp.run(x)
            mlp.step_info()
        gc.collect()
        return sys.getallocatedblocks()

    blocks_after(10)
    assert blocks_after(1000) - blocks_after(10) < 100


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_a_model_s_memory_goes_back(tmp_path):
    builder = Builder()
    x = builder.input("x", np.zeros((1, 1024), np.float32))
    weights = np.random.default_rng(3).standard_normal((1024, 1024), np.float32)
    builder.output("y", builder.op("matmul", x, builder.constant(weights, "w")))
    builder.write(tmp_path / "large")
    row = np.zeros((1, 1024), np.float32)

    def load_and_run():
        rml.load(tmp_path / "large.json").run(row)

    load_and_run()
    before = resident_bytes()
    for _ in range(10):
        load_and_run()
    assert resident_bytes() - before < 2 * weights.nbytes


def test_an_interpreter_ends_without_a_word():
    """nanobind reports what is left over at the end."""
    code = """
import numpy, rml
model = rml.load("tests/fixtures/torch_mlp.json")
kept = model.run(numpy.zeros((2, 12), numpy.float32)), model.inputs, model.profile(), model.step_info()
try:
    model.run(1)
except rml.RmlError as error:
    last = error
"""
    environment = {"PYTHONPATH": str(Path(rml.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
