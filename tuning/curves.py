"""Curves of a run: a line of JSON every few steps, and a picture of them, drawn with PIL alone."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from PIL import Image, ImageDraw
from torch import Tensor

from studio.errors import BadInput
from tuning.state import typed_writing

PLOT, MARGIN, COLUMNS = (300, 150), 28, 3

INK, LINE, GRID = (40, 40, 40), (30, 90, 200), (225, 225, 225)

NOT_DRAWN = ("step", "elapsed_s")


def mean_of(seen: Sequence[Mapping[str, float | Tensor]]) -> dict[str, float]:
    """Means of what steps have shown; a value that only some of them have is a mean of those."""
    names = list(dict.fromkeys(name for entry in seen for name in entry))
    line: dict[str, float] = {}
    for name in names:
        values = [float(entry[name]) for entry in seen if name in entry]
        line[name] = sum(values) / len(values)
    return line


def write_curve(path: Path, line: Mapping[str, object]) -> None:
    """Put a line behind the others of a file. Raises DiskFull, StorageError."""
    with typed_writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(json.dumps(line) + "\n")


def read_curves(path: Path) -> dict[str, list[tuple[float, float]]]:
    """(step, value) by name.

    Raises:
        BadInput: there is no such file, or nothing in it.
    """
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []
    if not lines:
        raise BadInput(f"{path} has no curves.", hint="Run the stage first.")
    curves: dict[str, list[tuple[float, float]]] = {}
    for line in lines:
        for name, value in line.items():
            if name not in NOT_DRAWN and math.isfinite(value):
                curves.setdefault(name, []).append((line["step"], value))
    return curves


def draw_curves(path: Path, picture: Path) -> None:
    """Draw all of a stage's curves; each has its own scale, whose ends are written beside it.

    Raises:
        BadInput: see `read_curves`.
    """
    curves = read_curves(path)
    rows = -(-len(curves) // COLUMNS)
    width, height = PLOT[0] + 2 * MARGIN, PLOT[1] + 2 * MARGIN
    sheet = Image.new("RGB", (COLUMNS * width, rows * height), "white")
    pen = ImageDraw.Draw(sheet)
    for index, (name, points) in enumerate(curves.items()):
        left, top = index % COLUMNS * width + MARGIN, index // COLUMNS * height + MARGIN
        _plot(pen, left, top, f"{path.stem}: {name}", points)
    sheet.save(picture)


def _plot(pen: ImageDraw.ImageDraw, left: int, top: int, title: str, points: list[tuple[float, float]]) -> None:
    low, high = min(value for _, value in points), max(value for _, value in points)
    first, last = points[0][0], points[-1][0]
    right, bottom = left + PLOT[0], top + PLOT[1]
    pen.rectangle((left, top, right, bottom), outline=GRID)

    def place(step: float, value: float) -> tuple[float, float]:
        across = (step - first) / max(1.0, last - first)
        up = (value - low) / max(1e-12, high - low)
        return left + across * PLOT[0], bottom - up * PLOT[1]

    line = [place(*point) for point in points]
    if len(line) > 1:
        pen.line(line, fill=LINE, width=2)
    else:
        pen.ellipse((line[0][0] - 2, line[0][1] - 2, line[0][0] + 2, line[0][1] + 2), fill=LINE)
    pen.text((left, top - 14), f"{title}   {points[0][1]:.4g} to {points[-1][1]:.4g}", fill=INK)
    pen.text((left + 3, top + 2), f"{high:.4g}", fill=INK)
    pen.text((left + 3, bottom - 13), f"{low:.4g}", fill=INK)
    pen.text((left, bottom + 2), f"step {first:.0f}", fill=INK)
    pen.text((right - 60, bottom + 2), f"{last:.0f}", fill=INK)
