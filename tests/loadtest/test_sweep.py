"""Sweeps over fake engines: what is kept, what is measured again, what is closed."""

import io
import json

import pytest

from loadtest.bench.cells import Cell, all_cells
from loadtest.bench.peers import Engine
from loadtest.bench.progress import Progress
from loadtest.bench.rounds import EngineError
from loadtest.bench.storage import Storage
from loadtest.bench.sweep import Plan, sweep

ENGINES = [Engine("rml", "none"), Engine("fast", "none"), Engine("slow", "none")]
US = {"rml": 1.0, "fast": 0.5, "slow": 10.0}


class Fakes:
    """Starts fake engines; `broken` cannot be started, `stop_at` interrupts when that cell is begun."""

    def __init__(self, broken=(), stop_at=None):
        self.broken, self.stop_at = broken, stop_at
        self.open, self.cells = 0, []

    def __call__(self, engine, cell):
        if cell.model == self.stop_at:
            raise KeyboardInterrupt
        if engine.name in self.broken:
            raise EngineError("no kernel")
        if engine.name == "rml":
            self.cells.append(cell.model)
        self.open += 1
        return _Started(self, US[engine.name])


class _Started:
    def __init__(self, fakes, us):
        self.fakes, self.us = fakes, us

    def sample(self, seconds):
        return self.us

    def close(self):
        self.fakes.open -= 1


def run(path, machine, fakes, models=("a", "b"), engines=ENGINES, retry_errors=False):
    plan = Plan(all_cells(models, [1], [1]), engines, machine, 7, 0.1, retry_errors)
    sweep(plan, Storage(path), fakes, Progress(len(plan.cells), io.StringIO()))
    return Storage(path).load(machine)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out/results.jsonl"


def test_a_sweep_keeps_every_cell(path, machine):
    fakes = Fakes()
    results = run(path, machine, fakes)
    assert [result.cell.model for result in results] == ["a", "b"]
    assert results[0].times_us == {"rml": [1.0] * 7, "fast": [0.5] * 7, "slow": [10.0] * 6}
    assert fakes.open == 0


def test_a_second_sweep_measures_what_is_missing(path, machine):
    run(path, machine, Fakes())
    fakes = Fakes()
    run(path, machine, fakes, models=("a", "b", "c"))
    assert fakes.cells == ["c"]


def test_an_interrupted_sweep_goes_on_where_it_stopped(path, machine):
    fakes = Fakes(stop_at="b")
    with pytest.raises(KeyboardInterrupt):
        run(path, machine, fakes, models=("a", "b", "c"))
    assert fakes.open == 0
    fakes = Fakes()
    run(path, machine, fakes, models=("a", "b", "c"))
    assert fakes.cells == ["b", "c"]


def test_an_engine_that_cannot_start_is_an_error_of_the_cell(path, machine):
    [result] = run(path, machine, Fakes(broken=("fast",)), models=("a",))
    assert result.errors == {"fast": "no kernel"}
    assert set(result.times_us) == {"rml", "slow"}
    fakes = Fakes()
    run(path, machine, fakes, models=("a",))
    assert fakes.cells == []  # an error is a result
    run(path, machine, fakes, models=("a",), retry_errors=True)
    assert fakes.cells == ["a"]
    run(path, machine, fakes, models=("a",), retry_errors=True)
    assert fakes.cells == ["a"]


@pytest.mark.parametrize(
    ("change", "measured"),
    [
        ({"cpu": "Another"}, ["a"]),
        ({"versions": {"rml": "1", "fast": "2.1", "slow": "3"}}, ["a"]),
        ({"versions": {"rml": "2", "fast": "2", "slow": "3"}}, ["a"]),
        ({}, []),
    ],
)
def test_other_machines_and_versions_do_not_count(path, machine, change, measured):
    run(path, machine, Fakes(), models=("a",))
    fakes = Fakes()
    results = run(path, {**machine, **change}, fakes, models=("a",))
    assert fakes.cells == measured
    assert len(results) == 1
    assert len(path.read_text().splitlines()) == 1 + len(measured)


def test_a_new_engine_measures_again_and_both_sweeps_count(path, machine):
    run(path, machine, Fakes(), models=("a",), engines=ENGINES[:2])
    fakes = Fakes()
    assert len(run(path, machine, fakes, models=("a",))) == 2
    assert fakes.cells == ["a"]


def test_a_line_that_a_crash_cut_is_measured_again(path, machine):
    run(path, machine, Fakes())
    path.write_text(path.read_text()[:-30])
    fakes = Fakes()
    results = run(path, machine, fakes)
    assert fakes.cells == ["b"]
    assert [result.cell for result in results] == [Cell("a", 1, 1), Cell("b", 1, 1)]
    assert json.loads(path.read_text().splitlines()[-1])["cell"]["model"] == "b"


def test_progress_without_a_terminal_is_a_line_per_cell():
    stream = io.StringIO()
    progress = Progress(2, stream)
    for cell in ("a b1 t1", "b b1 t1"):
        progress.begin(cell)
        progress.say("starting JAX")
    progress.end()
    assert stream.getvalue().splitlines()[0] == "1/2 a b1 t1"
    assert stream.getvalue().splitlines()[1].startswith("2/2 b b1 t1, 0 min left")
