"""Files that belong together appear together: nothing half-written is left, and a crash leaves the old ones."""

import contextlib
import errno
import os
from collections.abc import Iterator, Mapping
from pathlib import Path


def write_files(files: Mapping[Path, bytes]) -> None:
    """Writes all files under temporary names beside their places, then renames them in the mapping's order.

    Put last what a reader looks for first. OSError names the file, not the temporary one; the old files are then as
    they were, and temporary files and folders made for them are gone. What a link points to is replaced, not the link.
    """
    staged: list[tuple[Path, Path, Path]] = []
    made: list[Path] = []
    try:
        for path, data in files.items():
            with _error_of(path):
                _make_folder(path.parent, made)
                target = _target(path)
                temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
                staged.append((temporary, target, path))
                with open(temporary, "wb") as stream:
                    stream.write(data)
                    stream.flush()
                    os.fsync(stream.fileno())
        for temporary, target, path in staged:
            with _error_of(path):
                os.replace(temporary, target)
        for folder in dict.fromkeys(target.parent for _, target, _ in staged):
            _flush_folder(folder)
    except BaseException:
        for temporary, _, _ in staged:
            with contextlib.suppress(OSError):
                temporary.unlink()
        for folder in reversed(made):
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


@contextlib.contextmanager
def _error_of(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _make_folder(folder: Path, made: list[Path]) -> None:
    """Makes `folder` and those around it, and adds what was made to `made`."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir(exist_ok=True)
        made.append(path)


def _target(path: Path) -> Path:
    """Where the file goes. OSError for a folder, pipe or device: as root, a device could be replaced."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is no regular file; expected one to replace, or none")
    return path.resolve() if path.is_symlink() else path


def _flush_folder(folder: Path) -> None:
    """Makes a rename last. A folder that cannot be read, or that has nothing to flush, is left alone."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
