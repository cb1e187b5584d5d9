"""Surroundings that fail: what a program of ours is started in, and what it then has for standard output."""

import contextlib
import json
import os
import resource
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running_server import BIN, SECONDS

NOBODY = 65534


@dataclass
class Output:
    """Something to print to. `command` goes in front of the program, `fd` is its standard output."""

    fd: int
    reason: str
    command: list[str] = field(default_factory=list)


def full() -> Output:
    return Output(os.open("/dev/full", os.O_WRONLY), "No space left on device")


def closed() -> Output:
    return Output(os.open(os.devnull, os.O_WRONLY), "Bad file descriptor", ["sh", "-c", 'exec "$@" >&-', "sh"])


def pipe_without_reader() -> Output:
    reader, writer = os.pipe()
    os.close(reader)
    return Output(writer, "Broken pipe")


OUTPUTS: list[Callable[[], Output]] = [full, closed, pipe_without_reader]


def run(
    program: str, *arguments: str | Path, prefix: list[str] | None = None, **popen: Any
) -> subprocess.CompletedProcess:
    """A program that ends by itself, surrounded as Popen takes it. prefix: a command that runs it."""
    popen = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **popen}
    command = [*(prefix or []), str(BIN / program), *map(str, arguments)]
    return subprocess.run(command, text=True, timeout=SECONDS, **popen)


def limit(kind: int, value: int) -> Callable[[], None]:
    """A preexec_fn that sets a limit, hard and soft."""
    return lambda: resource.setrlimit(kind, (value, value))


def unprivileged() -> dict[str, int]:
    """For Popen: a user for whom permissions count. Skips where there is none."""
    if os.geteuid() != 0:
        return {}
    who = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    try:
        allowed = run("rml-server", "--version", **who).returncode == 0
    except (OSError, subprocess.SubprocessError):
        allowed = False
    if not allowed:
        pytest.skip("the programs cannot be run as another user here")
    return who


def let_everybody_in(folder: Path) -> None:
    """pytest's folders are for their owner only."""
    root = Path(tempfile.gettempdir())
    for parent in [folder, *folder.parents]:
        if root in parent.parents:
            parent.chmod(parent.stat().st_mode | 0o111)


def namespace(*mounts: str) -> list[str]:
    """A command that runs another one in a mount namespace of its own, after these mounts. Skips where it may not."""
    enter = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    command = [*enter, "sh", "-c", " && ".join([*mounts, 'exec "$@"']), "sh"]
    try:
        allowed = subprocess.run([*command, "true"], capture_output=True, timeout=SECONDS).returncode == 0
    except OSError:
        allowed = False
    if not allowed:
        pytest.skip(f"these mounts are not allowed here: {'; '.join(mounts)}")
    return command


@contextlib.contextmanager
def server_without_stdout(output: Output, port_file: Path) -> Iterator[tuple[subprocess.Popen, str]]:
    """A server of the bundled models whose ready line gets lost: the process and the gRPC address."""
    command = [BIN / "rml-server", "--demo", "--port", "0", "--http-port", "0", "--port-file", port_file]
    process = subprocess.Popen([*output.command, *command], stdout=output.fd, stderr=subprocess.PIPE, text=True)
    os.close(output.fd)
    watchdog = threading.Timer(SECONDS, process.kill)
    watchdog.start()
    try:
        log = ""
        while "the ready line: " not in log:
            line = process.stderr.readline()
            assert line, f"expected a word on the ready line, got\n{log}"
            log += line
        assert f"the ready line: writing to standard output: {output.reason}\n" in log
        yield process, f"127.0.0.1:{json.loads(port_file.read_text())['grpc']}"
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
        watchdog.cancel()
