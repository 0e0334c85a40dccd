"""A comparison as one clip: every cell at its place, at the same time, with the labels of rows and columns."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from backend.comparisons.drawing import GONE, SEEN, UNREADABLE
from backend.media import frame_rate, read_picture, read_sound, stream_clip, write_clip
from backend.media.clip_writer import SOUND_RATE
from backend.media.timeline import read_timeline
from studio.comparisons import Cell, Comparison
from studio.errors import BadInput, MediaNotFound
from studio.library import LibraryItem

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

    What is gone or damaged leaves its tile to the words that say so; a clip that breaks off half-way from there on.

    Args:
        path: written in place.
        file_of: the file of a medium. Raises MediaNotFound, which leaves its tile empty.
        sound: the item whose sound is heard; none is the first that has any.

    Raises:
        BadInput: there is nothing to be seen in it, or too much, or the chosen item has no sound that can be read.
        OSError: the file cannot be written.
    """
    files = _files(comparison, file_of)
    shown = [cell for cell in comparison.cells if cell.item is not None and cell.item.id in files]
    if not shown and any(cell.gone for cell in comparison.cells):
        raise BadInput("All files of this comparison were deleted.", hint="Run the missing cells again.")
    if not shown:
        raise BadInput("No cell of this comparison is done yet.", hint="Export it when at least one cell is done.")
    sheet = _sheet_of(comparison, shown)
    rates = [cell.item.fps for cell in shown if cell.item and cell.item.type == "video" and cell.item.fps]
    fps = frame_rate(max(rates, default=12.0))
    lasts = [cell.item.duration_s for cell in shown if cell.item and cell.item.duration_s]
    num_frames = max(1, math.ceil(max(lasts, default=STILL_S) * fps - 1e-6))
    places: list[tuple[int, int, Iterator[Frame]]] = []
    empty = {(cell.row, cell.column): _why_empty(cell) for cell in comparison.cells if cell not in shown}
    for cell in shown:
        assert cell.item is not None
        size = _fitted(cell, sheet)
        left, top = sheet.corner(cell.row, cell.column)
        at = left + (sheet.width - size[0]) // 2, top + (sheet.height - size[1]) // 2
        file = files[cell.item.id]
        try:
            places.append((*at, _opened(_frames(cell, file, size, float(fps)), size, _damaged(cell.item))))
        except (FileNotFoundError, BadInput):
            empty[cell.row, cell.column] = _damaged(cell.item) if file.exists() else GONE
    if not places and any(why.startswith(UNREADABLE) for why in empty.values()):
        raise BadInput("No file of this comparison can be read.", hint="Run the damaged cells again.")
    ground = _ground(comparison, sheet, empty)

    def frames() -> Iterator[Frame]:
        picture = ground
        for _ in range(num_frames):
            for left, top, tile in places:
                pixels = next(tile, None)
                if pixels is not None:
                    picture[top : top + pixels.shape[0], left : left + pixels.shape[1]] = pixels
            yield picture

    samples = _heard([cell for cell in shown if (cell.row, cell.column) not in empty], files, sound)
    recipe = f"Orrery comparison {comparison.id}: {comparison.title}"
    write_clip(path, frames(), fps=fps, sound=samples, recipe=recipe)


def _heard(seen: list[Cell], files: Mapping[str, Path], chosen: str | None) -> NDArray[np.float32] | None:
    """The sound of the chosen item, or of the first that has some that can be read; none where all are silent."""
    in_order = sorted(seen, key=lambda cell: (cell.row, cell.column))
    loud = [cell.item.id for cell in in_order if cell.item is not None and cell.item.has_sound]
    if chosen is not None and chosen not in loud:
        raise BadInput(
            f"{chosen} is not an item with sound in this comparison.",
            param="sound",
            hint=f"With sound: {', '.join(loud[:5])}." if loud else "All of its items are silent.",
        )
    if chosen is not None:
        return read_sound(files[chosen], SOUND_RATE, stereo=True)
    for name in loud:
        with suppress(BadInput):  # a damaged one is silent
            return read_sound(files[name], SOUND_RATE, stereo=True)
    return None


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
            f"A mosaic of {columns} columns and {rows} rows is too large; the maximum is {MAX_TILES} tiles and "
            f"{MAX_WIDTH // MIN_TILE} columns.",
            hint="Export the web page instead.",
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


def _opened(frames: Iterator[Frame], size: tuple[int, int], damaged: str) -> Iterator[Frame]:
    """The same once its file is open: deleted from then on, it can be read to its end. Breaking off, it says so."""
    return itertools.chain([next(frames)], _until_broken(frames, size, damaged))


def _until_broken(frames: Iterator[Frame], size: tuple[int, int], damaged: str) -> Iterator[Frame]:
    try:
        yield from frames
    except BadInput:
        tile = Image.new("RGB", size, TILE_GROUND)
        _say(ImageDraw.Draw(tile), (0, 0), damaged, size[0])
        yield np.array(tile, np.uint8)


def _damaged(item: LibraryItem) -> str:
    return f"{UNREADABLE}: {item.id}"


def _ground(comparison: Comparison, sheet: _Sheet, empty: Mapping[tuple[int, int], str]) -> Frame:
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
            _say(draw, (left, top), empty.get((row, column), ""), sheet.width)
    return np.array(image, np.uint8)


def _say(draw: ImageDraw.ImageDraw, corner: tuple[int, int], said: str, width: int) -> None:
    """Write on a tile why there is nothing to be seen."""
    font = _font(13)
    draw.text((corner[0] + 8, corner[1] + 8), _cut(said, font, width - 12), FAINT, font)


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
