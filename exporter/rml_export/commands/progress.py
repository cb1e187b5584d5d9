"""Progress of a long export on stderr: one line that is rewritten on a terminal, a line now and then elsewhere."""

import contextlib
import io
import sys
import time
from typing import TextIO

_QUIET_SECONDS = 1.0
_TERMINAL_SECONDS = 0.1
_LOG_SECONDS = 10.0


class ProgressLine:
    """Callable as progress(done, total). Says nothing in the first second."""

    def __init__(self, what: str, stream: TextIO | None = None) -> None:
        self._what = what
        self._stream = stream or sys.stderr or io.StringIO()  # closed: nowhere
        self._start = self._last = time.monotonic()
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        interval = _TERMINAL_SECONDS if self._stream.isatty() else _LOG_SECONDS
        if now - self._start < _QUIET_SECONDS or now - self._last < interval:
            return
        self._last = now
        self._shown = True
        text = f"{self._what}: {done}/{total} ops, {now - self._start:.0f} s"
        self._write(f"\r{text}" if self._stream.isatty() else f"{text}\n")

    def finish(self) -> None:
        """Ends the line on a terminal."""
        if self._shown and self._stream.isatty():
            self._write("\n")

    def _write(self, text: str) -> None:
        """An export is worth more than its progress: a full disk or a closed terminal ends nothing."""
        with contextlib.suppress(OSError):
            self._stream.write(text)
            self._stream.flush()
