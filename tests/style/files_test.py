"""Sizes and names of files, and what may not stand in them."""

import re

from tests.style import tree

SOURCES = (".h", ".cc", ".inc", ".py", ".sh", ".cmake", ".proto")
MAX_LINES = 400
VAGUE = re.compile(r"(^|_)(utils?|helpers?|common|misc|stuff)$")
# A folder of one machine or one person: such a path works nowhere else.
LOCAL_PATH = re.compile(r"(?<![\w.])/(home|root|work|Users)/\w")


def test_no_file_is_too_long():
    sizes = {str(path): tree.text(path).count("\n") for path in tree.files(*SOURCES)}
    assert not {name: size for name, size in sizes.items() if size > MAX_LINES}, f"split files over {MAX_LINES} lines"


def test_embedding_the_engine_takes_twenty_lines():
    assert tree.text("examples/embed/embed.cc").count("\n") <= 20


def test_names_say_what_is_inside():
    names = [part for path in tree.files() for part in (*path.parts[:-1], path.stem)]
    assert not sorted({name for name in names if VAGUE.search(name.lower())})


def test_no_path_of_one_machine():
    wrong = []
    for path in tree.files(*SOURCES, ".md", ".txt", ".json", ".toml", ".yaml", ".yml", ""):
        if path.is_relative_to("tests/style"):
            continue
        wrong += [f"{path}: {match.group()}" for match in LOCAL_PATH.finditer(tree.text(path))]
    assert not wrong


def test_headers_are_guarded_by_pragma_once():
    assert not [str(path) for path in tree.files(".h") if "#pragma once\n" not in tree.text(path)]


def test_fuzz_corpora_are_small_and_of_one_kind():
    corpora = {}
    for path in tree.files():
        if path.match("tests/fuzz/*/corpus/*"):
            corpora.setdefault(path.parts[2], []).append(path)
    assert corpora
    assert sum((tree.ROOT / path).stat().st_size for paths in corpora.values() for path in paths) < 2_000_000
    assert not [name for name, paths in corpora.items() if len({path.suffix for path in paths}) != 1]
