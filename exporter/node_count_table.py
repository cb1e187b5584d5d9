#!/usr/bin/env python3
"""The table of node counts in docs/zoo.md, made from the committed fixtures.

    python exporter/node_count_table.py            rewrites the table
    python exporter/node_count_table.py --print    prints it

Each count stands beside its target, which a graph exceeds by 10 % only for a reason given here.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "zoo.md"
FIXTURES = ROOT / "tests" / "fixtures"
BEGIN, END = "<!-- node counts: made by exporter/node_count_table.py -->\n", "<!-- end of node counts -->\n"

ROUTES = ("torch", "jax", "tf", "stablehlo_torch", "stablehlo_jax", "stablehlo_tf")
TARGETS = {
    "mlp": (8, 8, 8, 11, 8, 9),
    "cnn": (10, 19, 12, 18, 19, 18),
    "transformer_block": (32, 42, 29, 50, 42, 37),
    "layernorm_gelu": (6, 6, 4, 7, 6, 7),
    "vit": (77, 95, 68, 113, 95, 84),
    "encoder": (71, 96, 61, 106, 96, 78),
    "tiny_gpt": (71, 98, 63, 108, 98, 80),
    "rnn": (46, 42, 41, 41, 42, 42),
    "lstm": (106, 102, 101, 101, 147, 102),
    "ssm": (27, 34, 28, 28, 45, 33),
    "autoencoder": (14, 14, 14, 19, 17, 15),
    "vae": (20, 20, 20, 26, 23, 21),
    "gan_generator": (9, 9, 9, 12, 9, 10),
    "diffusion_mlp": (14, 14, 15, 17, 14, 16),
    "unet": (23, 29, 34, 27, 29, 39),
    "gcn": (14, 11, 7, 13, 11, 12),
    "two_tower": (12, 12, 12, 16, 12, 13),
    "clip": (21, 30, 22, 25, 30, 23),
    "moe": (57, 63, 43, 68, 64, 63),
}
# Why a graph has more than 1.1 times its target.
REASONS = {
    ("tf", "layernorm_gelu"): "the biases of the two linear layers are additions of their own, as by the other routes",
}


def counts() -> dict[str, dict[str, int]]:
    """Model -> route -> nodes, of the fixtures that there are."""
    result: dict[str, dict[str, int]] = {}
    for model in TARGETS:
        files = {route: FIXTURES / f"{route}_{model}.json" for route in ROUTES}
        found = {route: path for route, path in files.items() if path.exists()}
        result[model] = {route: len(json.loads(path.read_text())["nodes"]) for route, path in found.items()}
    return result


def exceeding(found: dict[str, dict[str, int]]) -> set[tuple[str, str]]:
    """Route and model of the graphs with more than 1.1 times their target."""
    return {
        (route, model)
        for model, row in found.items()
        for route, count in row.items()
        if count > 1.1 * TARGETS[model][ROUTES.index(route)]
    }


def table() -> str:
    """Markdown: a row per model, a column per route that has fixtures, then the reasons."""
    found = counts()
    routes = [route for route in ROUTES if any(route in row for row in found.values())]
    lines = ["| model | " + " | ".join(f"`{route}`" for route in routes) + " |", "|---" * (len(routes) + 1) + "|"]
    notes: list[str] = []
    for model, row in found.items():
        cells = []
        for route in routes:
            mark = ""
            if (route, model) in REASONS:
                notes.append(f"{len(notes) + 1}. `{route}` `{model}`: {REASONS[route, model]}.")
                mark = f" ({len(notes)})"
            cells.append(f"{row.get(route, '-')} / {TARGETS[model][ROUTES.index(route)]}{mark}")
        lines.append(f"| `{model}` | " + " | ".join(cells) + " |")
    return "\n".join([*lines, *([""] if notes else []), *notes]) + "\n"


def updated(text: str) -> str:
    """The document with the table of today."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


def rewrite() -> None:
    DOCUMENT.write_text(updated(DOCUMENT.read_text()))


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        print(table(), end="")
    else:
        rewrite()
