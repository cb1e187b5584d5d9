"""Nothing half-written is left: the old files, or the new ones."""

import builtins
import errno
import os
import resource

import pytest
from rml_export.atomic_write import write_files

ERRORS = [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS]


class FullDisk:
    """A file that takes nothing."""

    def __init__(self, stream, error):
        self._stream, self._error = stream, error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stream.close()

    def write(self, data):
        self._stream.write(data[: len(data) // 2])
        raise OSError(self._error, os.strerror(self._error))


def fail(monkeypatch, where, error, at):
    """Makes the `at`-th call at this place fail."""
    count = 0
    real = {"open": builtins.open, "write": builtins.open, "fsync": os.fsync, "replace": os.replace}[where]

    def call(*arguments):
        nonlocal count
        count += 1
        if count != at:
            return real(*arguments)
        if where == "write":
            return FullDisk(real(*arguments), error)
        raise OSError(error, os.strerror(error), *arguments[:1])

    owner = builtins if where in ("open", "write") else os
    monkeypatch.setattr(owner, {"write": "open"}.get(where, where), call)


@pytest.mark.parametrize("error", ERRORS, ids=errno.errorcode.get)
@pytest.mark.parametrize("where", ["open", "write", "fsync"])
def test_the_old_files_stay(tmp_path, monkeypatch, where, error):
    files = {tmp_path / "a": b"new a", tmp_path / "b": b"new b", tmp_path / "x/y/c": b"new c"}
    for path in list(files)[:2]:
        path.write_bytes(b"old")
    with monkeypatch.context() as patch, pytest.raises(OSError) as raised:
        fail(patch, where, error, at=3)
        write_files(files)
    assert (raised.value.errno, raised.value.filename) == (error, str(tmp_path / "x/y/c"))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"old", "b": b"old"}
    write_files(files)  # a second try with room
    assert [path.read_bytes() for path in files] == list(files.values())


def test_a_rename_that_fails_leaves_no_temporary_file(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"old")
    fail(monkeypatch, "replace", errno.EIO, at=1)
    with pytest.raises(OSError) as raised:
        write_files({tmp_path / "a": b"new"})
    assert raised.value.filename == str(tmp_path / "a")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_beyond_the_limit_of_file_sizes(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as raised:
            write_files({tmp_path / "a": bytes(1001)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert raised.value.filename == str(tmp_path / "a")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


@pytest.mark.parametrize(
    "make",
    [lambda path: path.mkdir(), os.mkfifo, lambda path: path.symlink_to("/dev/full")],
    ids=["folder", "pipe", "device"],
)
def test_only_files_are_replaced(tmp_path, make):
    make(tmp_path / "a")
    with pytest.raises(OSError, match="is no regular file"):
        write_files({tmp_path / "b": b"new", tmp_path / "a": b"new"})
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_file_in_a_folders_place(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(NotADirectoryError) as raised:
        write_files({tmp_path / "a/b": b"new"})
    assert raised.value.filename == str(tmp_path / "a/b")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_links_are_followed(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a").write_bytes(b"old")
    (tmp_path / "link").symlink_to("data/a")
    write_files({tmp_path / "link": b"new"})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "data/a").read_bytes() == b"new"
