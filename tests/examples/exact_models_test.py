"""The exact examples: exports and the numbers in the C++ sources are what the generators make today."""

import re
from pathlib import Path

import pytest

from examples.exact_check.exact_check import literals
from examples.tiny_net import make_tiny_net

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def squeezed(text: str) -> str:
    return re.sub(r"//|\s", "", text)


@pytest.mark.parametrize("framework", make_tiny_net.FRONT_ENDS)
def test_tiny_net(framework, tmp_path):
    make_tiny_net.write(tmp_path, [framework])
    compare(tmp_path, EXAMPLES / "tiny_net/exports", framework)


def test_tiny_net_numbers():
    assert squeezed(literals(make_tiny_net.reference())) in squeezed((EXAMPLES / "tiny_net/tiny_net.cc").read_text())


def compare(made: Path, committed: Path, framework: str) -> None:
    names = sorted(path.name for path in made.iterdir())
    assert names == sorted(path.name for path in committed.glob(f"{framework}[._]*"))
    for name in names:
        assert (made / name).read_bytes() == (committed / name).read_bytes(), f"{name}: run the generator again"
