"""Ours in its own process, in C++ and in Python, on a tiny model: the one place where something real is started."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from loadtest.bench.cells import Cell
from loadtest.bench.engine_process import EngineProcess
from loadtest.bench.files import Files, read_data, write_data
from loadtest.bench.peers import our_engines
from loadtest.bench.rounds import EngineError

FIXTURES = Path("tests/fixtures")
ENGINES = our_engines(["torch"])
CELL = Cell("mlp", 2, 1)


@pytest.fixture
def files(tmp_path):
    files = Files(tmp_path)
    files.graphs.mkdir()
    files.data("mlp", 2).parent.mkdir()
    for suffix in ("json", "safetensors"):
        shutil.copy(FIXTURES / f"torch_mlp.{suffix}", files.graphs)
    write_data(files.data("mlp", 2), *read_data(FIXTURES / "torch_mlp.golden.safetensors"))
    return files


@pytest.fixture(params=ENGINES, ids=lambda engine: engine.module)
def engine(request):
    return request.param


def state(process):
    return Path(f"/proc/{process._process.pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_it_is_timed_and_stopped_in_between(engine, files):
    process = EngineProcess(engine, CELL, files)
    try:
        os.waitid(os.P_PID, process._process.pid, os.WSTOPPED | os.WNOWAIT)
        assert state(process) == "T"
        assert process.sample(0.001) > 0
        assert process.sample(0.001) > 0
    finally:
        process.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process._process.pid, 0)


def test_a_result_that_differs_is_an_error(engine, files):
    inputs, outputs = read_data(files.data("mlp", 2))
    write_data(files.data("mlp", 2), inputs, [np.flip(outputs[0]) + 1])
    with pytest.raises(EngineError, match=r"output 0 is off by .*; allowed is"):
        EngineProcess(engine, CELL, files)


def test_an_engine_that_ends_tells_why(engine, files):
    files.graph("torch", "mlp").unlink()
    with pytest.raises(EngineError, match=r"torch_mlp\.json"):
        EngineProcess(engine, CELL, files)
