"""The command line: `python -m rml_export torch ...` and `python -m rml_export zoo ...`.

Exit codes: 0 written, 1 the model cannot be exported (every reason is listed), 2 wrong usage.
"""

import argparse
import sys
from collections.abc import Sequence

from rml_export import torch_command, zoo_command
from rml_export.errors import ExportError
from rml_export.usage import UsageError

_DESCRIPTION = """\
Writes models as rml-graph files, which rml-server serves:

  model.json                the graph, one node a line
  model.safetensors         the weights
  golden.safetensors        example inputs and the framework's outputs; the server checks itself against them

Say `python -m rml_export torch --help` for PyTorch models."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="rml-export", description=_DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    torch_command.add_parser(commands)
    zoo_command.add_parser(commands)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except UsageError as error:
        print(f"rml-export: {error}", file=sys.stderr)
        return 2
    except ExportError as error:
        print(f"rml-export: cannot export: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"rml-export: cannot write: {error}", file=sys.stderr)
        return 1
    return 0
