"""Progress of a long export on stderr: one line that is rewritten on a terminal, a line now and then elsewhere."""

import contextlib
import io
import sys
import time
from typing import TextIO

_QUIET_SECONDS = 1.0
_TERMINAL_SECONDS = 0.1
_LOG_SECONDS = 10.0
_TO_THE_END = "\x1b[K"  # erases what a longer line has left


class ProgressLine:
    """Callable as progress(done, total); stage(text) says of what. Says nothing in the first second."""

    def __init__(self, what: str, stream: TextIO | None = None) -> None:
        self._what = what
        self._stage = ""
        self._stream = stream or sys.stderr or io.StringIO()  # closed: nowhere
        self._start = self._last = time.monotonic()
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        self._show(f": {done}/{total} ops")

    def stage(self, text: str) -> None:
        """What comes next, until it is told again. Shown at once on a terminal: it may take long to its first op."""
        self._stage = f", {text}"
        self._show("", now=self._stream.isatty())

    def _show(self, text: str, now: bool = False) -> None:
        time_now = time.monotonic()
        interval = _TERMINAL_SECONDS if self._stream.isatty() else _LOG_SECONDS
        if time_now - self._start < _QUIET_SECONDS or (time_now - self._last < interval and not now):
            return
        self._last = time_now
        self._shown = True
        line = f"{self._what}{self._stage}{text}, {time_now - self._start:.0f} s"
        self._write(f"\r{line}{_TO_THE_END}" if self._stream.isatty() else f"{line}\n")

    def finish(self) -> None:
        """Ends the line on a terminal."""
        if self._shown and self._stream.isatty():
            self._write("\n")

    def _write(self, text: str) -> None:
        """An export is worth more than its progress: a full disk or a closed terminal ends nothing."""
        with contextlib.suppress(OSError):
            self._stream.write(text)
            self._stream.flush()
