"""Every reader of equal constants (dtype, shape and bits) reads one of them, a named one if there is one."""

import hashlib

from rml_export.graph import Value
from rml_export.passes.rewriting import Rewriter


def run(rewriter: Rewriter) -> None:
    groups: dict[tuple, list[Value]] = {}
    for value in rewriter.graph.constants():
        groups.setdefault(key(value), []).append(value)
    for group in groups.values():
        kept = next((value for value in group if value.name is not None), group[0])
        for value in group:
            if value is not kept:
                rewriter.replace(value, kept)


def key(value: Value) -> tuple:
    """Bits, not numbers: 0.0 and -0.0 differ, and so do NaNs of other payloads and 1 from 1.0."""
    return value.dtype, value.shape, hashlib.blake2b(value.data.tobytes(), digest_size=32).digest()
