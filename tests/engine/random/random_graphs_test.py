"""Random graphs against the references and against themselves: 500 in every run, 20,000 with `./dev test --full`."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(os.environ.get("RML_BIN_DIR", ROOT / "build/release/bin")).resolve()
PARTS = 8  # run two at a time, so that two cores are busy


def check(first_seed: int, count: int, failures: Path) -> subprocess.CompletedProcess:
    command = [BIN / "rml-random-graphs", "--seed", str(first_seed), "--count", str(count), "--failures", str(failures)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def sweep(first_seed: int, count: int, failures: Path) -> None:
    """`count` graphs; what fails is shown with the command that replays its small form."""
    part = -(-count // PARTS)
    starts = range(first_seed, first_seed + count, part)
    with ThreadPoolExecutor(max_workers=2) as pool:
        results = list(pool.map(lambda start: check(start, min(part, first_seed + count - start), failures), starts))
    for result in results:
        print(result.stdout.splitlines()[-1] if result.stdout else result.stderr)
    assert all(result.returncode == 0 for result in results), "\n".join(r.stdout + r.stderr for r in results)
    assert sum(int(result.stdout.splitlines()[-1].split()[0]) for result in results) == count


def test_five_hundred_graphs(tmp_path):
    sweep(0, 500, tmp_path)


@pytest.mark.slow
def test_twenty_thousand_graphs(tmp_path):
    sweep(1000, 20_000, tmp_path)
