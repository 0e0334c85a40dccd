"""A comparison as one clip: every cell at its place, at the same time, with the labels of rows and columns."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from backend.comparisons.drawing import GONE, SEEN
from backend.media import frame_rate, read_picture, read_sound, stream_clip, write_clip
from backend.media.clip_writer import SOUND_RATE
from backend.media.timeline import read_timeline
from studio.comparisons import Cell, Comparison
from studio.errors import BadInput, MediaNotFound

Frame = NDArray[np.uint8]

MAX_WIDTH, MAX_TILE = 1920, 480
MIN_TILE = 96
"""Pixels of the mosaic across, and of a tile: twenty columns are the most."""

MAX_TILES = 144
"""Decoders that are open together."""

BAR, MARGIN = 22, 4
"""Pixels of a line of labels, and between tiles."""

STILL_S = 2.0
"""How long a mosaic of pictures alone is shown."""

GROUND, TILE_GROUND, INK, FAINT = (13, 17, 23), (24, 30, 38), (232, 236, 241), (154, 166, 181)
"""The stage of the page: its ground, its ink."""


@dataclass(frozen=True)
class _Sheet:
    """Where everything lies: tiles of `width` x `height`, a bar for the columns, and one above every row."""

    columns: int
    rows: int
    width: int
    height: int

    @property
    def size(self) -> tuple[int, int]:
        wide = MARGIN + self.columns * (self.width + MARGIN)
        high = BAR + MARGIN + self.rows * (BAR + self.height + MARGIN)
        return wide + wide % 2, high + high % 2

    def corner(self, row: int, column: int) -> tuple[int, int]:
        return MARGIN + column * (self.width + MARGIN), 2 * BAR + row * (BAR + self.height + MARGIN)


def write_mosaic(path: Path, comparison: Comparison, file_of: Callable[[str], Path], sound: str | None = None) -> None:
    """Write it as MP4; a clip that has ended stays on its last frame, and is silent.

    Args:
        path: written in place.
        file_of: the file of a medium. Raises MediaNotFound, which leaves its tile empty.
        sound: the item whose sound is heard; none is the first that has any.

    Raises:
        BadInput: there is nothing to be seen in it, or too much, or the chosen item has no sound.
        OSError: the file cannot be written.
    """
    files = _files(comparison, file_of)
    shown = [cell for cell in comparison.cells if cell.item is not None and cell.item.id in files]
    if not shown and any(cell.gone for cell in comparison.cells):
        raise BadInput("The files of everything in this comparison are gone.", hint="Make what is missing again.")
    if not shown:
        raise BadInput("Nothing of this comparison is made yet.", hint="Export it once a cell is there.")
    sheet = _sheet_of(comparison, shown)
    rates = [cell.item.fps for cell in shown if cell.item and cell.item.type == "video" and cell.item.fps]
    fps = frame_rate(max(rates, default=12.0))
    lasts = [cell.item.duration_s for cell in shown if cell.item and cell.item.duration_s]
    num_frames = max(1, math.ceil(max(lasts, default=STILL_S) * fps - 1e-6))
    places: list[tuple[int, int, Iterator[Frame]]] = []
    seen: set[tuple[int, int]] = set()
    for cell in shown:
        assert cell.item is not None
        size = _fitted(cell, sheet)
        left, top = sheet.corner(cell.row, cell.column)
        at = left + (sheet.width - size[0]) // 2, top + (sheet.height - size[1]) // 2
        file = files[cell.item.id]
        try:
            places.append((*at, _opened(_frames(cell, file, size, float(fps)))))
        except (FileNotFoundError, BadInput):
            if file.exists():
                raise
        else:
            seen.add((cell.row, cell.column))
    ground = _ground(comparison, sheet, seen)

    def frames() -> Iterator[Frame]:
        picture = ground
        for _ in range(num_frames):
            for left, top, tile in places:
                pixels = next(tile, None)
                if pixels is not None:
                    picture[top : top + pixels.shape[0], left : left + pixels.shape[1]] = pixels
            yield picture

    heard = _heard(shown, sound)
    samples = read_sound(files[heard], SOUND_RATE, stereo=True) if heard else None
    recipe = f"Orrery comparison {comparison.id}: {comparison.title}"
    write_clip(path, frames(), fps=fps, sound=samples, recipe=recipe)


def _heard(shown: list[Cell], chosen: str | None) -> str | None:
    """The item whose sound is taken; none where all are silent."""
    in_order = sorted(shown, key=lambda cell: (cell.row, cell.column))
    loud = [cell.item.id for cell in in_order if cell.item is not None and cell.item.has_sound]
    if chosen is None:
        return loud[0] if loud else None
    if chosen not in loud:
        raise BadInput(
            f"{chosen} is no item with sound in this comparison.",
            param="sound",
            hint=f"With sound: {', '.join(loud[:5])}." if loud else "All of its items are silent.",
        )
    return chosen


def _files(comparison: Comparison, file_of: Callable[[str], Path]) -> dict[str, Path]:
    """By media id, what can be seen."""
    found: dict[str, Path] = {}
    for item in (cell.item for cell in comparison.cells):
        if item is not None and item.type in SEEN and not item.missing:
            with suppress(MediaNotFound):  # it has just gone
                found[item.id] = file_of(item.id)
    return found


def _sheet_of(comparison: Comparison, shown: list[Cell]) -> _Sheet:
    columns, rows = len(comparison.columns), len(comparison.rows)
    if columns * rows > MAX_TILES or columns * MIN_TILE > MAX_WIDTH:
        raise BadInput(
            f"A mosaic of {columns} columns and {rows} rows would show nothing; at most {MAX_TILES} tiles and "
            f"{MAX_WIDTH // MIN_TILE} columns are drawn.",
            hint="Export the web page.",
        )
    width = min(MAX_TILE, (MAX_WIDTH - MARGIN) // columns - MARGIN) & ~1
    shapes = [(cell.item.height or 1) / (cell.item.width or 1) for cell in shown if cell.item]
    return _Sheet(columns, rows, width, min(2 * width, round(width * max(shapes))) & ~1)


def _fitted(cell: Cell, sheet: _Sheet) -> tuple[int, int]:
    assert cell.item is not None
    wide, high = cell.item.width or sheet.width, cell.item.height or sheet.height
    scale = min(sheet.width / wide, sheet.height / high)
    return max(2, round(wide * scale) & ~1), max(2, round(high * scale) & ~1)


def _frames(cell: Cell, path: Path, size: tuple[int, int], fps: float) -> Iterator[Frame]:
    assert cell.item is not None
    if cell.item.type == "image":
        return iter([read_picture(path, *size)])
    num_frames = read_timeline(path).num_frames_at(frame_rate(fps))
    return stream_clip(path, width=size[0], height=size[1], fps=fps, num_frames=num_frames)


def _opened(frames: Iterator[Frame]) -> Iterator[Frame]:
    """The same once its file is open: deleted from then on, it can be read to its end."""
    return itertools.chain([next(frames)], frames)


def _ground(comparison: Comparison, sheet: _Sheet, seen: Set[tuple[int, int]]) -> Frame:
    """The mosaic without what moves: bars with labels, tiles with why they are empty."""
    image = Image.new("RGB", sheet.size, GROUND)
    draw = ImageDraw.Draw(image)
    font = _font(13)
    for column, entry in enumerate(comparison.columns):
        left, _ = sheet.corner(0, column)
        draw.text((left + 2, 4), _cut(entry.label, font, sheet.width), INK, font)
    for row, label in enumerate(comparison.rows):
        _, top = sheet.corner(row, 0)
        draw.text((MARGIN + 2, top - BAR + 3), _cut(label, font, sheet.size[0] - 2 * MARGIN), FAINT, font)
        for column in range(len(comparison.columns)):
            left, _ = sheet.corner(row, column)
            draw.rectangle((left, top, left + sheet.width - 1, top + sheet.height - 1), TILE_GROUND)
            cell = comparison.cell(row, column)
            if cell is not None and (row, column) not in seen:
                said = _why_empty(cell)
                draw.text((left + 8, top + 8), _cut(said, font, sheet.width - 12), FAINT, font)
    return np.array(image, np.uint8)


def _why_empty(cell: Cell) -> str:
    if cell.error:
        return cell.error.message
    if cell.gone or (cell.item is not None and cell.item.type in SEEN):
        return GONE
    return cell.job.state if cell.job else "actions"


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    try:
        return ImageFont.truetype("DejaVuSans.ttf", size)  # knows more letters than the one that Pillow brings
    except OSError:
        return ImageFont.load_default(size)


def _cut(text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, width: int) -> str:
    """As much of a text as fits."""
    if font.getlength(text) <= width:
        return text
    fits = next((end for end in range(len(text), 0, -1) if font.getlength(text[:end] + "…") <= width), 0)
    return text[:fits] + "…"
