"""Prints the table of ./dev test's stages and the closing line; exits 1 if anything failed or no test ran.

Reads, from the folder given: stages.tsv (name, exit code, seconds) and <stage>.xml (JUnit by ctest or pytest).
"""

import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)


def count_cases(junit: Path) -> Counts:
    counts = Counts()
    for case in ElementTree.parse(junit).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            counts.failed += 1
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            counts.skipped += 1
        else:
            counts.passed += 1
    return counts


def count_stage(junit: Path, exit_code: int) -> Counts:
    counts = count_cases(junit) if junit.exists() else Counts()
    if exit_code != 0 and counts.failed == 0:
        counts.failed = 1
    return counts


def main(folder: Path) -> int:
    total = Counts()
    total_seconds = 0
    print(f"\n{'stage':<18}{'seconds':>8}{'passed':>8}{'failed':>8}{'skipped':>8}")
    for line in (folder / "stages.tsv").read_text().splitlines():
        name, exit_code, seconds = line.split("\t")
        counts = count_stage(folder / f"{name}.xml", int(exit_code))
        print(f"{name:<18}{seconds:>8}{counts.passed:>8}{counts.failed:>8}{counts.skipped:>8}")
        total += counts
        total_seconds += int(seconds)
    print(f"{'all':<18}{total_seconds:>8}\n")
    if total.passed + total.failed == 0:
        print("no test ran", file=sys.stderr)
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 0 if total.failed == 0 and total.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
