"""Lowers a function of tensors and compares the graph with it: what the tables of this folder share."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from rml_export.canonical import canonical
from rml_export.evaluate import evaluate
from rml_export.export import Export
from rml_export.from_torch import lower_torch
from rml_export.golden import difference
from torch.utils import _pytree as pytree


class Function(torch.nn.Module):
    """A module that applies a function."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__()
        self.fn = fn

    def forward(self, *args: Any) -> Any:
        return self.fn(*args)


def module_of(item: Callable[..., Any]) -> torch.nn.Module:
    return item if isinstance(item, torch.nn.Module) else Function(item)


def check(
    item: Callable[..., Any],
    *inputs: torch.Tensor,
    others: Sequence[tuple] = (),
    rtol: float = 1e-4,
    static: bool = True,
) -> Export:
    """Lowers, runs the passes, and compares the graph with torch on these inputs and on other ones of equal type
    (static=False: of any batch)."""
    module = module_of(item)
    export = lower_torch(module, inputs, static=static)
    module.eval()
    for case in (inputs, *others):
        with torch.no_grad():
            wanted = [leaf for leaf in pytree.tree_leaves(module(*case)) if isinstance(leaf, torch.Tensor)]
        got = evaluate(export.graph, [leaf.numpy() for leaf in case])
        assert len(got) == len(wanted)
        for index, (left, right) in enumerate(zip(got, wanted, strict=True)):
            text = difference(left, canonical(right.detach().numpy()), 1e-5, rtol)
            assert text is None, f"output {index}: {text}"
    return export


def numbers(*shape: int, seed: int = 0, low: float = -3.0, high: float = 3.0) -> torch.Tensor:
    generator = np.random.default_rng(seed)
    return torch.from_numpy(generator.uniform(low, high, shape).astype(np.float32))


def integers(*shape: int, low: int = -9, high: int = 10, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).integers(low, high, shape, dtype=np.int64))


SPECIAL = torch.tensor(
    [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-6, -1e-6, 20.0, -20.0, 88.0, -88.0, torch.inf, -torch.inf, torch.nan]
)
