"""What is made of results: the two summaries, Markdown, JSON, the picture."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from loadtest.bench.heat_map import colour, heat_map
from loadtest.bench.report import make_report, to_json, to_markdown
from loadtest.bench.summaries import compare, slower_with_more_threads, wins


@pytest.fixture
def results(result):
    """At t1 fast wins mlp and ties cnn, slow loses both; at t2 ours is slower than at t1 on mlp."""
    return [
        result("mlp", 1, 1, rml=[10.0] * 9, fast=[5.0] * 9, slow=[40.0] * 6),
        result("cnn", 1, 1, rml=[10.0] * 9, fast=[9.0, 11.0] * 4 + [10.0], slow=[90.0] * 6),
        result("mlp", 1, 2, rml=[12.0] * 9, fast=[4.0] * 9, errors={"slow": "no kernel"}),
        result("cnn", 1, 2, rml=[6.0, 11.0, 11.0] * 3, fast=[20.0] * 9),
    ]


def test_rows_pair_theirs_with_ours(results):
    rows = {(row.cell.name, row.engine): row for row in compare(results, "rml")}
    assert rows["mlp b1 t1", "fast"].ratio.median == 0.5
    assert rows["mlp b1 t1", "slow"].ratio.pairs == 6
    assert (rows["mlp b1 t1", "slow"].our_us, rows["mlp b1 t1", "slow"].their_us) == (10, 40)
    assert ("mlp b1 t2", "slow") not in rows


def test_pairs_of_two_sweeps_are_put_together(result):
    sweeps = [result("mlp", 1, 1, rml=[10.0] * 6, fast=[20.0] * 6), result("mlp", 1, 1, rml=[1.0] * 6, fast=[4.0] * 6)]
    [row] = compare(sweeps, "rml")
    assert (row.ratio.pairs, row.ratio.median) == (12, 3)


def test_the_same_engine_against_itself_is_a_tie(result):
    [row] = compare([result("mlp", 1, 1, rml=[1.0, 3.0, 2.0] * 5, fast=[1.0, 3.0, 2.0] * 5)], "rml")
    assert row.ratio.verdict == "tie"


def test_wins_by_engine_threads_and_batch(results):
    summary = {(w.engine, w.threads): (w.won, w.tied, w.lost) for w in wins(compare(results, "rml"))}
    assert summary == {("fast", 1): (0, 1, 1), ("fast", 2): (1, 0, 1), ("slow", 1): (2, 0, 0)}
    [mean] = [w.mean for w in wins(compare(results, "rml")) if w.engine == "slow"]
    assert mean == pytest.approx((4 * 9) ** 0.5)


def test_cells_in_which_more_threads_are_slower(results):
    [found] = slower_with_more_threads(results, "rml")
    assert (found.fewer.name, found.more.name, found.fewer_us, found.more_us) == ("mlp b1 t1", "mlp b1 t2", 10, 12)
    assert slower_with_more_threads(results, "fast")[0].more.name == "cnn b1 t2"


@pytest.fixture
def report(results, machine):
    return make_report(results, machine, "rml", {"OpenVINO": "openvino is not installed"})


def test_markdown_says_it_all(report):
    text = to_markdown(report, "heat_map.svg")
    for expected in (
        "CPU: Some CPU. Versions: rml 1, fast 2, slow 3.",
        "![heat map](heat_map.svg)",
        "Of 4 cells 1 won, 1 tied, 2 lost; geometric mean",
        "**lost**: mlp b1 t1 (fast 0.50 [0.50, 0.50]), mlp b1 t2 (fast 0.33 [0.33, 0.33]).",
        "| fast | 1 | 1 | 0 | 1 | 1 | 0.71 |",
        "| mlp | 1 | 1: 10.0 us | 2: 12.0 us |",
        "| mlp | 1 | 1 | slow | 40.0 | 10.0 | 4.00 [4.00, 4.00] | 6 | won |",
        "- OpenVINO: openvino is not installed",
        "- slow, mlp b1 t2: no kernel",
    ):
        assert expected in text


def test_markdown_of_nothing(machine):
    assert "Of 0 cells" in to_markdown(make_report([], machine, "rml", {}), "heat_map.svg")


def test_json_has_every_row_with_its_verdict(report, result, machine):
    content = json.loads(to_json(report))
    assert len(content["rows"]) == len(report.rows) == 6
    assert {row["verdict"] for row in content["best"]} == {"won", "tie", "lost"}
    unbounded = make_report([result("mlp", 1, 1, rml=[1.0], fast=[1.0])], machine, "rml", {})
    assert json.loads(to_json(unbounded))["rows"][0]["ratio"]["high"] is None


def test_an_error_that_a_later_try_undid_is_not_reported(result, machine):
    failed = result("mlp", 1, 1, rml=[1.0] * 6, errors={"fast": "no kernel", "slow": "no kernel"})
    report = make_report([failed, result("mlp", 1, 1, rml=[1.0] * 6, fast=[2.0] * 6)], machine, "rml", {})
    assert report.errors == {"slow": {"mlp b1 t1": "no kernel"}}


def test_our_other_columns_are_no_framework(result, machine):
    times = {"rml": [10.0] * 6, "rml (jax)": [1.0] * 6, "fast": [20.0] * 6}
    report = make_report([result("mlp", 1, 1, **times)], machine, "rml", {})
    assert [row.engine for row in report.best] == ["fast"]
    assert {row.engine for row in report.rows} == {"rml (jax)", "fast"}


def test_the_picture_has_a_box_per_row(report):
    root = ElementTree.fromstring(heat_map(report.rows))
    titles = [element.text for element in root.iter() if element.tag.endswith("title")]
    assert len(titles) == len(report.rows)
    assert "mlp b1 t1, slow: 4.00 [4.00, 4.00]" in titles


def test_colours_are_green_above_one_and_red_below():
    def parts(text):
        return tuple(int(text[i : i + 2], 16) for i in (1, 3, 5))

    won, lost, tie = parts(colour(3.0)), parts(colour(1 / 3)), parts(colour(1.0))
    assert won[1] > won[0]
    assert lost[0] > lost[1]
    assert min(tie) > 230
    assert colour(100.0) == colour(3.0)
