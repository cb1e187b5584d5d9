"""What the small functions inside reduce and sort compute: known by their op, or by their values on samples."""

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from rml_export.from_stablehlo.folding import FOLDS
from rml_export.from_stablehlo.module import Operation, elements, tensor_type
from rml_export.xla_ops import UnsupportedError

_CONSTANTS = frozenset({"stablehlo.constant", "arith.constant"})


class Order(Enum):
    """What a sort's comparator puts first."""

    DESCENDING = "the largest"
    ASCENDING = "the smallest"
    OTHER = "something else"


def one_op(operation: Operation) -> str | None:
    """The op of a region that applies one op to its two arguments; None for any other region."""
    block = operation.raw.regions[0].blocks[0]
    body = list(block.operations)
    if len(body) != 2 or len(block.arguments) != 2:
        return None
    operands = list(body[0].operation.operands)
    arguments = list(block.arguments)
    ordered = operands in (arguments, arguments[::-1])
    return body[0].operation.name if ordered and body[1].operation.operands[0] == body[0].operation.results[0] else None


def sample(operation: Operation, *numbers: float) -> Sequence[np.ndarray] | None:
    """The results of the operation's region for these arguments; None if it holds more than arithmetic."""
    block = operation.raw.regions[0].blocks[0]
    try:
        known: dict[Any, np.ndarray] = {
            argument: np.array(number, tensor_type(argument.type).dtype)
            for argument, number in zip(block.arguments, numbers, strict=True)
        }
        for inner in map(Operation, block.operations):
            if inner.name == "stablehlo.return":
                return [known[item] for item in inner.raw.operands]
            if inner.name in _CONSTANTS:
                known[inner.raw.results[0]] = elements(inner.attribute("value"))
                continue
            fold = FOLDS.get(inner.name)
            if fold is None:
                return None
            args = [known[item] for item in inner.raw.operands]
            known[inner.raw.results[0]] = np.asarray(fold(inner, *args))
    except (KeyError, UnsupportedError):  # a value from outside of the region, or no plain type
        return None
    return None


def sort_order(operation: Operation) -> Order:
    """The order of the first operand; equal keys must keep their places."""
    extra = [0.0] * (len(operation.raw.regions[0].blocks[0].arguments) - 2)

    def first(a: float, b: float) -> bool | None:
        result = sample(operation, a, b, *extra)
        return bool(result[0]) if result is not None else None

    pairs = [(1.0, 2.0), (2.0, 1.0), (-3.0, -2.0), (-2.0, -3.0), (1.0, 1.0)]
    answers = [first(a, b) for a, b in pairs]
    if answers == [False, True, False, True, False]:
        return Order.DESCENDING
    return Order.ASCENDING if answers == [True, False, True, False, False] else Order.OTHER


def is_argmax(operation: Operation) -> bool:
    return _picks(operation, 1.0)


def is_argmin(operation: Operation) -> bool:
    return _picks(operation, -1.0)


def _picks(operation: Operation, factor: float) -> bool:
    """Whether of (value, place) and (value, place) the better value wins, then the lower place. Not asked of NaN: JAX's
    reducers let it win, as here; with torch-mlir's it would depend on the order of the reduction."""
    cases = [(1.0, 5, 2.0, 3, 3), (2.0, 5, 1.0, 3, 5), (1.0, 5, 1.0, 3, 3), (1.0, 3, 1.0, 5, 3)]
    cases += [(-1.0, 1, 1.0, 2, 2), (-2.0, 2, -2.0, 1, 1)]
    for a, place_a, b, place_b, winner in cases:
        result = sample(operation, factor * a, place_a, factor * b, place_b)
        if result is None or len(result) != 2 or int(result[1]) != winner:
            return False
    return True
