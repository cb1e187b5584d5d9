"""The report: Markdown for people, JSON for programs, both from the same rows."""

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from loadtest.bench.ratios import geometric_mean
from loadtest.bench.storage import CellResult
from loadtest.bench.summaries import Row, Slower, Wins, against_the_best, compare, slower_with_more_threads, wins

VERDICTS = ("lost", "tie", "won")


@dataclass
class Report:
    """All that was found, for one of ours."""

    machine: dict[str, Any]
    ours: str
    rows: list[Row]
    best: list[Row]
    wins: list[Wins]
    slower: list[Slower]
    errors: dict[str, dict[str, str]]  # engine -> cell -> why
    skipped: dict[str, str]  # engine -> why


def make_report(results: Sequence[CellResult], machine: dict[str, Any], ours: str, skipped: dict[str, str]) -> Report:
    """`skipped`: engines that were not started, with the reason."""
    rows = compare(results, ours)
    errors: dict[str, dict[str, str]] = defaultdict(dict)
    timed = {(result.cell, engine) for result in results for engine in result.times_us}
    for result in results:
        for engine, error in result.errors.items():
            if (result.cell, engine) not in timed:  # else a later try went well
                errors[engine][result.cell.name] = error
    return Report(
        machine,
        ours,
        rows,
        against_the_best(row for row in rows if not row.engine.startswith("rml")),
        wins(rows),
        slower_with_more_threads(results, ours),
        dict(errors),
        skipped,
    )


def to_json(report: Report) -> str:
    """Numbers that JSON cannot hold (an unbounded interval) are null."""

    def finite(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: finite(item) for key, item in value.items()}
        if isinstance(value, list):
            return [finite(item) for item in value]
        return None if isinstance(value, float) and not math.isfinite(value) else value

    content = asdict(report)
    for row, entry in zip(report.rows + report.best, content["rows"] + content["best"], strict=True):
        entry["verdict"] = row.ratio.verdict
    return json.dumps(finite(content), indent=1) + "\n"


def to_markdown(report: Report, heat_map: str) -> str:
    """`heat_map`: the file to link to."""
    sections = [
        "# Against the frameworks\n",
        f"Time of the framework divided by that of {report.ours}: above 1, ours is faster. Each ratio is the median of "
        "interleaved pairs with its 95 % interval; a cell is won where the whole interval lies above 1, lost where it "
        "lies below, else a tie.\n",
        _machine(report),
        f"![heat map]({heat_map})\n",
        _best(report),
        _wins(report),
        _slower(report),
        _cells(report),
        _absent(report),
    ]
    return "\n".join(section for section in sections if section)


def _machine(report: Report) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in report.machine["versions"].items())
    return f"CPU: {report.machine['cpu']}. Versions: {versions}.\n"


def _table(header: str, lines: list[str]) -> str:
    columns = [column.strip() for column in header.strip("|").split("|")]
    return "\n".join([header, "|" + "---|" * len(columns), *lines]) + "\n"


def _ratio(row: Row) -> str:
    high = f"{row.ratio.high:.2f}" if math.isfinite(row.ratio.high) else "…"
    return f"{row.ratio.median:.2f} [{row.ratio.low:.2f}, {high}]"


def _best(report: Report) -> str:
    """Every cell by its verdict against the fastest of the others there."""
    text = "## Against the fastest other engine of each cell\n\n"
    mean = geometric_mean(row.ratio.median for row in report.best)
    counts = {verdict: [row for row in report.best if row.ratio.verdict == verdict] for verdict in VERDICTS}
    text += (
        f"Of {len(report.best)} cells {len(counts['won'])} won, {len(counts['tie'])} tied, {len(counts['lost'])} lost; "
        f"geometric mean {mean:.2f}.\n"
    )
    for verdict in VERDICTS:
        named = ", ".join(f"{row.cell.name} ({row.engine} {_ratio(row)})" for row in counts[verdict])
        text += f"\n**{verdict}**: {named or 'none'}.\n"
    return text


def _wins(report: Report) -> str:
    lines = [
        f"| {w.engine} | {w.threads} | {w.batch} | {w.won} | {w.tied} | {w.lost} | {w.mean:.2f} |" for w in report.wins
    ]
    header = "| engine | threads | batch | won | tied | lost | geometric mean |"
    return "## Wins by engine, threads and batch\n\n" + _table(header, lines)


def _slower(report: Report) -> str:
    lines = [
        f"| {s.more.model} | {s.more.batch} | {s.fewer.threads}: {s.fewer_us:.1f} us "
        f"| {s.more.threads}: {s.more_us:.1f} us |"
        for s in report.slower
    ]
    text = f"## Cells in which more threads are slower ({report.ours})\n\n"
    return text + (_table("| model | batch | fewer threads | more threads |", lines) if lines else "None.\n")


def _cells(report: Report) -> str:
    lines = [
        f"| {row.cell.model} | {row.cell.batch} | {row.cell.threads} | {row.engine} | {row.their_us:.1f} | "
        f"{row.our_us:.1f} | {_ratio(row)} | {row.ratio.pairs} | {row.ratio.verdict} |"
        for row in report.rows
    ]
    header = "| model | batch | threads | engine | its us | our us | ratio | pairs | verdict |"
    return "## Cell by cell\n\n" + _table(header, lines)


def _absent(report: Report) -> str:
    lines = [f"- {engine}: {why}" for engine, why in report.skipped.items()]
    for engine, cells in report.errors.items():
        lines += [f"- {engine}, {cell}: {error}" for cell, error in cells.items()]
    return "## Not timed\n\n" + "\n".join(lines) + "\n" if lines else ""
