"""The repository's own files, as git lists them."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def files(*suffixes: str) -> list[Path]:
    """Files of the project with one of the suffixes (all if none is given), relative to ROOT: tracked, or new and not
    ignored, so that a file is checked before it is committed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = sorted({Path(name) for name in listed.split("\0") if name})
    return [path for path in paths if (ROOT / path).is_file() and (not suffixes or path.suffix in suffixes)]


def text(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")
