"""examples/rml_infer_example as a user runs it, and that it tells what is wrong."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "examples/rml_infer_example/rml_infer_example.py"
PROGRAM = Path(os.environ.get("RML_BIN_DIR", ROOT / "build/release/bin")) / "rml-graph-run"


def run(program: Path, *arguments: str) -> subprocess.CompletedProcess:
    environment = dict(os.environ, RML_GRAPH_RUN=str(program), TF_CPP_MIN_LOG_LEVEL="3")
    command = [sys.executable, SCRIPT, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_all_agree():
    done = run(PROGRAM, "--batch", "5")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["rml(torch)", "jax", "rml(jax)", "tf", "rml(tf)"]
    assert len(lines) == 7 and len(lines[1].split()) == 6 and len(lines[5].split()) == 2
    assert lines[6] == "all pairs are within 1e-05"


@pytest.fixture
def example():
    """The script as a module; no framework is imported before it exports."""
    spec = importlib.util.spec_from_file_location("rml_infer_example", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WRONG = {
    "too far": (np.full((2, 5), 0.2 + 3e-5, np.float32), "3.0e-05"),
    "NaN": (np.full((2, 5), np.nan, np.float32), "inf"),
    "another shape": (np.full((2, 4), 0.2, np.float32), "inf"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_difference_is_told(name, example, monkeypatch, capsys):
    right, (wrong, text) = np.full((2, 5), 0.2, np.float32), WRONG[name]
    monkeypatch.setattr(example, "results", lambda *_: {"torch": right, "jax": right, "rml(jax)": wrong})
    monkeypatch.setattr(sys, "argv", ["rml_infer_example.py"])
    monkeypatch.setenv("RML_GRAPH_RUN", str(PROGRAM))
    assert example.main() == 1
    expected = f"off by more than 1e-05: torch and rml(jax) by {text}, jax and rml(jax) by {text}"
    assert capsys.readouterr().out.splitlines()[-1] == expected


def test_a_missing_engine_is_told(tmp_path):
    done = run(tmp_path / "none")
    assert done.returncode == 2
    assert f"RML_GRAPH_RUN names '{tmp_path}/none', which is no file" in done.stderr
