"""The protocol of an engine's process, and how a wrong result shows."""

import io
import json

import numpy as np
import pytest

from loadtest.bench.worker import Worker, difference, sample_us, serve


class Constant:
    """Gives `value` until `wrong_from` calls have been made."""

    def __init__(self, value, wrong_from=10**9):
        self.value, self.wrong_from, self.calls = value, wrong_from, 0

    def run(self):
        self.calls += 1

    def outputs(self):
        return [self.value + (self.calls >= self.wrong_from)]


class OwnClock(Constant):
    def sample_us(self, seconds):
        self.calls += 1
        return 1e3 * seconds


EXPECTED = [np.array([1.0, 2.0], np.float32)]


def answers_of(engine, commands=2):
    out = io.StringIO()
    serve(Worker(engine, EXPECTED), io.StringIO('{"seconds": 0.001}\n' * commands), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_right_engine_is_ready_and_answers_each_command():
    first, *samples = answers_of(Constant(EXPECTED[0]))
    assert first == {"ready": True}
    assert [list(sample) for sample in samples] == [["us"], ["us"]]


def test_an_engine_may_have_a_clock_of_its_own():
    assert answers_of(OwnClock(EXPECTED[0]))[1:] == [{"us": 1.0}, {"us": 1.0}]


def test_a_wrong_engine_is_an_error_before_it_is_timed():
    assert answers_of(Constant(EXPECTED[0] + 1), commands=0) == [{"error": "output 0 is off by 1; allowed is 0.0003"}]


def test_an_engine_that_goes_wrong_later_is_found_out():
    warmed = Constant(EXPECTED[0])
    Worker(warmed, EXPECTED).warm()
    answers = answers_of(OwnClock(EXPECTED[0], wrong_from=warmed.calls + 2))
    assert [list(answer) for answer in answers] == [["ready"], ["us"], ["error"]]


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ([], "0 outputs; expected 1"),
        ([np.zeros(3, np.float32)], r"output 0 has shape [3]; expected [2]"),
        ([np.array([1.0, np.nan], np.float32)], "output 0 is off by nan; allowed is 0.0003"),
        ([np.array([1.0, 2.0002], np.float32)], ""),
    ],
)
def test_differences(outputs, message):
    assert difference(outputs, EXPECTED) == message


def test_a_sample_has_at_least_one_call():
    engine = Constant(EXPECTED[0])
    assert sample_us(engine.run, seconds=1e-9) >= 0
    assert engine.calls == 1
