"""All zoo models at bench size, exported now, against PyTorch and against themselves.

Each model is exported at batches 1, 2 and 8; zoo_check (tests/engine/exec/zoo_check.cc) runs them fused and unfused, on
every vector instruction set, on one thread and two, compares with the framework within the golden file's tolerance,
and row by row between batches. The digests of the outputs' bits are committed in tests/zoo/bench_bits.json;
RML_UPDATE_BITS=1 writes them anew.
"""

import json
import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from rml_export.zoo.configs import MODELS
from safetensors.numpy import load_file

ROOT = Path(__file__).resolve().parents[2]
BITS = ROOT / "tests/zoo/bench_bits.json"
BATCHES = (1, 2, 8)
BINARIES = Path(os.environ.get("RML_BIN_DIR", ROOT / "build/release/bin"))


@pytest.fixture(scope="session")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with every model at bench size: MODEL_b1, MODEL_b2, MODEL_b8."""
    folder = tmp_path_factory.mktemp("zoo")
    command = [
        sys.executable,
        "-m",
        "rml_export",
        "zoo",
        "--size",
        "bench",
        "--static",
        "--batch",
        "1,2,8",
        "--out",
        str(folder),
    ]
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "exporter"))
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def exported_crc(zoo: Path, model: str, batch: int) -> str:
    """A checksum of weights and inputs: PyTorch may fold constants to other last bits on another machine."""
    folder = zoo / f"{model}_b{batch}/1"
    crc = zlib.crc32((folder / "model.safetensors").read_bytes())
    golden = load_file(folder / "golden.safetensors")
    for name in sorted(golden):
        if name.startswith("input."):
            crc = zlib.crc32(golden[name].tobytes(), crc)
    return f"{crc:08x}"


@pytest.fixture(scope="session")
def committed_bits() -> dict:
    """The committed digests; with RML_UPDATE_BITS=1 what the tests saw is written back at the end."""
    bits = json.loads(BITS.read_text()) if BITS.exists() else {}
    yield bits
    if os.environ.get("RML_UPDATE_BITS"):
        BITS.write_text(json.dumps(bits, indent=1, sort_keys=True) + "\n")


@pytest.mark.parametrize("model", MODELS)
def test_matches_the_framework_with_the_committed_bits(zoo: Path, committed_bits: dict, model: str) -> None:
    command = [str(BINARIES / "zoo_check"), str(zoo), model]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    if model != "clip":  # its similarity matrix mixes the rows of a batch
        assert report["rows_compared"] >= 8
    seen = {
        str(batch): {"weights_and_inputs": exported_crc(zoo, model, batch), "outputs": report["digests"][str(batch)]}
        for batch in BATCHES
    }
    if os.environ.get("RML_UPDATE_BITS"):
        committed_bits[model] = seen
    other = [b for b in seen if committed_bits[model][b]["weights_and_inputs"] != seen[b]["weights_and_inputs"]]
    for batch in seen:
        if batch not in other:
            assert seen[batch]["outputs"] == committed_bits[model][batch]["outputs"], f"batch {batch}: other bits"
    if other:
        pytest.skip(f"batches {', '.join(other)}: PyTorch exported other weights here, so no digest to compare with")
