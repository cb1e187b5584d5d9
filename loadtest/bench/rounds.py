"""Interleaved timing: in each round every engine is sampled once, forwards and backwards in turn (A B C, C B A).

So each pair of engines is measured within one round, drifts of the machine hit both, and neither is always first. An
engine that after the first rounds is slower than twice the best gets no more: its ratio is clear, and time is short.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Protocol

FEW_ROUNDS = 6  # as many as an interval of 95 % needs
HOPELESS = 2.0


class Sampled(Protocol):
    def sample(self, seconds: float) -> float:
        """Microseconds per call, the median over calls for at least `seconds`. Raises EngineError."""


class EngineError(Exception):
    """An engine could not be started, died, or gave another result."""


@dataclass
class Times:
    """Microseconds per call of each engine by round, and why an engine stopped."""

    times_us: dict[str, list[float]]
    errors: dict[str, str]


def time_in_rounds(
    engines: Mapping[str, Sampled],
    rounds: int,
    seconds: float,
    keep: tuple[str, ...] = (),
    on_sample: Callable[[str], None] = lambda name: None,
) -> Times:
    """`keep`: ours, which every round needs. An engine that fails has an error instead of times; the others go on."""
    result = Times({name: [] for name in engines}, {})
    active = list(engines)
    for index in range(rounds):
        for name in active[:: 1 if index % 2 == 0 else -1]:
            on_sample(name)
            try:
                result.times_us[name].append(engines[name].sample(seconds))
            except EngineError as error:
                result.errors[name] = str(error)
                del result.times_us[name]
        active = [name for name in active if name not in result.errors]
        if index + 1 >= FEW_ROUNDS and active:
            medians = {name: median(result.times_us[name]) for name in active}
            best = min(medians.values())
            active = [name for name in active if name in keep or medians[name] <= HOPELESS * best]
    return result
