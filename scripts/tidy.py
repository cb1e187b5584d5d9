"""tidy.py [--preset P] [PATH...]: clang-tidy over the C++ sources in the files and folders named, all when none is.

The checks are in .clang-tidy. Flags come from build/P/compile_commands.json and the headers of a source from ninja's
log, so that preset (release when none is given) must have been built. A source that was found clean is remembered in
build/tidy under a hash of all that took part (clang-tidy, .clang-tidy, flags, source, headers) and not looked at again.

Most of the time goes into headers, so sources of one folder are first looked at together, included by one file. Where
that shows anything, be it only a name that two of them use, they are halved; only what a source alone shows counts.
"""

import argparse
import functools
import hashlib
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import clang_tidy

ROOT = Path(__file__).resolve().parent.parent
CLEAN = ROOT / "build" / "tidy"
LARGEST_GROUP = 8  # sources, so that there is enough for every core
TOOL = str(clang_tidy.get_executable("clang-tidy"))
# Not in the preset release: projects of their own, which tests/install builds, and what only the preset fuzz compiles.
ELSEWHERE = ("examples/embed/*", "examples/client/*", "tests/fuzz/*_mutat*.cc", "tests/fuzz/*_reference.cc")


@dataclass
class Source:
    file: Path
    build: Path
    command: str
    headers: list[Path]

    def key(self, common: bytes) -> str:
        """Changes when clang-tidy could find something else than before."""
        digest = hashlib.sha256(common + self.command.encode())
        for path in (self.file, *self.headers):
            digest.update(str(path).encode() + content_hash(path))
        return digest.hexdigest()


@functools.cache
def content_hash(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest() if path.exists() else b"gone"


def git_sources() -> list[Path]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.cc"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return [ROOT / name for name in listed if name and (ROOT / name).is_file()]


@functools.cache
def normal_path(folder: Path, name: str) -> Path:
    return Path(os.path.normpath(folder / name))


def headers_by_object(build: Path) -> dict[str, list[Path]]:
    """The source and headers that each object was last compiled from; objects by their path below `build`."""
    command = ["cmake", "--build", str(build), "--", "-t", "deps"]
    log = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    headers: dict[str, list[Path]] = {}
    current: list[Path] = []
    for line in log.splitlines():
        if line.startswith("    "):
            current.append(normal_path(build, line.strip()))
        elif ": #deps" in line and line.endswith("(VALID)"):
            current = headers.setdefault(line.split(": #deps")[0], [])
        else:
            current = []
    return headers


def built_sources(build: Path) -> dict[Path, Source]:
    database = build / "compile_commands.json"
    if not database.exists():
        raise SystemExit(f"tidy: {database.relative_to(ROOT)} is missing; build that preset first (./dev build)")
    headers = headers_by_object(build)
    sources = {}
    for entry in json.loads(database.read_text()):
        file = Path(entry["file"])
        made = os.path.relpath(entry["output"], build)
        if made in headers:
            sources[file] = Source(file, build, entry["command"], headers[made])
    return sources


def run(source: Source) -> tuple[int, str]:
    return clang_tidy_of(["-p", str(source.build), str(source.file)])


def clang_tidy_of(arguments: list[str]) -> tuple[int, str]:
    done = subprocess.run([TOOL, "--quiet", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    # Standard error only counts the warnings that were left out, unless clang-tidy itself fails.
    return done.returncode, done.stdout + (done.stderr if done.returncode and not done.stdout else "")


def flags(source: Source) -> list[str]:
    """What the compiler is called with, but for its name, the source and the output."""
    words = shlex.split(source.command)[1:]
    output = words.index("-o")
    del words[output : output + 2]
    return [word for word in words if word not in ("-c", str(source.file))]


def groups(sources: list[Source]) -> list[list[Source]]:
    """Those that can be one file: same folder, same flags."""

    def kind(source: Source) -> tuple[str, list[str]]:
        return str(source.file.parent), flags(source)

    found = []
    for _, same in groupby(sorted(sources, key=kind), kind):
        alike = list(same)
        found += [alike[i : i + LARGEST_GROUP] for i in range(0, len(alike), LARGEST_GROUP)]
    return found


def run_group(group: list[Source]) -> list[tuple[Source, int, str]]:
    if len(group) == 1:
        return [(group[0], *run(group[0]))]
    if found_clean_together(group):
        return [(source, 0, "") for source in group]
    middle = len(group) // 2
    return run_group(group[:middle]) + run_group(group[middle:])


def found_clean_together(group: list[Source]) -> bool:
    together = CLEAN / f"together_{hashlib.sha256(str(group[0].file).encode()).hexdigest()[:16]}.cc"
    lines = [f'#include "{source.file}"  // NOLINT(bugprone-suspicious-include)\n' for source in group]
    together.write_text("".join(lines))
    filters = f"--header-filter=^{ROOT}/(engine|server|client|examples|loadtest|tests)/.*\\.(h|inc|cc)$"
    code, _ = clang_tidy_of([filters, str(together), "--", *flags(group[0])])
    together.unlink()
    return code == 0


def check(sources: list[Source], common: bytes) -> int:
    """Number of sources with findings."""
    keys = {source.file: source.key(common) for source in sources}
    todo = [source for source in sources if not (CLEAN / keys[source.file]).exists()]
    # The longest first, so that no core is left over at the end.
    waiting = sorted(groups(todo), key=lambda group: -max(len(source.headers) for source in group))
    failed = count = 0
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for done in as_completed([pool.submit(run_group, group) for group in waiting]):
            for source, code, output in done.result():
                count += 1
                if code == 0:
                    (CLEAN / keys[source.file]).touch()
                else:
                    failed += 1
                    print(f"{source.file.relative_to(ROOT)}:\n{output}", flush=True)
            if sys.stderr.isatty():
                print(f"\rtidy: {count} of {len(todo)}", end="", file=sys.stderr, flush=True)
    print(f"tidy: {len(sources)} sources, {len(sources) - len(todo)} of them known to be clean, {failed} with findings")
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="release")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", default=[ROOT])
    arguments = parser.parse_args()
    CLEAN.mkdir(parents=True, exist_ok=True)
    built = built_sources(ROOT / "build" / arguments.preset)
    asked = [path.resolve() for path in arguments.paths]
    wanted = [source for source in git_sources() if any(source.is_relative_to(path) for path in asked)]
    wanted = [path for path in wanted if not any(path.relative_to(ROOT).match(name) for name in ELSEWHERE)]
    missing = [str(path.relative_to(ROOT)) for path in wanted if path not in built]
    if missing:
        print(f"tidy: not compiled by preset '{arguments.preset}': {' '.join(missing)}")
    version = subprocess.run([TOOL, "--version"], check=True, capture_output=True).stdout
    failed = check([built[path] for path in wanted if path in built], version + (ROOT / ".clang-tidy").read_bytes())
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main())
