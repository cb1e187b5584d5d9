"""Files that belong together appear together: nothing half-written is left, and a crash leaves the old ones."""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path


def write_files(files: Mapping[Path, bytes]) -> None:
    """Writes all files under temporary names beside their places, then renames them in the mapping's order.

    Put last what a reader looks for first. On an error while writing, the temporary files are removed.
    """
    staged: list[tuple[Path, Path]] = []
    try:
        for path, data in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
            staged.append((temporary, path))
            with open(temporary, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        for temporary, path in staged:
            os.replace(temporary, path)
    except BaseException:
        for temporary, _ in staged:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()
        raise
