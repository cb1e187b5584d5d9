"""How far a sweep is: a bar that is redrawn on a terminal, else one line per cell."""

import sys
import time
from typing import TextIO

WIDTH = 30


def bar(done: int, total: int) -> str:
    filled = WIDTH * done // total if total else WIDTH
    return f"[{'#' * filled}{'.' * (WIDTH - filled)}] {done}/{total}"


def duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"


class Progress:
    """Call begin() with each cell, say() with what is being done, end() at the end."""

    def __init__(self, total: int, stream: TextIO = sys.stderr) -> None:
        self.total, self.stream = total, stream
        self.done = -1
        self.cell = ""
        self.started = time.monotonic()

    def begin(self, cell: str) -> None:
        self.done += 1
        self.cell = cell
        if self.stream.isatty():
            self.say("")
        else:
            print(f"{self.done + 1}/{self.total} {cell}{self._left()}", file=self.stream, flush=True)

    def say(self, what: str) -> None:
        if self.stream.isatty():
            line = f"{bar(self.done, self.total)} {self.cell} {what}{self._left()}"
            self.stream.write(f"\r\x1b[K{line[:150]}")
            self.stream.flush()

    def end(self) -> None:
        self.done = self.total
        if self.stream.isatty():
            self.cell = ""
            self.say("\n")

    def _left(self) -> str:
        if not 0 < self.done < self.total:
            return ""
        elapsed = time.monotonic() - self.started
        return f", {duration(elapsed / self.done * (self.total - self.done))} left"
