"""docs/exporting.md can be copied: its Python runs, and the extras that it installs are those of the package."""

import re
import tomllib
from pathlib import Path

import pytest
from rml_export.command_line import ROUTES
from rml_export.evaluate import evaluate
from rml_export.golden import read_golden
from rml_export.reader import read_graph

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "exporting.md").read_text()
BLOCKS = re.findall(r"^## ([^\n]+)\n\n```python\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
PACKAGE = tomllib.loads((ROOT / "exporter" / "pyproject.toml").read_text())["project"]
PINS = dict(re.findall(r"^([\w-]+)==(\S+)$", (ROOT / "requirements" / "export.txt").read_text(), re.MULTILINE))


def test_each_framework_has_a_block():
    assert [title for title, _ in BLOCKS] == [
        "From PyTorch",
        "From JAX",
        "From TensorFlow",
        "From ONNX",
        "Through StableHLO",
    ]


@pytest.mark.parametrize(("title", "code"), BLOCKS, ids=[title for title, _ in BLOCKS])
def test_the_code_runs_as_it_stands(title, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "exporting.md", "exec"), {"__name__": "__main__"})
    folders = list((tmp_path / "repository").glob("*/1"))
    assert folders
    for folder in folders:
        golden = read_golden(folder / "golden.safetensors")
        for got, want in zip(evaluate(read_graph(folder / "model"), golden.inputs), golden.outputs, strict=True):
            assert golden.tolerance.difference(got, want) is None


EXTRAS = {
    **{route.name: route.packages for route in ROUTES},
    **{
        f"{route.name}-{way}": (*route.packages, *besides)
        for route in ROUTES
        for way, besides in route.ways.items()
        if besides
    },
}


@pytest.mark.parametrize("name", EXTRAS)
def test_every_way_has_its_extra(name):
    """With the versions that the tests run on; a distribution may be named after what is imported, or after more."""
    extra = PACKAGE["optional-dependencies"][name]
    assert all(any(item.startswith(package.replace("_", "-")) for item in extra) for package in EXTRAS[name])
    for item in extra:
        distribution, version = item.split("==")
        assert PINS[distribution] == version
    assert f"./exporter[{name}]'" in PAGE


def test_the_package_itself_needs_no_framework():
    assert [re.match(r"[\w-]+", item)[0] for item in PACKAGE["dependencies"]] == ["numpy"]
