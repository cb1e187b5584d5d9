"""An engine in a process of its own, as the parent sees it: stopped (SIGSTOP) unless it is being timed.

Frameworks keep threads that spin for a while after a call; those of an idle engine would take the CPUs of the one that
is being measured.
"""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from loadtest.bench.cells import Cell
from loadtest.bench.files import Files
from loadtest.bench.peers import Engine
from loadtest.bench.rounds import EngineError

ROOT = Path(__file__).resolve().parents[2]
READY_SECONDS = 900.0  # torch.compile with max-autotune takes minutes
SAMPLE_SECONDS = 300.0
PYTHON_PATH = (".", "exporter", "build/release/python")


def environment(threads: int) -> dict[str, str]:
    """That of this process, with our modules found and OpenMP's threads bounded before any framework starts."""
    path = [str(ROOT / folder) for folder in PYTHON_PATH] + os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
        "OMP_NUM_THREADS": str(threads),
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }


class EngineProcess:
    """Ready once made. Raises EngineError. close() ends the process and all that it started."""

    def __init__(self, engine: Engine, cell: Cell, files: Files) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (as long as the process)
        arguments = [engine.module, engine.route, str(files.root), cell.model, str(cell.batch), str(cell.threads)]
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "loadtest.bench.worker", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment(cell.threads),
            process_group=0,
        )
        try:
            self._answer(READY_SECONDS)
            self._signal(signal.SIGSTOP)
        except BaseException:  # an interrupt too: a stopped process would stay for ever
            self.close()
            raise

    def sample(self, seconds: float) -> float:
        self._signal(signal.SIGCONT)
        try:
            self._process.stdin.write(json.dumps({"seconds": seconds}).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise EngineError(self._last_words()) from None
        us = self._answer(SAMPLE_SECONDS)["us"]
        self._signal(signal.SIGSTOP)
        return us

    def close(self) -> None:
        self._signal(signal.SIGKILL)
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
        self._log.close()

    def _signal(self, number: int) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, number)

    def _answer(self, seconds: float) -> dict[str, Any]:
        if not select.select([self._process.stdout], [], [], seconds)[0]:
            raise EngineError(f"no answer within {seconds:.0f} s")
        line = self._process.stdout.readline()
        if not line:
            raise EngineError(self._last_words())
        answer = json.loads(line)
        if "error" in answer:
            raise EngineError(answer["error"])
        return answer

    def _last_words(self) -> str:
        self._process.wait()
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return (lines[-1] if lines else f"ended with code {self._process.returncode}")[:300]
