"""What is added to attention's scores: 0 where a query sees a key, -inf where it does not, or the mask's own."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rml_export.array_ops import padded
from rml_export.from_onnx.call import Call, Operand
from rml_export.graph import Value

_NEVER = np.float32(-np.inf)


@dataclass(frozen=True)
class Sight:
    """queries, keys: how many. past: keys before the first query. lengths: of each image's keys, [B], where the last
    query stands at the last of them; None: all. left, right: how far a query sees; -1: without end."""

    queries: int
    keys: int
    past: int
    lengths: Value | None
    is_causal: bool
    left: int
    right: int

    @property
    def is_plain_triangle(self) -> bool:
        """Key j is seen by query i >= j: what the engine's op has as an attribute."""
        return self.is_causal and not self.past and self.lengths is None


def bias(c: Call, mask: Operand | None, sight: Sight) -> Value | None:
    """Broadcasts to [B, heads, queries, keys]; None where everything is seen."""
    parts = [mask_bias(c, mask, sight.keys)] if mask is not None else []
    ahead = np.arange(sight.keys)[None, :] - np.arange(sight.queries)[:, None]  # of key j before query i
    limits: Sequence[tuple[int, int]] = [
        *([(1, 0)] if sight.is_causal else []),
        *([(1, sight.right)] if sight.right >= 0 else []),
        *([(-1, sight.left)] if sight.left >= 0 else []),
    ]
    for sign, limit in limits:  # sign * (ahead - first) <= limit, first being where the queries begin among the keys
        if sight.lengths is None:
            seen = c.constant(sign * (ahead - sight.past) <= limit)
        else:
            first = c("sub", sight.lengths, c.constant(np.int32(sight.queries)))
            distance = c("sub", c.constant(ahead.astype(np.int32)), first)
            seen = c("le", distance if sign > 0 else c("neg", distance), c.constant(np.int32(limit)))
        parts.append(hidden(c, seen))
    if sight.lengths is not None:
        parts.append(hidden(c, c("lt", c.constant(np.arange(sight.keys, dtype=np.int32)), sight.lengths)))
    total = parts[0] if parts else None
    for part in parts[1:]:
        total = c("add", total, part)
    return total


def hidden(c: Call, seen: Value) -> Value:
    return c("where", seen, c.constant(np.float32(0)), c.constant(_NEVER))


def mask_bias(c: Call, mask: Operand, keys: int) -> Value:
    """The mask as numbers; keys beyond its end are not seen."""
    value, is_bool = c.value(mask), c.dtypes[3] == np.bool_
    if value.rank < 2:
        value = c.reshape(value, (1, value.shape[0]))
    numbers = hidden(c, value) if is_bool else c.floats(value, "attention")
    missing = keys - numbers.shape[-1]
    ends = (*(0 for _ in numbers.shape[:-1]), missing)
    return padded(c, numbers, (0,) * numbers.rank, ends, float(_NEVER)) if missing > 0 else numbers
