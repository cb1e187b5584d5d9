"""Includes point one way: base <- kernels <- gemm <- ops; base <- graph <- ops; ops <- fusion, passes <- exec."""

import re
from pathlib import Path

import pytest

from tests.style import tree

# What a folder may include of the project, beside itself. The longest prefix that fits a file counts.
MAY_INCLUDE = {
    "engine/base": [],
    "engine/kernels": ["engine/base"],
    "engine/gemm": ["engine/base", "engine/kernels"],
    "engine/graph": ["engine/base"],
    "engine/ops": ["engine/base", "engine/kernels", "engine/gemm", "engine/graph"],
    "engine/fusion": ["engine/base", "engine/kernels", "engine/gemm", "engine/graph", "engine/ops"],
    "engine/passes": ["engine/base", "engine/kernels", "engine/gemm", "engine/graph", "engine/ops", "engine/fusion"],
    "engine/exec": ["engine"],
    # base and graph for their types: shapes, tensors, files
    "server": ["engine/exec", "engine/base", "engine/graph", "engine/kernels/dispatch.h", "proto", "rml"],
    "client/cpp": ["engine/exec", "engine/base", "engine/graph", "examples", "proto", "rml"],
    "examples": ["engine/exec", "engine/base", "engine/graph", "engine/kernels/dispatch.h"],
}
PROJECT_FOLDERS = ("engine", "server", "client", "examples", "loadtest", "tests")
NOT_IN_ENGINE = ("grpc", "google/protobuf", "spdlog", "prometheus", "CLI", "microhttpd", "rml/v1")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def includes(path: Path) -> list[str]:
    return INCLUDE.findall(tree.text(path))


def folder_rule(path: Path) -> str | None:
    matches = [folder for folder in MAY_INCLUDE if path.is_relative_to(folder)]
    return max(matches, key=len, default=None)


def is_within(include: str, folder: str) -> bool:
    return include == folder or include.startswith(folder + "/")


CPP = tree.files(".h", ".cc", ".inc")


@pytest.mark.parametrize("folder", MAY_INCLUDE)
def test_folder_includes_only_what_lies_below_it(folder):
    allowed = [folder, *MAY_INCLUDE[folder]]
    wrong = [
        f"{path}: {include}"
        for path in CPP
        if folder_rule(path) == folder
        for include in includes(path)
        if include.split("/")[0] in PROJECT_FOLDERS and not any(is_within(include, other) for other in allowed)
    ]
    assert not wrong, f"{folder} may include {allowed}"


def test_engine_is_free_of_server_libraries():
    wrong = [
        f"{path}: {include}"
        for path in CPP
        if path.is_relative_to("engine")
        for include in includes(path)
        if any(is_within(include, library) or include.startswith(library + ".") for library in NOT_IN_ENGINE)
    ]
    assert not wrong


def test_json_is_read_in_the_graph_folder_only():
    engine = [path for path in CPP if path.is_relative_to("engine") and not path.is_relative_to("engine/graph")]
    assert not [path for path in engine if any(i.startswith("nlohmann/") for i in includes(path))]


def test_own_header_comes_first():
    wrong = []
    for path in CPP:
        header = path.with_suffix(".h")
        if path.suffix == ".cc" and header in CPP and includes(path)[:1] != [str(header)]:
            wrong.append(str(path))
    assert not wrong, "a .cc file includes its own header first"
