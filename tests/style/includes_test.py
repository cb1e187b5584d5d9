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
    "command_line": [],
    "server": [
        "command_line",
        "engine/exec",
        "engine/base",
        "engine/graph",
        "engine/kernels/dispatch.h",
        "proto",
        "rml",
    ],
    "client/cpp": ["command_line", "engine/exec", "engine/base", "engine/graph", "examples", "proto", "rml"],
    "client/engine_binding": ["engine/exec", "engine/base", "engine/graph", "engine/kernels/dispatch.h"],
    "examples/client": ["client/cpp/client.h", "engine/base"],
    "examples": ["command_line", "engine/exec", "engine/base", "engine/graph", "engine/kernels/dispatch.h"],
}
PROJECT_FOLDERS = ("engine", "command_line", "server", "client", "examples", "loadtest", "tests", "proto", "rml")
# Beside the standard library: so that no gRPC, protobuf, spdlog or other library creeps in.
ENGINE_LIBRARIES = ("absl", "nlohmann", "zlib.h")
SYSTEM_HEADERS = ("sys", "unistd.h", "fcntl.h", "sched.h", "cpuid.h", "immintrin.h", "xmmintrin.h")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def includes(path: Path) -> list[str]:
    return INCLUDE.findall(tree.text(path))


def folder_rule(path: Path) -> str | None:
    matches = [folder for folder in MAY_INCLUDE if path.is_relative_to(folder)]
    return max(matches, key=len, default=None)


def is_within(include: str, folder: str) -> bool:
    return include == folder or include.startswith(folder + "/")


def is_allowed(path: Path, include: str) -> bool:
    """Whether the file may include this: what is not of the project, and what its folder's rule lists."""
    if include.split("/")[0] not in PROJECT_FOLDERS:
        return True
    folder = folder_rule(path)
    return folder is None or any(is_within(include, other) for other in [folder, *MAY_INCLUDE[folder]])


CPP = tree.files(".h", ".cc", ".inc")


@pytest.mark.parametrize("folder", MAY_INCLUDE)
def test_folder_includes_only_what_lies_below_it(folder):
    files = [path for path in CPP if folder_rule(path) == folder]
    wrong = [f"{path}: {include}" for path in files for include in includes(path) if not is_allowed(path, include)]
    assert not wrong, f"{folder} may include {[folder, *MAY_INCLUDE[folder]]}"


def test_every_folder_has_a_rule():
    """Tests and benchmarks may include anything; a new folder of the product needs a line above."""
    free = ("tests", "loadtest")
    assert not [str(path) for path in CPP if path.parts[0] not in free and folder_rule(path) is None]


def test_includes_are_written_from_the_root():
    """`#include "plan.h"` and `#include "../exec/plan.h"` would get past the rules."""
    names = {path.name for path in CPP}
    wrong = [
        f"{path}: {include}"
        for path in CPP
        for include in includes(path)
        if ".." in include.split("/") or ("/" not in include and include in names)
    ]
    assert not wrong


# The chain of style.md once more, so that a slip in MAY_INCLUDE shows.
CHAIN = ("engine/base", "engine/kernels", "engine/gemm", "engine/ops", "engine/fusion", "engine/passes", "engine/exec")
ABOVE_THE_ENGINE = ("server", "client/cpp", "examples", "loadtest/microbench", "tests/engine")
FORBIDDEN = [
    *((low, high) for i, low in enumerate(CHAIN) for high in CHAIN[i + 1 :]),
    *((engine, above) for engine in (*CHAIN, "engine/graph") for above in ABOVE_THE_ENGINE),
    *(("engine/graph", other) for other in CHAIN if other != "engine/base"),
    *((low, "engine/graph") for low in ("engine/base", "engine/kernels", "engine/gemm")),
    *((user, inner) for user in ("server", "client/cpp", "examples") for inner in CHAIN[1:-1]),
    *(("server", above) for above in ("client/cpp", "examples", "loadtest/microbench", "tests/server")),
    *(("client/cpp", above) for above in ("server", "loadtest/microbench", "tests/client")),
    *(("examples", above) for above in ("server", "client/cpp", "loadtest/microbench", "tests/examples")),
]


@pytest.mark.parametrize(("folder", "other"), FORBIDDEN, ids=lambda name: name)
def test_a_planted_include_is_seen(folder, other):
    assert not is_allowed(Path(folder) / "planted.h", f"{other}/planted.h")
    assert not is_allowed(Path(folder) / "deeper/planted.cc", f"{other}/deeper/planted.h")


@pytest.mark.parametrize(
    ("folder", "header"),
    [(high, f"{low}/a.h") for i, low in enumerate(CHAIN) for high in CHAIN[i:]]
    + [(folder, "engine/graph/a.h") for folder in (*CHAIN[3:], "engine/graph", "server", "client/cpp", "examples")]
    + [(folder, "engine/exec/a.h") for folder in ("server", "client/cpp", "examples")]
    + [
        ("server", "engine/kernels/dispatch.h"),
        ("engine/base", "absl/status/status.h"),
        ("tests/engine", "server/a.h"),
    ],
)
def test_an_include_that_points_down_is_allowed(folder, header):
    assert is_allowed(Path(folder) / "a.cc", header)


def is_engine_include(include: str) -> bool:
    standard = "/" not in include and "." not in include
    return standard or any(is_within(include, other) for other in ("engine", *ENGINE_LIBRARIES, *SYSTEM_HEADERS))


def test_engine_includes_its_few_libraries_only():
    engine = [path for path in CPP if path.is_relative_to("engine")]
    assert not [f"{path}: {include}" for path in engine for include in includes(path) if not is_engine_include(include)]


@pytest.mark.parametrize(
    "include",
    [
        *("grpcpp/grpcpp.h", "grpc/grpc.h", "google/protobuf/message.h", "rml/v1/inference.pb.h", "spdlog/spdlog.h"),
        *("prometheus/registry.h", "microhttpd.h", "CLI/CLI.hpp", "gtest/gtest.h", "server/sync/mutex.h"),
    ],
)
def test_a_library_that_is_planted_in_the_engine_is_seen(include):
    assert not is_engine_include(include)


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
