"""Whether a model of the zoo has been exported before, with the same options."""

import json
from pathlib import Path

import numpy as np

from rml_export.canonical import canonical
from rml_export.golden import read_golden
from rml_export.writer import file_paths
from rml_export.zoo.inputs import inputs


def is_finished(path: Path, model: str, size: str, batch: int, static: bool) -> bool:
    """All files are there, for a fixed batch as asked, and with the golden inputs of this model, size and batch.

    The files of an export appear together, the graph last: what has a graph is whole.
    """
    json_path, weights_path, golden_path = file_paths(path)
    if not all(file.is_file() for file in (json_path, weights_path, golden_path)):
        return False
    wanted = [canonical(array) for array in inputs(model, size, batch).values()]
    try:
        is_static = "symbols" not in json.loads(json_path.read_text())
        golden = read_golden(golden_path)
    except (ValueError, KeyError):
        return False
    return (
        is_static == static
        and len(golden.inputs) == len(wanted)
        and all(np.array_equal(have, want) for have, want in zip(golden.inputs, wanted, strict=True))
    )
