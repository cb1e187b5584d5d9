"""The ratios as a picture (SVG): a row per model and batch, a column per engine and number of threads."""

import math
from collections.abc import Sequence
from html import escape

from loadtest.bench.summaries import Row

CELL_WIDTH, CELL_HEIGHT = 52, 18
LEFT, TOP = 170, 120
STRONGEST = 3.0  # ratios from here on, and below one over it, have the full colour
WON, LOST, TIE = (33, 128, 74), (190, 55, 45), (244, 243, 238)


def colour(ratio: float) -> str:
    """White at 1, towards green above and red below, by the logarithm."""
    strength = max(-1.0, min(1.0, math.log(ratio) / math.log(STRONGEST)))
    end = WON if strength > 0 else LOST
    mixed = (round(t + abs(strength) * (e - t)) for t, e in zip(TIE, end, strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)


def heat_map(rows: Sequence[Row]) -> str:
    """A tie is drawn pale and its number in grey; the interval is in the tooltip."""
    lines = list(dict.fromkeys((row.cell.model, row.cell.batch) for row in rows))
    columns = sorted({(row.engine, row.cell.threads) for row in rows}, key=lambda c: (c[1], c[0]))
    width, height = LEFT + CELL_WIDTH * len(columns) + 10, TOP + CELL_HEIGHT * len(lines) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        f'font-size="11"><rect width="100%" height="100%" fill="white"/>'
    ]
    for i, (engine, threads) in enumerate(columns):
        x = LEFT + CELL_WIDTH * i + CELL_WIDTH // 2
        label = escape(f"{engine}, t{threads}")
        parts.append(f'<text transform="translate({x},{TOP - 6}) rotate(-40)">{label}</text>')
    for i, (model, batch) in enumerate(lines):
        y = TOP + CELL_HEIGHT * i + 13
        parts.append(f'<text x="{LEFT - 6}" y="{y}" text-anchor="end">{escape(model)} b{batch}</text>')
    for row in rows:
        parts.append(
            _box(row, columns.index((row.engine, row.cell.threads)), lines.index((row.cell.model, row.cell.batch)))
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _box(row: Row, column: int, line: int) -> str:
    ratio, tie = row.ratio, row.ratio.verdict == "tie"
    x, y = LEFT + CELL_WIDTH * column, TOP + CELL_HEIGHT * line
    title = escape(f"{row.cell.name}, {row.engine}: {ratio.median:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]")
    strong = not tie and max(ratio.median, 1 / ratio.median) > math.sqrt(STRONGEST)
    ink = "#777" if tie else "white" if strong else "#222"
    fill = colour(1.0 if tie else ratio.median)
    return (
        f'<g><title>{title}</title><rect x="{x}" y="{y}" width="{CELL_WIDTH - 1}" height="{CELL_HEIGHT - 1}" '
        f'fill="{fill}"/><text x="{x + CELL_WIDTH // 2}" y="{y + 13}" text-anchor="middle" fill="{ink}">'
        f"{ratio.median:.2f}</text></g>"
    )
