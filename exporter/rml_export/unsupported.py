"""What of a framework's graph has no counterpart in rml-graph: gathered while lowering, told all at once."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Unsupported:
    """One place. op: the framework's name for it; where: "in module 'fc1' at model.py:12", empty if that is unknown."""

    op: str
    reason: str
    where: str = ""


def describe(found: Sequence[Unsupported], kind: str = "op") -> list[str]:
    """One text per op and reason, with the first place and the number of the others."""
    groups: dict[tuple[str, str], list[Unsupported]] = {}
    for item in found:
        groups.setdefault((item.op, item.reason), []).append(item)
    texts = []
    for (op, reason), group in groups.items():
        where = f" {group[0].where}" if group[0].where else ""
        more = f" (and {len(group) - 1} more)" if len(group) > 1 else ""
        texts.append(f"unsupported {kind} {op}: {reason}{where}{more}")
    return texts
