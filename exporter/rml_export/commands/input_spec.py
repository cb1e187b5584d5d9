"""--input on the command line: the type of an example input, and random numbers of that type."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rml_export.commands.usage import UsageError

_PATTERN = re.compile(
    r"\s*(?:(?P<name>[\w./:-]+)\s*=)?\s*(?P<dtype>f32|i32)\s*\[\s*(?P<dims>(?:[0-9]+(?:\s*,\s*[0-9]+)*)?)\s*\]"
    r"\s*(?:<\s*(?P<bound>[0-9]+))?\s*"
)
_MAX_BOUND = 2**31

HELP = """\
  --input 'image=f32[2,3,32,32]'        normal random numbers
  --input 'tokens=i32[2,16]<1024'       random ids from 0 to 1023"""


@dataclass(frozen=True)
class InputSpec:
    """bound: integers are below it; None for floats."""

    name: str | None
    dtype: str
    shape: tuple[int, ...]
    bound: int | None

    def example(self, seed: int) -> np.ndarray:
        generator = np.random.default_rng(seed)
        if self.dtype == "f32":
            return generator.standard_normal(self.shape).astype(np.float32)
        return generator.integers(0, self.bound, self.shape, dtype=np.int32)


def parse_input(text: str) -> InputSpec:
    match = _PATTERN.fullmatch(text)
    if match is None or (match["bound"] and match["dtype"] == "f32"):
        raise UsageError(f"--input '{text}': expected NAME=f32[DIMS] or NAME=i32[DIMS]<BOUND")
    shape = tuple(int(dim) for dim in match["dims"].split(",") if dim)
    if match["dtype"] == "f32":
        return InputSpec(match["name"], "f32", shape, None)
    bound = int(match["bound"] or 1)
    if not 0 < bound <= _MAX_BOUND:
        raise UsageError(f"--input '{text}': the bound is {bound}; expected 1 to {_MAX_BOUND}")
    return InputSpec(match["name"], "i32", shape, bound)


@dataclass(frozen=True)
class GivenInputs:
    """The example inputs that the command line describes: none of them (None), or all, with names if all have one."""

    arrays: tuple[np.ndarray, ...] | None
    names: list[str] | None


def given_inputs(texts: Sequence[str]) -> GivenInputs:
    specs = [parse_input(text) for text in texts]
    if not specs:
        return GivenInputs(None, None)
    names = [spec.name for spec in specs if spec.name]
    if names and len(names) != len(specs):
        raise UsageError(f"--input: {len(names)} of {len(specs)} inputs have a name; expected all of them, or none")
    return GivenInputs(tuple(map(drawn, specs, texts, range(len(specs)))), names or None)


def drawn(spec: InputSpec, text: str, seed: int) -> np.ndarray:
    try:
        return spec.example(seed)
    except (MemoryError, ValueError) as error:  # NumPy has a limit of its own
        raise UsageError(f"--input '{text}' is too large: {error}") from error
