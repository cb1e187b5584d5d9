"""--input on the command line: the type of an example input, and random numbers of that type."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rml_export.commands.usage import UsageError

_PATTERN = re.compile(r"(?:([\w./:-]+)=)?(f32|i32)\[([0-9,\s]*)\](?:<([0-9]+))?")

HELP = """\
  --input 'image=f32[2,3,32,32]'        normal random numbers
  --input 'tokens=i32[2,16]<1024'       random ids from 0 to 1023"""


@dataclass(frozen=True)
class InputSpec:
    """bound: integers are below it; None: they are 0."""

    name: str | None
    dtype: str
    shape: tuple[int, ...]
    bound: int | None

    def example(self, seed: int) -> np.ndarray:
        generator = np.random.default_rng(seed)
        if self.dtype == "f32":
            return generator.standard_normal(self.shape).astype(np.float32)
        return generator.integers(0, self.bound or 1, self.shape, dtype=np.int32)


def parse_input(text: str) -> InputSpec:
    match = _PATTERN.fullmatch(text.replace(" ", ""))
    if match is None:
        raise UsageError(f"--input '{text}': expected NAME=f32[DIMS] or NAME=i32[DIMS]<BOUND")
    name, dtype, dims, bound = match.groups()
    shape = tuple(int(dim) for dim in dims.split(",") if dim)
    return InputSpec(name, dtype, shape, int(bound) if bound else None)


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
    arrays = tuple(spec.example(seed) for seed, spec in enumerate(specs))
    return GivenInputs(arrays, names if len(names) == len(specs) else None)
