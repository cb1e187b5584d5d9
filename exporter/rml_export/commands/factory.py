"""FILE.py:FUNCTION on the command line: the user's function that makes the model."""

import importlib.util
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rml_export.commands.usage import UsageError


def make_model(text: str) -> Any:
    """What the function that FILE.py:FUNCTION names returns. UsageError if there is none, or if it raises."""
    factory = load_factory(text)
    return _attempt(factory, f"'{text}' failed", Path(text.rpartition(":")[0]))


def load_factory(text: str) -> Callable[[], Any]:
    file, _, name = text.rpartition(":")
    path = Path(file)
    if not file or not name or not is_file(path):
        raise UsageError(f"'{text}': expected FILE.py:FUNCTION with an existing file")
    # Registered like an import: dataclasses, and so Flax, look up the module of a class. The name is that of no other.
    spec = importlib.util.spec_from_file_location(f"_rml_export_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"'{file}' is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.resolve().parent))
    loader = spec.loader
    _attempt(lambda: loader.exec_module(module), f"'{file}' cannot be imported", path)
    factory = getattr(module, name, None)
    if not callable(factory):
        raise UsageError(f"'{file}' has no function '{name}'")
    return factory


def is_file(path: Path) -> bool:
    """Path.is_file(), and False for a path that no file can have."""
    try:
        return path.is_file()
    except OSError:
        return False


def _attempt(action: Callable[[], Any], what: str, path: Path) -> Any:
    """What the action returns. UsageError with the last line of the user's file that an exception came by."""
    try:
        return action()
    except (Exception, SystemExit) as error:  # a user's code raises whatever it likes, and scripts end themselves
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == path]
        where = f" at {path.name}:{frames[-1].lineno}: {frames[-1].line}" if frames else ""
        raise UsageError(f"{what}: {type(error).__name__}: {error}{where}") from error
