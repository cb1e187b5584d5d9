"""Views, slices, joins, pads, fills and indexing against torch."""

import pytest
import torch
from torch.nn import functional as F  # noqa: N812

from tests.exporter.from_torch.lower import check, integers, numbers

X = (2, 3, 4)


def assign(x, place, value):
    """A copy of x with x[place] = value."""
    result = x.clone()
    result[place] = value
    return result


CASES = {
    "view": lambda x: x.view(6, 4),
    "reshape_scalar_axis": lambda x: x.reshape(2, 1, 12),
    "flatten": lambda x: x.flatten(1),
    "unflatten": lambda x: x.unflatten(2, (2, 2)),
    "permute": lambda x: x.permute(2, 0, 1),
    "permute_negative": lambda x: x.permute(-1, 0, 1),
    "transpose": lambda x: x.transpose(-1, 0),
    "movedim": lambda x: x.movedim(0, -1),
    "mT": lambda x: x.mT,
    "t": lambda x: x[0].t(),
    "unsqueeze": lambda x: x.unsqueeze(-1),
    "squeeze": lambda x: x[:, :1].squeeze(1),
    "squeeze_all": lambda x: x[:1, :1].squeeze(),
    "expand": lambda x: x[:, :1].expand(2, 5, 4),
    "expand_as": lambda x: x[:1].expand_as(x),
    "repeat": lambda x: x.repeat(2, 1, 3),
    "repeat_more_axes": lambda x: x.repeat(2, 1, 1, 2),
    "tile": lambda x: x.tile(2),
    "repeat_interleave": lambda x: x.repeat_interleave(3, dim=1),
    "slice": lambda x: x[:, 1:, ::2],
    "slice_clamped": lambda x: x[:, -100:100],
    "slice_empty": lambda x: x[:, 2:1],
    "slice_negative": lambda x: x[..., -3:-1],
    "select": lambda x: x[:, -1],
    "select_scalar": lambda x: x[1, 2, 3],
    "narrow": lambda x: x.narrow(2, 1, 2),
    "split": lambda x: x.split(3, dim=2),
    "split_sizes": lambda x: x.split([1, 0, 3], dim=2),
    "chunk": lambda x: x.chunk(3, dim=2),
    "unbind": lambda x: x.unbind(1),
    "cat": lambda x: torch.cat([x, x * 2, x[:, :0]], dim=1),
    "cat_types": lambda x: torch.cat([x, torch.ones(2, 3, 4, dtype=torch.int64)], dim=-1),
    "stack": lambda x: torch.stack([x, -x], dim=-1),
    "hstack": lambda x: torch.hstack([x, x]),
    "flip": lambda x: x.flip(0, 2),
    "roll": lambda x: x.roll(1, dims=1),
    "rot90": lambda x: torch.rot90(x, 1, [1, 2]),
    "pad": lambda x: F.pad(x, (1, 2, 0, 1), value=0.5),
    "pad_negative": lambda x: F.pad(x, (-1, 1)),
    "pad_reflect": lambda x: F.pad(x, (2, 1), mode="reflect"),
    "pad_replicate": lambda x: F.pad(x, (2, 1), mode="replicate"),
    "pad_circular": lambda x: F.pad(x, (2, 1), mode="circular"),
    "zeros_like": lambda x: torch.zeros_like(x) + x,
    "ones_like": lambda x: torch.ones_like(x) * x,
    "full_like": lambda x: torch.full_like(x, 2.5) - x,
    "new_zeros": lambda x: x + x.new_zeros(4),
    "new_full": lambda x: x + x.new_full((4,), 3.0),
    "tril": torch.tril,
    "triu": lambda x: torch.triu(x, 1),
    "diagonal": lambda x: torch.diagonal(x, dim1=1, dim2=2),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x.reshape(1, 4, 2, 3), 2),
    "pixel_unshuffle": lambda x: F.pixel_unshuffle(x.reshape(1, 1, 4, 6), 2),
    "channel_shuffle": lambda x: F.channel_shuffle(x.reshape(1, 4, 2, 3), 2),
    "unfold": lambda x: x.unfold(2, 2, 1),
    "meshgrid": lambda x: torch.meshgrid(x[0, 0], x[0, 1], indexing="ij"),
    "arange": lambda x: x + torch.arange(4),
    "one_hot": lambda x: F.one_hot((x > 0).long(), 2),
    "broadcast_tensors": lambda x: torch.broadcast_tensors(x, x[:1]),
    "index_list": lambda x: x[:, [2, 0, 0]],
    "index_negative": lambda x: x[:, [-1, 0]],
    "index_two": lambda x: x[:, [0, 1, 2], [3, -1, 0]],
    "index_first": lambda x: x[torch.tensor([[0, 1], [1, 1]])],
    "index_select": lambda x: x.index_select(-1, torch.tensor([3, 3, 0])),
    "diagonal_offset": lambda x: torch.diagonal(x, 1, -1, 0),
    "unfold_step": lambda x: x.unfold(1, 2, 1).unfold(2, 3, 1),
    "assign_slice": lambda x: assign(x, (slice(None), slice(1, 3)), 0.5),
    "assign_step": lambda x: assign(x, (slice(None), slice(None), slice(1, None, 2)), x[..., :2]),
    "assign_select": lambda x: assign(x, (slice(None), -1), x[:, 0]),
    "input_as_output": lambda x: x,
    "constant_output": lambda x: (x + 1, torch.arange(3)),
}


@pytest.mark.parametrize("name", CASES)
def test_shape_op(name):
    check(CASES[name], numbers(*X), others=[(numbers(*X, seed=1),)])


def test_embedding():
    module = torch.nn.Embedding(7, 3, padding_idx=2)
    check(module, integers(2, 4, low=0, high=7), others=[(integers(2, 4, low=0, high=7, seed=3),)])


def test_indices_at_run_time():
    check(lambda x, i: x[:, i], numbers(*X), torch.tensor([0, -1, 2]), others=[(numbers(*X), torch.tensor([-3, 1, 1]))])
    check(lambda x, i, j: x[i, j], numbers(*X), torch.tensor([[0], [-1]]), torch.tensor([2, -3]))
    check(lambda x, i: x.index_select(2, i), numbers(*X), torch.tensor([3, 0]))


GATHERS = {
    "elements": (lambda x, i: x.gather(1, i), (3, 4), (3, 2)),
    "fewer_rows": (lambda x, i: torch.gather(x, -1, i), (3, 4), (2, 5)),
    "first_axis": (lambda x, i: x.gather(0, i), (3, 4, 2), (5, 4, 1)),
    "take_along_dim": (lambda x, i: torch.take_along_dim(x, i, 1), (3, 4), (3, 2)),
    "scalar": (lambda x, i: x.sum().gather(0, i * 0), (3, 4), (2,)),
}


@pytest.mark.parametrize("name", GATHERS)
def test_gathers_of_elements(name):
    fn, x, i = GATHERS[name]
    check(fn, numbers(*x), integers(*i, low=0, high=3), others=[(numbers(*x), integers(*i, low=0, high=3, seed=2))])


def test_an_index_outside_is_an_error_of_the_run():
    from rml_export.errors import ExportError
    from rml_export.evaluate import evaluate

    graph = check(lambda x, i, j: x[i, j], numbers(*X), torch.tensor([0]), torch.tensor([0])).graph
    for index in (3, -4, 2**31 - 1):
        with pytest.raises((IndexError, ExportError), match="outside"):
            evaluate(graph, [numbers(*X).numpy(), torch.tensor([0]).numpy(), torch.tensor([index]).numpy()])


SORTS = {
    "topk": lambda x: torch.topk(x, 2),
    "topk_smallest": lambda x: torch.topk(x, 2, dim=1, largest=False),
    "sort": lambda x: torch.sort(x, dim=-1),
    "sort_descending": lambda x: torch.sort(x, dim=0, descending=True),
    "argsort": lambda x: torch.argsort(x, dim=1),
    "max_dim": lambda x: torch.max(x, dim=1),
    "max_dim_keep": lambda x: torch.max(x, dim=-1, keepdim=True),
    "min_dim": lambda x: torch.min(x, dim=1),
    "max_dim_integers": lambda x: torch.max((x * 9).int(), dim=1),
    "argmax": lambda x: torch.argmax(x, dim=-1),
    "cumsum": lambda x: torch.cumsum(x, dim=-1),
    "cumsum_integers": lambda x: torch.cumsum((x * 9).int(), dim=1),
    "argmax_all": torch.argmax,
    "argmax_integers": lambda x: torch.argmax((x * 9).int(), dim=1),
    "argmin_keep": lambda x: torch.argmin(x, dim=0, keepdim=True),
}


@pytest.mark.parametrize("name", SORTS)
def test_sorting(name):
    check(SORTS[name], numbers(*X), others=[(numbers(*X, seed=1),)])


def test_extremes_take_the_first_of_equals_and_nan():
    x = torch.tensor([[1.0, 3.0, 3.0, 0.0], [2.0, torch.nan, 5.0, torch.nan], [0.0, 0.0, 0.0, 0.0]])
    check(lambda x: (x.argmax(-1), x.argmin(-1), *x.max(-1), *x.min(-1)), x)
