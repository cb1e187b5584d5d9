"""Errors of the exporter."""

from collections.abc import Sequence


class ExportError(Exception):
    """A model that cannot be written as an rml-graph.

    problems  every problem found, one text each; `str(error)` lists all of them, so that one run tells the whole story.
    """

    def __init__(self, problems: str | Sequence[str]) -> None:
        self.problems: tuple[str, ...] = (problems,) if isinstance(problems, str) else tuple(problems)
        if len(self.problems) == 1:
            super().__init__(self.problems[0])
        else:
            lines = "".join(f"\n  - {problem}" for problem in self.problems)
            super().__init__(f"{len(self.problems)} problems:{lines}")
