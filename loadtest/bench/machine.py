"""What results are compared by: the CPU's model and what each engine is."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from loadtest.bench.peers import Engine


def cpu_model(text: str) -> str:
    """Of /proc/cpuinfo."""
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return "unknown"


def digest(paths: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for path in sorted(paths):
        whole.update(path.read_bytes())
    return whole.hexdigest()[:12]


def builds(build: Path) -> list[Path]:
    """What ours consists of."""
    return [build / "bin/rml-graph-run", *(build / "python/rml").glob("_engine*.so")]


def missing_builds(build: Path) -> list[str]:
    there = [path.name for path in builds(build) if path.exists()]
    program = [] if "rml-graph-run" in there else ["bin/rml-graph-run"]
    return program + ([] if any(name.startswith("_engine") for name in there) else ["python/rml"])


def describe(engines: Iterable[Engine], build: Path) -> dict[str, Any]:
    """Frameworks by version, ours by what was built."""
    ours = digest(builds(build))
    return {
        "cpu": cpu_model(Path("/proc/cpuinfo").read_text()),
        "versions": {engine.name: engine.version() if engine.distribution else ours for engine in engines},
    }
