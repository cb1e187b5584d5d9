"""Sums at places that an index names, against torch."""

import pytest
import torch
from rml_export import ExportError
from rml_export.from_torch import lower_torch
from torch.nn import functional as F  # noqa: N812

from tests.exporter.from_torch.lower import Function, check, integers, numbers

DATA, UPDATES = (2, 5, 3), (2, 4, 3)
TWICE = torch.tensor([4, 0, 4, 1])


def places(*shape, seed=1):
    return integers(*shape, low=0, high=5, seed=seed)


# name: (fn of data, updates and places of the updates' shape, count of scatter_add)
SUMS = {
    "scatter_add": lambda x, u, i: x.scatter_add(1, i, u),
    "last_axis": lambda x, u, i: x.transpose(1, 2).scatter_add(-1, i.transpose(1, 2), u.transpose(1, 2)),
    "fewer_indices": lambda x, u, i: x.scatter_add(1, i[:, :2, :1], u),
    "onto_zeros": lambda x, u, i: torch.zeros_like(x).scatter_add_(1, i, u),
    "reduce": lambda x, u, i: x.scatter(1, i, u, reduce="add"),
    "reduce_number": lambda x, u, i: x.scatter(1, i, 0.5, reduce="add"),
    "scatter_reduce": lambda x, u, i: x.scatter_reduce(1, i, u, "sum"),
    "index_add": lambda x, u, i: x.index_add(1, TWICE, u, alpha=0.5),
    "index_put": lambda x, u, i: x.index_put((torch.arange(2)[:, None], TWICE), u, accumulate=True),
    "index_put_of_a_number": lambda x, u, i: x.index_put(
        (i[:, :, 0] % 2, TWICE - 5), torch.tensor(2.0), accumulate=True
    ),
    "integers": lambda x, u, i: x.long().scatter_add(1, i, u.long()),
    "fold": lambda x, u, i: F.fold(u, (4, 2), (2, 2)),
}
FIXED = ("index_put", "index_put_of_a_number")  # rows are indexed too


@pytest.mark.parametrize("name", SUMS)
def test_sums(name):
    def inputs(rows, seed):
        return numbers(rows, 5, 3, seed=seed), numbers(rows, 4, 3, seed=seed + 1), places(rows, 4, 3, seed=seed)

    others = [inputs(2 if name in FIXED else 5, 7)]
    export = check(SUMS[name], *inputs(2, 0), others=others, static=name in FIXED)
    assert [node.op for node in export.graph.nodes].count("scatter_add") == 1
    assert name in FIXED or all(output.rows for output in export.graph.outputs)


def test_a_number_and_sums_of_all_rows():
    check(lambda x, u: x[0].scatter_add(0, torch.tensor([0, 0]), u), numbers(1), numbers(2))
    check(lambda x, u: x.sum().scatter_add(0, torch.tensor(0), u.sum()), numbers(1), numbers(2))
    segments = lambda x, i: torch.zeros(5, 3).index_add(0, i, x)  # noqa: E731
    check(segments, numbers(6, 3), places(6), others=[(numbers(6, 3, seed=4), places(6, seed=5))])


REFUSED = {
    "product": (lambda x, i: x.scatter_reduce(0, i, x, "prod"), "a scatter with reduce='prod'"),
    "without_self": (lambda x, i: x.scatter_reduce(0, i, x, "sum", include_self=False), "include_self=False"),
    "assignment": (lambda x, i: x.index_put((i[:, 0],), x), r"assignment by an index \(accumulate=False\)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_by_name(name):
    fn, text = REFUSED[name]
    with pytest.raises(ExportError, match=text):
        lower_torch(Function(fn), (numbers(2, 2), torch.tensor([[0, 1], [1, 0]])), static=True)
