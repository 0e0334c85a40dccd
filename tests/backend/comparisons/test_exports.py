"""What a comparison is taken along as: a table that no spreadsheet runs, a mosaic that waits for the longest."""

import asyncio
import csv
import io
import json
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import av
import numpy as np
import pytest

from backend.comparisons.exporting import Exporting, csv_of
from backend.comparisons.mosaic import write_mosaic
from backend.comparisons.service import ComparisonService
from backend.library.sheets import SheetService
from backend.media import MediaFacts, MediaStore, read_sound, write_clip
from sent_files import clip_bytes, picture_bytes
from studio.comparisons import Cell, Column, Comparison, Likeness
from studio.errors import BadInput, MediaNotFound
from studio.jobs import Failure
from studio.library import LibraryItem

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def item(name: str, **changes: Any) -> LibraryItem:
    said = {"id": name, "job_id": None, "kind": "upload", "type": "video", "mime": "video/mp4", "size_bytes": 1}
    said |= {"width": 96, "height": 160, "num_frames": 17, "fps": 12.0, "duration_s": 17 / 12, "created_at": NOW}
    return LibraryItem.model_validate({**said, "url": f"/v1/media/{name}", **changes})


def comparison(*cells: Cell) -> Comparison:
    return Comparison(
        id="0123456789ab",
        title="x",
        num_rows=1,
        num_columns=2,
        num_cells=0,
        num_done=0,
        created_at=NOW,
        rows=("=SUM(A1)",),
        columns=(
            Column(label="ground truth", role="reference"),
            Column(label="b", role="made", values={"adapter": {"name": "x"}}),
        ),
        cells=cells,
    )


def test_a_table_has_a_line_for_each_cell_and_holds_no_formula():
    refused = Failure(code="bad_input", message="too large", type="BadInput")
    like = Likeness.of({"psnr_db": 20.5, "ssim": 0.5}, "aligned by time: 9 frames at 12 fps")
    text = csv_of(
        comparison(
            Cell(row=0, column=0, item=item("u1", prompt="a, b\n c")),
            Cell(row=0, column=1, error=refused, likeness=like),
        )
    )

    shown, made = list(csv.DictReader(io.StringIO(text)))
    assert (shown["row"], shown["state"], shown["prompt"]) == ("'=SUM(A1)", "shown", "a, b\n c")
    assert (made["state"], made["error"], made["psnr_db"]) == ("refused", "too large", "20.5")
    assert made["adapter"] == '{"name": "x"}'


def test_a_mosaic_lasts_as_long_as_its_longest_clip_and_an_empty_tile_says_why(tmp_path: Path):
    files = {"u1": clip_bytes(num_frames=17, fps=12), "u2": clip_bytes(num_frames=48, fps=24)}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    long = item("u2", num_frames=48, fps=24.0, duration_s=2.0)

    write_mosaic(
        tmp_path / "out.mp4",
        comparison(Cell(row=0, column=0, item=item("u1")), Cell(row=0, column=1, item=long)),
        lambda name: tmp_path / name,
    )

    with av.open(str(tmp_path / "out.mp4")) as mosaic:
        frames = [frame.to_ndarray(format="rgb24") for frame in mosaic.decode(video=0)]
    assert len(frames) == 48
    left = [frame[:, : frame.shape[1] // 2].astype(int) for frame in (frames[-12], frames[-1])]
    assert abs(left[0] - left[1]).mean() < 2  # it has ended and stays


def test_what_is_gone_is_left_out_of_table_and_mosaic_and_that_is_said(tmp_path: Path):
    for name in ("u1", "u3"):
        (tmp_path / name).write_bytes(clip_bytes(num_frames=4, fps=12))
    reads = {"u3": tmp_path / "moved", "u1": tmp_path / "u1"}  # the one's file goes once its path is known
    grid = comparison(
        Cell(row=0, column=0, item=item("u2", missing=True)),
        Cell(row=0, column=1, item=item("u1", duration_s=4 / 12)),
        Cell(row=1, column=0),
        Cell(row=1, column=1, item=item("u3")),
    ).model_copy(update={"rows": ("a", "b")})

    rows = list(csv.DictReader(io.StringIO(csv_of(grid))))
    write_mosaic(tmp_path / "out.mp4", grid, lambda name: reads[name])

    assert [row["state"] for row in rows] == ["gone", "shown", "gone", "shown"]
    assert [row["error"] for row in rows] == ["its file was deleted", "", "its file was deleted", ""]
    with av.open(str(tmp_path / "out.mp4")) as mosaic:
        frame = next(mosaic.decode(video=0)).to_ndarray(format="rgb24")
    high, wide = frame.shape[0] // 2, frame.shape[1] // 2
    tiles = [frame[at:, left:][40 : high - 10, 6 : wide - 10] for at in (0, high) for left in (0, wide)]
    said = [tile[:30].max() for tile in (tiles[0], *tiles[2:])]
    assert min(said) > 100  # words
    assert [int(tile[40:].max()) > 100 for tile in tiles] == [False, True, False, False]


def torn(content: bytes) -> bytes:
    """A clip that breaks off at its middle."""
    return content[: len(content) // 2]


def spoiled(content: bytes) -> bytes:
    """A clip with all packets in their place, of which the last half cannot be decoded."""
    start = content.index(b"mdat") + 4
    length = int.from_bytes(content[start - 8 : start - 4], "big") - 8
    return content[: start + length // 2] + bytes(length - length // 2) + content[start + length :]


@pytest.mark.parametrize(
    ("damage", "kind", "begins"),
    [
        (torn, "video", False),
        (lambda _: b"\x00" * 500, "video", False),
        (spoiled, "video", True),
        (torn, "image", False),
    ],
    ids=["torn", "nonsense", "spoiled", "torn picture"],
)
def test_what_is_damaged_leaves_its_tile_to_words_and_the_rest_is_shown(
    tmp_path: Path, damage: Callable[[bytes], bytes], kind: str, begins: bool
):
    whole = clip_bytes(num_frames=24, fps=12)
    (tmp_path / "u1").write_bytes(damage(whole if kind == "video" else picture_bytes(96, 160)))
    (tmp_path / "u2").write_bytes(whole)
    long = {"num_frames": 24, "duration_s": 2.0}
    still = {"type": "image", "mime": "image/png", "num_frames": None, "fps": None, "duration_s": None}

    write_mosaic(
        tmp_path / "out.mp4",
        comparison(
            Cell(row=0, column=0, item=item("u1", **(long if kind == "video" else still))),
            Cell(row=0, column=1, item=item("u2", **long)),
        ),
        lambda name: tmp_path / name,
    )

    with av.open(str(tmp_path / "out.mp4")) as mosaic:
        frames = [frame.to_ndarray(format="rgb24") for frame in mosaic.decode(video=0)]
    assert len(frames) == 24
    wide = frames[0].shape[1] // 2
    first, last, beside = (
        int(frames[at][100:-10, left : left + wide - 12].max()) for at, left in ((0, 6), (-1, 6), (-1, 6 + wide))
    )
    assert (first > 100, last > 100, beside > 100) == (begins, False, True)
    assert frames[-1][46:66, 6 : wide - 6].max() > 100  # words


def test_a_comparison_of_which_nothing_can_be_read_says_so(tmp_path: Path):
    (tmp_path / "u1").write_bytes(torn(clip_bytes(num_frames=4, fps=12)))

    with pytest.raises(BadInput, match="No file of this comparison can be read"):
        write_mosaic(
            tmp_path / "out.mp4", comparison(Cell(row=0, column=0, item=item("u1"))), lambda name: tmp_path / name
        )


def test_a_comparison_that_has_lost_everything_says_so(tmp_path: Path):
    with pytest.raises(BadInput, match="All files of this comparison were deleted"):
        write_mosaic(tmp_path / "out.mp4", comparison(Cell(row=0, column=0, item=item("u1", missing=True))), Path)


def test_a_page_is_packed_without_what_is_gone_and_leads_to_no_server(tmp_path: Path):
    store = MediaStore(tmp_path / "media")
    here, gone, damaged = (store.put_upload(io.BytesIO(clip_bytes(frames, 12))).id for frames in (3, 4, 5))
    store.thumbnail(here).unlink()
    store.thumbnail(damaged).unlink()
    store.file(gone).unlink()
    store.file(damaged).write_bytes(torn(clip_bytes(5, 12)))
    whole = {
        "thumbnail_url": "/v1/media/x/thumbnail",
        "spritesheet_url": "/v1/media/x/spritesheet",
    }
    cells = [
        Cell(row=0, column=at % 2, item=item(name, **whole), actions_url="/v1/x")
        for at, name in enumerate((here, gone, damaged))
    ]
    said: list[dict[str, Any]] = []

    async def get(_: str) -> Comparison:
        return comparison(*cells)

    sheets = SheetService(store)
    exporting = Exporting(
        cast("ComparisonService", SimpleNamespace(get=get)),
        store,
        sheets,
        tmp_path,
        lambda title, page: said.append(page) or title,
    )
    path = asyncio.run(exporting.export("0123456789ab", "zip"))
    sheets.close()

    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
    sheet = f"media/{here}-sheet.webp"
    assert names == {"index.html", "cells.csv", f"media/{here}.mp4", sheet, f"media/{damaged}.mp4"}
    assert "/v1/" not in json.dumps(said)
    packed, lost, _ = (cell["item"] for cell in said[0]["cells"])
    assert (packed["missing"], packed["url"], packed["thumbnail_url"]) == (False, f"media/{here}.mp4", None)
    assert (lost["missing"], lost["url"]) == (True, "")


def test_a_clip_that_goes_while_its_sheet_is_drawn_is_not_found(tmp_path: Path):
    store = MediaStore(tmp_path)
    name = store.put_upload(io.BytesIO(clip_bytes(3, 12))).id
    read = store.facts

    def facts(found: str) -> MediaFacts:
        known = read(found)
        store.file(found).unlink(missing_ok=True)
        return known

    store.facts = facts  # type: ignore[method-assign]
    sheets = SheetService(store)
    with pytest.raises(MediaNotFound):
        asyncio.run(sheets.sheet(name))
    sheets.close()


def clip_with_tone(path: Path, hertz: float, duration_s: float) -> None:
    times = np.arange(round(duration_s * 48_000)) / 48_000
    tone = np.float32(0.4) * np.sin(2 * np.pi * hertz * times).astype(np.float32)
    frames = np.zeros((round(duration_s * 12), 160, 96, 3), np.uint8)
    write_clip(path, frames, fps=12, sound=np.stack([tone, tone]))


def test_a_clip_whose_sound_is_damaged_is_silent_and_the_next_is_heard(tmp_path: Path):
    clip_with_tone(tmp_path / "u1", 440, 1.0)
    (tmp_path / "u1").write_bytes(torn((tmp_path / "u1").read_bytes()))
    clip_with_tone(tmp_path / "u2", 1000, 1.0)
    said = {"num_frames": 12, "duration_s": 1.0, "has_sound": True}
    grid = comparison(
        Cell(row=0, column=0, item=item("u1", **said)),
        Cell(row=0, column=1, item=item("u2", **said)),
    )

    write_mosaic(tmp_path / "out.mp4", grid, lambda name: tmp_path / name)

    loud = read_sound(tmp_path / "out.mp4", 48_000)[0, 4_000:44_000]
    assert np.abs(np.fft.rfft(loud)).argmax() * 48_000 / len(loud) == pytest.approx(1000, abs=5)
    with pytest.raises(BadInput, match="u1 is not an item with sound"):
        write_mosaic(tmp_path / "out.mp4", grid, lambda name: tmp_path / name, "u1")


@pytest.mark.parametrize(("chosen", "hertz"), [(None, 440), ("u3", 1000)])
def test_a_mosaic_sounds_like_the_clip_that_was_chosen_or_the_first_with_sound(
    tmp_path: Path, chosen: str | None, hertz: float
):
    (tmp_path / "u1").write_bytes(clip_bytes(num_frames=24, fps=12))
    clip_with_tone(tmp_path / "u2", 440, 1.0)
    clip_with_tone(tmp_path / "u3", 1000, 1.0)
    grid = comparison(
        Cell(row=0, column=1, item=item("u2", num_frames=12, duration_s=1.0, has_sound=True)),
        Cell(row=0, column=0, item=item("u1", num_frames=24, duration_s=2.0)),
        Cell(row=1, column=0, item=item("u3", num_frames=12, duration_s=1.0, has_sound=True)),
    ).model_copy(update={"rows": ("a", "b")})

    write_mosaic(tmp_path / "out.mp4", grid, lambda name: tmp_path / name, chosen)

    heard = read_sound(tmp_path / "out.mp4", 48_000)
    assert heard.shape[1] == pytest.approx(2 * 48_000, abs=2048)  # as long as the longest clip
    loud = heard[0, 4_000:44_000]
    assert np.abs(np.fft.rfft(loud)).argmax() * 48_000 / len(loud) == pytest.approx(hertz, abs=5)
    assert np.abs(heard[:, 60_000:]).max() < 0.01  # it has ended
    with pytest.raises(BadInput, match="u1 is not an item with sound") as refused:
        write_mosaic(tmp_path / "out.mp4", grid, lambda name: tmp_path / name, "u1")
    assert refused.value.hint == "With sound: u2, u3."


def test_nothing_to_see_and_too_much_to_see_are_refused(tmp_path: Path):
    with pytest.raises(BadInput, match="No cell of this comparison is done yet"):
        write_mosaic(tmp_path / "out.mp4", comparison(), Path)
    wide = comparison(Cell(row=0, column=0, item=item("u1")))
    wide = wide.model_copy(update={"columns": wide.columns * 30})
    with pytest.raises(BadInput, match="mosaic of 60 columns"):
        write_mosaic(tmp_path / "out.mp4", wide, Path)
