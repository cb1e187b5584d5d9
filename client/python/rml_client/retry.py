"""When a call is made again: only after UNAVAILABLE, a few times, and never beyond the deadline of the call as a whole.

Run, Profile and the rest change nothing on the server, so that making them twice does no harm.
"""

import math
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

import grpc

from rml_client.errors import DeadlineExceeded, code_and_message

# Ten years. What callers who mean "never" give, infinity too, would be in the past for gRPC, which counts nanoseconds.
_LONGEST_TIMEOUT_SECONDS = 10 * 365 * 86400.0


@dataclass(frozen=True)
class RetryPolicy:
    """Attempt k + 1 follows attempt k after min(max, initial * 2^(k-1)) seconds, of which a random half is left out."""

    max_attempts: int = 4
    initial_backoff_seconds: float = 0.05
    max_backoff_seconds: float = 1.0

    def __post_init__(self) -> None:
        if self.max_attempts < 1:
            raise ValueError(f"max_attempts is {self.max_attempts}; expected at least 1")
        if not 0 <= self.initial_backoff_seconds <= self.max_backoff_seconds:
            bounds = f"{self.initial_backoff_seconds} to {self.max_backoff_seconds}"
            raise ValueError(f"backoff is {bounds} s; expected 0 <= initial <= max")

    def backoffs(self) -> Iterator[float]:
        """Seconds to wait before the second, third, ... attempt."""
        backoff = self.initial_backoff_seconds
        for _ in range(self.max_attempts - 1):
            yield backoff * random.uniform(0.5, 1.0)
            backoff = min(2 * backoff, self.max_backoff_seconds)


class Attempts:
    """The attempts of one call: how long the next may take, and whether there is another after an error."""

    def __init__(self, policy: RetryPolicy, timeout_seconds: float) -> None:
        if math.isnan(timeout_seconds):
            raise ValueError("timeout_seconds is nan; expected a number of seconds")
        self._backoffs = policy.backoffs()
        self._end = time.monotonic() + min(timeout_seconds, _LONGEST_TIMEOUT_SECONDS)

    def seconds_left(self) -> float:
        return self._end - time.monotonic()

    def next_timeout(self) -> float:
        """Seconds that the next attempt may take; DeadlineExceeded if there are none left."""
        seconds = self.seconds_left()
        if seconds <= 0:
            raise DeadlineExceeded(grpc.StatusCode.DEADLINE_EXCEEDED, "the deadline passed before the call was made")
        return seconds

    def wait_after(self, error: grpc.RpcError) -> float | None:
        """Seconds to wait before the next attempt, or None if there is none and `error` is the answer."""
        if code_and_message(error)[0] is not grpc.StatusCode.UNAVAILABLE:
            return None
        backoff = next(self._backoffs, None)
        return backoff if backoff is not None and backoff < self.seconds_left() else None
