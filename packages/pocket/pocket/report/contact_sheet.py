"""One picture of what an exam's candidate made: its pictures, its words and its marks, a question a row."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from pocket.report.examiners import SHOWN_PX, Answered

COLUMNS = 120
"""Characters of a line."""

LINE_PX, TEXT_PX, MARGIN_PX = 16, 880, 8
MAX_LINES = 12
"""Of a row."""

MAX_ROWS = 80
"""Of a sheet; the questions after them are not shown."""


def save_sheet(path: Path, answers: Sequence[Answered]) -> None:
    """Write a PNG; nothing where there is nothing to look at."""
    rows = [_row(answered) for answered in answers[:MAX_ROWS] if answered.shown is not None]
    if not rows:
        return
    width = max(row.width for row in rows)
    sheet = Image.new("RGB", (width, sum(row.height for row in rows)), "white")
    top = 0
    for row in rows:
        sheet.paste(row, (0, top))
        top += row.height
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(path)


def _row(answered: Answered) -> Image.Image:
    assert answered.shown is not None
    marks = ", ".join(f"{name} {value:.2f}" for name, value in answered.marks["candidate"].items())
    lines = [line for words in (marks, *answered.shown.words) for line in textwrap.wrap(words, COLUMNS)][:MAX_LINES]
    pictures = [Image.fromarray(picture) for picture in answered.shown.pictures]
    height = max([picture.height for picture in pictures] + [LINE_PX * len(lines)]) + MARGIN_PX
    row = Image.new("RGB", ((SHOWN_PX + MARGIN_PX) * len(pictures) + TEXT_PX, height), "white")
    for index, picture in enumerate(pictures):
        row.paste(picture, ((SHOWN_PX + MARGIN_PX) * index, 0))
    draw, left = ImageDraw.Draw(row), (SHOWN_PX + MARGIN_PX) * len(pictures)
    for index, line in enumerate(lines):
        draw.text((left, LINE_PX * index), line, "black", ImageFont.load_default(12))
    return row
