"""Made-up results: no framework is started and no time is measured here."""

import pytest

from loadtest.bench.cells import Cell
from loadtest.bench.storage import CellResult

MACHINE = {"cpu": "Some CPU", "versions": {"rml": "1", "fast": "2", "slow": "3"}}


@pytest.fixture
def machine():
    return MACHINE


@pytest.fixture
def result():
    """result(model, batch, threads, rml=[...], fast=[...]) is the result of a cell."""

    def make(model, batch, threads, errors=None, machine=MACHINE, **times):
        return CellResult(Cell(model, batch, threads), machine, times, errors or {})

    return make
