"""Starts the built programs. RML_BIN_DIR says where they are; build/release/bin otherwise."""

import json
import os
import re
import signal
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rml_client import Client

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("RML_BIN_DIR", ROOT / "build/release/bin")).resolve()
GRPC_CLI = ROOT / ".tools/grpc_cli"
SECONDS = 60.0  # far beyond what anything here takes: a test that hangs fails instead
READY = re.compile(r"rml-server ready grpc=(\S+) http=(\S+) models=(\d+) failed=(\d+)\n")


def run(program: str | Path, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program that ends by itself: its exit code and what it printed. A bare name is one of ours."""
    path = BIN / program if isinstance(program, str) else program
    command = [str(path), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env={**os.environ, **environment})


class RunningServer:
    """rml-server on free ports, ready when constructed. stop() or the end of a `with` ends it."""

    def __init__(self, log: Path, *arguments: str | Path, prefix: Sequence[str] = (), **popen: Any) -> None:
        """prefix: a command that runs another one in its place; popen: the process's surroundings."""
        self.log = log
        command = [*prefix, BIN / "rml-server", "--port", "0", "--http-port", "0", *map(str, arguments)]
        with log.open("w") as stderr:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True, **popen)
        watchdog = threading.Timer(SECONDS, self.process.kill)
        watchdog.start()
        line = self.process.stdout.readline()
        watchdog.cancel()
        ready = READY.fullmatch(line)
        if ready is None:
            self.process.kill()
            self.process.wait()
            raise RuntimeError(f"expected the ready line, got {line!r}; the log:\n{log.read_text()}")
        self.grpc, self.http = ready[1], ready[2]
        self.ready_models, self.failed_models = int(ready[3]), int(ready[4])

    def client(self) -> Client:
        return Client(self.grpc, timeout_seconds=SECONDS)

    def get(self, path: str) -> tuple[int, str]:
        """HTTP status and body."""
        try:
            with urllib.request.urlopen(f"http://{self.http}{path}", timeout=SECONDS) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def signal(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)

    def wait(self) -> int:
        """The exit code."""
        try:
            return self.process.wait(SECONDS)
        finally:
            self.process.kill()
            self.process.stdout.close()

    def stop(self) -> int:
        if self.process.poll() is None:
            self.signal()
        return self.wait()

    def __enter__(self) -> "RunningServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def graph(path: Path) -> dict:
    return json.loads(path.read_text())
