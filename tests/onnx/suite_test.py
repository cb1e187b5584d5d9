"""ONNX's own backend tests through importer, NumPy reference and engine.

Each case passes, or stands in refused.tsv with its reason: a dtype, control flow, or an operator outside the tiers A
and B of rml-graph's ops.
"""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.onnx.cases import DISK_KINDS, disk_cases, node_cases
from tests.onnx.outcomes import Outcomes, run_cases
from tests.onnx.selection import is_taken

REASONS = ("dtype", "control flow", "operator")
WANTED = 737  # node cases, at the least, and how many of them must pass
SHARE = 0.95


def read_refused() -> dict[str, str]:
    """By case its reason, "dtype: ..."."""
    lines = (Path(__file__).parent / "refused.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if line)


REFUSED = read_refused()


@pytest.fixture(scope="module")
def node_outcomes(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    return run_cases(filter(is_taken, node_cases()), tmp_path_factory.mktemp("node"))


@pytest.fixture(scope="module")
def disk_outcomes(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    cases = (case for kind in DISK_KINDS for case in disk_cases(kind))
    return run_cases(cases, tmp_path_factory.mktemp("disk"))


def check_list(outcomes: Outcomes) -> None:
    """What fails is in the list, and what is in the list fails."""
    failed = {name: text for name, text in outcomes.items() if text is not None}
    wrong = [f"{name}: {text}" for name, text in failed.items() if name not in REFUSED]
    wrong += [
        f"{name} passes: it needs no line in refused.tsv" for name in outcomes if name in REFUSED and name not in failed
    ]
    assert not wrong, f"{len(wrong)} of {len(outcomes)}:\n" + "\n".join(wrong)


def totals(outcomes: Outcomes, show: Callable[[str], None]) -> int:
    """Prints how many cases pass, and for which reasons others do not. Returns the first number."""
    passed = sum(text is None for text in outcomes.values())
    reasons = Counter(
        REFUSED[name].split(":")[0] for name, text in outcomes.items() if text is not None and name in REFUSED
    )
    show(
        f"{passed} of {len(outcomes)} pass; refused: " + ", ".join(f"{kind} {n}" for kind, n in sorted(reasons.items()))
    )
    return passed


def test_node_cases_pass_or_are_refused(node_outcomes: Outcomes) -> None:
    check_list(node_outcomes)


def test_most_node_cases_pass(node_outcomes: Outcomes) -> None:
    assert len(node_outcomes) >= WANTED
    assert totals(node_outcomes, print) >= SHARE * len(node_outcomes)


def test_cases_on_disk_pass_or_are_refused(disk_outcomes: Outcomes) -> None:
    check_list(disk_outcomes)


def test_all_cases_on_disk_were_looked_at(disk_outcomes: Outcomes) -> None:
    assert len(disk_outcomes) == 140
    assert totals(disk_outcomes, print) >= 124


def test_every_reason_counts(node_outcomes: Outcomes, disk_outcomes: Outcomes) -> None:
    """No case of the list is missing from the suite, and no reason is another than the three."""
    assert set(REFUSED) <= {*node_outcomes, *disk_outcomes}
    assert not [name for name, reason in REFUSED.items() if reason.split(":")[0] not in REASONS]
