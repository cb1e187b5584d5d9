"""torch-mlir in a process of its own, started at the first use and ended with this one."""

import atexit
import contextlib
import json
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from rml_export.errors import ExportError

_WORKER = Path(__file__).with_name("torch_mlir_worker.py")
_END_SECONDS = 5


class TorchMlirError(Exception):
    """What torch-mlir says of a program that it does not lower.

    unsupported   the ops at fault, each with "op", "module" (its path) and "stack" (torch's stack trace).
    """

    def __init__(self, text: str, unsupported: list[dict[str, str]]) -> None:
        super().__init__(text)
        self.unsupported = unsupported


class Worker:
    """The process. Thread-safe: one request at a time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process: subprocess.Popen[str] | None = None

    def lower(self, program: Any) -> str:
        """The StableHLO text of an ExportedProgram. TorchMlirError if torch-mlir has none."""
        with self.lock, TemporaryDirectory(prefix="rml_export_") as folder:
            saved, text = Path(folder) / "program.pt2", Path(folder) / "module.mlir"
            torch.export.save(program, saved)
            answer = self.ask({"program": str(saved), "text": str(text)})
            if "mutated" in answer:
                raise ExportError(
                    f"the model writes to its buffers or inputs: {answer['mutated']}; a served model has no state"
                )
            if "error" in answer:
                raise TorchMlirError(answer["error"], answer["unsupported"])
            return text.read_text()

    def ask(self, request: dict[str, str]) -> dict[str, Any]:
        process = self.start()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.process = None
            raise ExportError(f"torch-mlir's process ended with {process.wait()}")
        return json.loads(line)

    def start(self) -> "subprocess.Popen[str]":
        if self.process is None:
            if find_spec("torch_mlir") is None:
                raise ExportError(
                    "PyTorch's way to StableHLO needs torch-mlir: pip install './exporter[torch-stablehlo]'"
                )
            command = [sys.executable, "-P", str(_WORKER)]  # -P: the modules of this folder are none of the script's
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
            atexit.register(end, self.process)
        return self.process


def end(process: "subprocess.Popen[str]") -> None:
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


WORKER = Worker()
