"""Every mutex says what it guards, so that clang's -Wthread-safety (preset tidy) has something to check."""

import re

import pytest

from tests.style import tree

SOURCES = [path for path in tree.files(".h", ".cc") if path.parts[0] in ("engine", "server", "client", "examples")]
WRAPPER = "server/sync/mutex.h"  # Mutex, made of std::mutex, which has no annotations
UNANNOTATED = re.compile(r"\b(?:std::(?:\w+_)?mutex|absl::Mutex|pthread_mutex_t)\b")
MEMBER = re.compile(r"^\s+(?:mutable\s+)?Mutex\s+(\w+);", re.MULTILINE)
GUARDED = r"GUARDED_BY\({}\)"


def unguarded(text: str) -> list[str]:
    """The mutexes that no member of their class names as its guard."""
    missing = []
    for match in MEMBER.finditer(text):
        start = max(
            (m.start() for m in re.finditer(r"^(?:class|struct) ", text[: match.start()], re.MULTILINE)), default=0
        )
        end = re.compile(r"^\};", re.MULTILINE).search(text, match.end())
        block = text[start : end.end() if end else len(text)]
        if not re.search(GUARDED.format(match.group(1)), block):
            missing.append(match.group(1))
    return missing


def test_every_mutex_guards_something():
    wrong = {str(path): names for path in SOURCES if (names := unguarded(tree.text(path)))}
    assert not wrong, "no ABSL_GUARDED_BY names these mutexes"


def test_mutexes_are_annotated():
    wrong = [str(path) for path in SOURCES if str(path) != WRAPPER and UNANNOTATED.search(tree.text(path))]
    assert not wrong, f"use Mutex of {WRAPPER}: clang cannot follow others"


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("class A {\n  mutable Mutex mutex_;\n  int n_ ABSL_GUARDED_BY(mutex_) = 0;\n};\n", []),
        ("class A {\n  Mutex mutex_;\n  int n_ = 0;\n};\n", ["mutex_"]),
        ("struct A {\n  Mutex a;\n  Mutex b;\n  int n ABSL_GUARDED_BY(a);\n};\n", ["b"]),
        (
            "class A {\n  int n_ ABSL_GUARDED_BY(mutex_);\n  Mutex mutex_;\n};\nclass B {\n  Mutex mutex_;\n};\n",
            ["mutex_"],
        ),
    ],
)
def test_an_unguarded_mutex_is_seen(text, missing):
    assert unguarded(text) == missing
