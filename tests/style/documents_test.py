"""Documents agree with the tree: links resolve, and the flags and commands they name exist."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.style import tree

DOCUMENTS = tree.files(".md")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?![\w-])")
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
DEV_COMMAND = re.compile(r"\./dev ([a-z]+)")
# Flags of programs that are not ours.
FOREIGN_FLAGS = {
    *("--workflow", "--preset", "--build", "--install", "--prefix", "--target"),  # cmake
    *("--version", "--help", "--output-on-failure", "--gtest_filter"),
    *("--json_input", "--json_output", "--metadata"),  # grpc_cli
}


def anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_links_resolve(document):
    broken = []
    for link in LINK.findall(tree.text(document)):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, fragment = link.partition("#")
        target = (tree.ROOT / document.parent / path).resolve() if path else tree.ROOT / document
        if not target.exists():
            broken.append(link)
        elif fragment and target.suffix == ".md":
            anchors = {anchor(heading) for heading in HEADING.findall(target.read_text())}
            if fragment not in anchors:
                broken.append(link)
    assert not broken


def sources_with_flags() -> str:
    programs = [path for path in tree.files(".cc", ".h", ".py", ".sh") if not path.is_relative_to("tests/style")]
    return "\n".join(map(tree.text, [*programs, Path("dev")]))


@pytest.fixture(scope="module")
def flags_in_sources():
    return set(FLAG.findall(sources_with_flags()))


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_flags_exist(document, flags_in_sources):
    named = {flag for code in CODE.findall(tree.text(document)) for flag in FLAG.findall(code)}
    unknown = sorted(named - flags_in_sources - FOREIGN_FLAGS)
    assert not unknown


def test_commands_of_dev_exist():
    usage = subprocess.run([tree.ROOT / "dev", "--help"], check=True, capture_output=True, text=True).stdout
    named = {name for document in DOCUMENTS for name in DEV_COMMAND.findall(tree.text(document))}
    unknown = {name for name in named if not re.search(rf"^  {name}\b", usage, re.MULTILINE)}
    assert not unknown
