"""Reads Prometheus' text format: series by name and labels."""

import re

SERIES = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')

Labels = frozenset[tuple[str, str]]


class Metrics:
    def __init__(self, text: str) -> None:
        self.series: dict[tuple[str, Labels], float] = {}
        self.types: dict[str, str] = {}
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                _, _, name, kind = line.split()
                self.types[name] = kind
            elif line and not line.startswith("#"):
                name, labels, value = SERIES.fullmatch(line).groups()
                key = (name, frozenset(LABEL.findall(labels or "")))
                assert key not in self.series, f"{key} is there twice"
                self.series[key] = float(value)

    def __call__(self, name: str, **labels: str) -> float:
        """The sum of all series with these labels, whatever others they have."""
        wanted = set(labels.items())
        return sum(value for (found, has), value in self.series.items() if found == name and wanted <= has)

    def buckets(self, name: str, **labels: str) -> list[tuple[float, float]]:
        """(bound, requests at or below it), by bound, of one histogram."""
        wanted = set(labels.items())
        found = [
            (float(dict(has)["le"]), value)
            for (series, has), value in self.series.items()
            if series == f"{name}_bucket" and wanted <= has
        ]
        return sorted(found)
