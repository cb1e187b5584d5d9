"""The command line: `python -m rml_export torch ...`, one subcommand for each way to a graph, and `... zoo`.

Exit codes: 0 written, 1 the model cannot be exported (every reason is listed) or written, 2 wrong usage,
3 --verify found a difference, nothing is written, 130 interrupted.
"""

import argparse
import errno
import os
import sys
from collections.abc import Sequence

from rml_export.commands import zoo_command
from rml_export.commands.jax_command import JAX
from rml_export.commands.onnx_command import ONNX
from rml_export.commands.stablehlo_command import STABLEHLO
from rml_export.commands.tf_command import TF
from rml_export.commands.torch_command import TORCH
from rml_export.commands.usage import UsageError
from rml_export.errors import ExportError
from rml_export.verify import VerificationError

_DESCRIPTION = """\
Writes models as rml-graph files, which rml-server serves:

  model.json                the graph, one node a line
  model.safetensors         the weights
  golden.safetensors        example inputs and the framework's outputs; the server checks itself against them

Each way has a page of help with an example to copy: `python -m rml_export torch --help`, `... jax --help`."""

ROUTES = (TORCH, JAX, TF, ONNX, STABLEHLO)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="rml-export", description=_DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for route in ROUTES:
        route.add_parser(commands)
    zoo_command.add_parser(commands)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
        _flush_stdout()
    except UsageError as error:
        print(f"rml-export: {error}", file=sys.stderr)
        return 2
    except VerificationError as error:
        print(f"rml-export: verification failed, nothing is written: {error}", file=sys.stderr)
        return 3
    except ExportError as error:
        print(f"rml-export: cannot export: {error}", file=sys.stderr)
        return 1
    except MemoryError as error:
        print(f"rml-export: out of memory: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"rml-export: cannot write: {error}", file=sys.stderr)
        _discard_stdout()
        return 1
    except KeyboardInterrupt:
        print("rml-export: interrupted", file=sys.stderr)
        return 130
    return 0


def _flush_stdout() -> None:
    """OSError if what was printed did not get out, or if there is nowhere to print to."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard output")
    sys.stdout.flush()


def _discard_stdout() -> None:
    """What cannot be printed goes nowhere: the interpreter would try, and complain, once more at its end."""
    try:
        _flush_stdout()
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.close(null)
