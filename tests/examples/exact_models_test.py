"""The exact examples: exports and the numbers in the C++ sources are what the generators make today."""

import re
from pathlib import Path

import pytest

from examples.exact_check.exact_check import literals
from examples.tiny_models import make_tiny_models
from examples.tiny_net import make_tiny_net

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("framework", make_tiny_net.FRONT_ENDS)
def test_tiny_net_exports(framework, tmp_path):
    make_tiny_net.write(tmp_path, [framework])
    expect_committed(tmp_path, EXAMPLES / "tiny_net/exports", framework)


@pytest.mark.parametrize("framework", make_tiny_models.FRAMEWORKS)
def test_tiny_models_exports(framework, tmp_path):
    make_tiny_models.write(tmp_path, [framework])
    expect_committed(tmp_path, EXAMPLES / "tiny_models/exports", framework)


def test_numbers():
    expect_literals(make_tiny_net.reference(), EXAMPLES / "tiny_net/tiny_net.cc")
    for model in make_tiny_models.MODELS.values():
        expect_literals(model.reference(), EXAMPLES / "tiny_models/tiny_models.cc")


def expect_committed(made: Path, committed: Path, framework: str) -> None:
    names = sorted(path.name for path in made.iterdir())
    assert names == sorted(path.name for path in committed.glob(f"{framework}[._]*"))
    for name in names:
        assert (made / name).read_bytes() == (committed / name).read_bytes(), f"{name}: run the generator again"


def expect_literals(reference, source: Path) -> None:
    def squeezed(text: str) -> str:
        return re.sub(r"//|\s", "", text)

    assert squeezed(literals(reference)) in squeezed(source.read_text())
