"""Progress on a terminal and in a log, by a clock of our own."""

import io

import jax.numpy as jnp
import pytest
from rml_export.commands import progress as module
from rml_export.commands.progress import ProgressLine
from rml_export.export import ExportOptions, lower_model
from rml_export.from_jax import JaxModel

from tests.exporter.comparing import numbers


class Stream(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.fixture
def clock(monkeypatch):
    times = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: times[0])
    return times


def test_terminal(clock):
    stream = Stream(terminal=True)
    line = ProgressLine("exporting net", stream)
    line.stage("lowering for the examples")
    line(1, 9)
    assert stream.getvalue() == ""
    clock[0] = 2.0
    line(2, 9)
    line(3, 9)
    line.stage("lowering at batch 5 (1 of 3)")
    line.finish()
    assert stream.getvalue() == (
        "\rexporting net, lowering for the examples: 2/9 ops, 2 s\x1b[K"
        "\rexporting net, lowering at batch 5 (1 of 3), 2 s\x1b[K\n"
    )


def test_log(clock):
    stream = Stream(terminal=False)
    line = ProgressLine("exporting net", stream)
    for second in range(25):
        clock[0] = float(second)
        line.stage("verifying at batch 7")
        line(second, 30)
    line.finish()
    assert stream.getvalue() == (
        "exporting net, verifying at batch 7, 10 s\nexporting net, verifying at batch 7, 20 s\n"
    )


def test_stages_of_an_export():
    stages, ops = [], []
    model = JaxModel(lambda _, x: jnp.tanh(x) * 2, (), (numbers(2, 4),))
    lower_model(model, ExportOptions(stage=stages.append, progress=lambda *counts: ops.append(counts)))
    assert stages == [
        "lowering for the examples",
        *(f"lowering at batch {size} ({number} of 3)" for number, size in enumerate((3, 5, 7), 1)),
        "checking at batches 1 and 2",
    ]
    assert ops == [(1, 2), (2, 2)] * 4
