#!/usr/bin/env python3
"""Writes tiny_models' exports: a CNN, an LSTM and a transformer block in each framework, and prints their exact outputs
as C++ literals.

    python examples/tiny_models/make_tiny_models.py [FOLDER]      default: examples/tiny_models/exports
"""

import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "exporter"), str(ROOT)]

from examples.exact_check.exact_check import literals, write_exports  # noqa: E402
from examples.tiny_models import cnn, lstm, transformer  # noqa: E402

MODELS = {"cnn": cnn, "lstm": lstm, "transformer": transformer}
FRAMEWORKS = ("torch", "jax", "tf")  # <framework>_models.py has the front ends


def write(folder: Path, frameworks: Iterable[str] = FRAMEWORKS) -> None:
    for framework in frameworks:
        front_ends = import_module(f"examples.tiny_models.{framework}_models").FRONT_ENDS
        for name, model in MODELS.items():
            write_exports({framework: front_ends[name]}, model.X, model.reference(), folder, f"_{name}")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "exports")
    for name, model in MODELS.items():
        print(f"\n{name}:\n{literals(model.reference())}")
