"""FILE.py:FUNCTION on the command line: the user's function that makes the model."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

from rml_export.commands.usage import UsageError


def make_model(text: str) -> Any:
    """What the function that FILE.py:FUNCTION names returns. UsageError if there is no such function."""
    return load_factory(text)()


def load_factory(text: str) -> Any:
    file, _, name = text.rpartition(":")
    path = Path(file)
    if not file or not name or not path.is_file():
        raise UsageError(f"'{text}': expected FILE.py:FUNCTION with an existing file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"'{file}' is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"'{file}' cannot be imported: {type(error).__name__}: {error}") from error
    factory = getattr(module, name, None)
    if not callable(factory):
        raise UsageError(f"'{file}' has no function '{name}'")
    return factory
