"""examples/rml_infer_example as a user runs it, and that it tells what is wrong."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "examples/rml_infer_example/rml_infer_example.py"
PROGRAM = Path(os.environ.get("RML_BIN_DIR", ROOT / "build/release/bin")) / "rml-graph-run"

# Runs the real program on a model whose weights were changed by as much as can be seen.
WRONG_ENGINE = """#!{python}
import sys
sys.path.insert(0, {exporter!r})
import subprocess
from pathlib import Path
from rml_export.safetensors_file import read_safetensors, serialize
subprocess.run([{program!r}, *sys.argv[1:]], check=True)
made = Path(sys.argv[sys.argv.index("--output") + 1])
tensors, _ = read_safetensors(made)
made.write_bytes(serialize({{name: array + 3e-5 for name, array in tensors.items()}}))
"""


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


def test_a_difference_is_told(tmp_path):
    engine = tmp_path / "wrong"
    engine.write_text(WRONG_ENGINE.format(python=sys.executable, exporter=str(ROOT / "exporter"), program=str(PROGRAM)))
    engine.chmod(0o755)
    done = run(engine)
    assert done.returncode == 1, done.stderr
    assert "off by more than 1e-05: torch and rml(torch) by 3.0e-05" in done.stdout
    assert "jax and tf" not in done.stdout


def test_a_missing_engine_is_told(tmp_path):
    done = run(tmp_path / "none")
    assert done.returncode == 2
    assert "build it: ./dev build rml-graph-run" in done.stderr
