"""Golden files: a framework's inputs and outputs of a model, and how close is close enough."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rml_export.canonical import canonical
from rml_export.safetensors_file import read_safetensors, serialize


@dataclass(frozen=True)
class Tolerance:
    """|got - want| <= atol + rtol * max |want|; the default of a user's golden file."""

    atol: float = 1e-4
    rtol: float = 1e-4

    def __post_init__(self) -> None:
        for name, value in (("atol", self.atol), ("rtol", self.rtol)):
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"{name} is {value}; expected a number from 0")

    def difference(self, got: np.ndarray, want: np.ndarray) -> str | None:
        """None if got is close to want (NaN and infinities must be equal); else what differs."""
        return difference(got, want, self.allowed(want), 0.0)

    def allowed(self, want: np.ndarray) -> float:
        """The largest difference that is close enough."""
        finite = np.abs(want[np.isfinite(want)].astype(np.float64))
        return self.atol + self.rtol * (float(finite.max()) if finite.size else 0.0)


@dataclass(frozen=True)
class Golden:
    """What a golden file holds."""

    inputs: list[np.ndarray]
    outputs: list[np.ndarray]
    tolerance: Tolerance


def dump_golden(
    inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray], tolerance: Tolerance | None = None
) -> bytes:
    """The file's bytes: tensors input.i and output.i, the tolerance as metadata."""
    tolerance = tolerance or Tolerance()
    tensors = {f"input.{i}": canonical(array, f"input {i}") for i, array in enumerate(inputs)}
    tensors |= {f"output.{i}": canonical(array, f"output {i}") for i, array in enumerate(outputs)}
    return serialize(tensors, {"atol": _decimal(tolerance.atol), "rtol": _decimal(tolerance.rtol)})


def read_golden(path: str | Path) -> Golden:
    """Reads a golden file."""
    tensors, metadata = read_safetensors(path)
    lists: dict[str, list[np.ndarray]] = {}
    for kind in ("input", "output"):
        count = sum(name.startswith(f"{kind}.") for name in tensors)
        lists[kind] = [tensors[f"{kind}.{i}"] for i in range(count)]
    return Golden(lists["input"], lists["output"], Tolerance(float(metadata["atol"]), float(metadata["rtol"])))


def difference(got: np.ndarray, want: np.ndarray, atol: float = 1e-5, rtol: float = 1e-4) -> str | None:
    """None if |got - want| <= atol + rtol * |want| element by element (equal NaN and infinities); else what differs."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"got {got.dtype}{list(got.shape)}, expected {want.dtype}{list(want.shape)}"
    close = np.isclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
    if close.all():
        return None
    first = tuple(int(i) for i in np.argwhere(~close)[0])
    count = f"{int((~close).sum())} of {close.size} elements differ"
    return f"{count}, first at {list(first)}: got {got[first]}, expected {want[first]}"


def _decimal(value: float) -> str:
    return np.format_float_positional(value)
