"""The demo's yardstick: a bundled model's inputs and outputs as the framework it came from computed them."""

from pathlib import Path

import numpy as np
from rml_export.safetensors_file import read_safetensors

MODELS = Path(__file__).resolve().parent.parent / "models"
TOLERANCE = 1e-5


def golden(model: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Inputs and outputs in the model's order."""
    tensors, _ = read_safetensors(MODELS / model / "1" / "golden.safetensors")

    def numbered(kind: str) -> list[np.ndarray]:
        count = sum(name.startswith(f"{kind}.") for name in tensors)
        return [tensors[f"{kind}.{i}"] for i in range(count)]

    return numbered("input"), numbered("output")


def compare(name: str, got: np.ndarray, expected: np.ndarray) -> None:
    """Prints both and how far they are apart; ends the program with exit code 1 if that is too far."""
    if got.shape != expected.shape:
        raise SystemExit(f"output '{name}' has shape {list(got.shape)}; the framework's has {list(expected.shape)}")
    difference = float(np.abs(got - expected).max())
    for who, array in (("server", got), ("framework", expected)):
        shown = " ".join(f"{value:+.6f}" for value in array.ravel()[:5])
        print(f"  {who:<10} {name} {list(array.shape)}: {shown} ...")
    agree = difference <= TOLERANCE  # false for NaN too
    print(f"  largest difference {difference:.3g} ({'within' if agree else 'NOT within'} {TOLERANCE:g})")
    if not agree:
        raise SystemExit(1)
