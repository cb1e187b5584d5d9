"""The order of samples, and who is dropped."""

import pytest

from loadtest.bench.rounds import FEW_ROUNDS, EngineError, time_in_rounds


class Fake:
    def __init__(self, name, log, us=1.0, fails_at=None):
        self.name, self.log, self.us, self.fails_at = name, log, us, fails_at
        self.samples = 0

    def sample(self, seconds):
        self.log.append(self.name)
        self.samples += 1
        if self.samples == self.fails_at:
            raise EngineError("output 0 is off by 1")
        return self.us


@pytest.fixture
def log():
    return []


def test_rounds_go_forwards_and_backwards(log):
    engines = {name: Fake(name, log) for name in "abc"}
    times = time_in_rounds(engines, rounds=3, seconds=0.1)
    assert "".join(log) == "abccbaabc"
    assert times.times_us == {name: [1.0] * 3 for name in "abc"}


def test_a_hopeless_engine_gets_few_rounds_and_ours_gets_all(log):
    engines = {"rml": Fake("rml", log, 9.0), "best": Fake("best", log, 1.0), "near": Fake("near", log, 2.0)}
    engines["far"] = Fake("far", log, 2.1)
    times = time_in_rounds(engines, rounds=15, seconds=0.1, keep=("rml",))
    counts = {name: len(values) for name, values in times.times_us.items()}
    assert counts == {"rml": 15, "best": 15, "near": 15, "far": FEW_ROUNDS}


def test_an_engine_that_fails_has_its_error_and_no_times(log):
    engines = {"rml": Fake("rml", log), "liar": Fake("liar", log, fails_at=3)}
    times = time_in_rounds(engines, rounds=8, seconds=0.1)
    assert times.errors == {"liar": "output 0 is off by 1"}
    assert set(times.times_us) == {"rml"}
    assert log.count("liar") == 3
    assert log.count("rml") == 8


def test_all_may_fail(log):
    times = time_in_rounds({"a": Fake("a", log, fails_at=1)}, rounds=8, seconds=0.1)
    assert (times.times_us, list(times.errors)) == ({}, ["a"])
