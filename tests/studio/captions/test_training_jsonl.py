from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from studio.captions import VideoFacts
from studio.captions.training_data import captions_to_jsonl, summary_path
from studio.errors import BadInput

pytestmark = pytest.mark.anyio

FRAMES = {"short": 60, "long": 610, "good": 87, "dense": 61, "json": 93}


async def probe(path: Path) -> VideoFacts:
    if path.stem == "broken":
        raise BadInput("It is no clip.")
    num_frames = FRAMES[path.stem]
    return VideoFacts(width=256, height=192, duration_s=num_frames / 5, fps=5, num_frames=num_frames)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A training split with a clip for every fate."""
    (tmp_path / "videos").mkdir()
    for name in ("short", "long", "good", "dense", "json", "broken", "empty", "unread"):
        (tmp_path / "videos" / f"{name}.mp4").touch()
    structured = {"subjects": [], "temporal_caption": "An arm moves.", "fps": 5, "unknown": "中\ud800"}
    for name in ("short", "long", "good", "dense", "json", "broken", "empty", "unread", "lost"):
        folder = tmp_path / "captions" / name
        folder.mkdir(parents=True)
        if name not in ("dense", "empty", "unread"):
            (folder / "caption.json").write_text(json.dumps(structured))
        if name not in ("json", "unread"):
            (folder / "caption.txt").write_text("" if name == "empty" else "An arm moves a cup.\n")
        if name in ("unread", "dense"):
            (folder / "caption.json").write_text('{"subjects": NaN}')
    (tmp_path / "captions" / "notes.md").touch()
    return tmp_path


async def convert(data: Path, **rest: Any) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    output = data / "out" / "train.jsonl"
    await captions_to_jsonl(data / "captions", data / "videos", output, probe=probe, **rest)
    records = [json.loads(line) for line in output.read_text().splitlines()]
    return {record["uuid"]: record for record in records}, json.loads(summary_path(output).read_text())


async def test_a_line_holds_both_captions_and_the_clip(data: Path):
    records, _ = await convert(data)

    assert list(records) == ["dense", "good", "json"]
    good = records["good"]
    window = good.pop("t2w_windows")[0]
    assert good == {
        "uuid": "good",
        "duration": 17.4,
        "width": 256,
        "height": 192,
        "vision_path": "../videos/good.mp4",
    }
    assert (window["start_frame"], window["end_frame"], window["temporal_interval"]) == (0, 86, 1)
    assert window["caption_json"]["unknown"] == "中\ud800"
    assert window["caption"] == "An arm moves a cup."


async def test_each_caption_stands_in_for_the_other(data: Path):
    records, _ = await convert(data)

    assert "caption_json" not in records["dense"]["t2w_windows"][0]
    assert records["json"]["t2w_windows"][0]["caption"] == "An arm moves."


async def test_the_summary_counts_kept_and_dropped(data: Path):
    _, summary = await convert(data)

    assert summary["records_kept"] == 3
    assert summary["records_with_caption_json"] == 2
    assert summary["records_dropped"] == 6
    assert summary["drops_by_reason"] == {
        "unreadable_video": 1,
        "empty_caption": 1,
        "duration_too_long": 1,
        "missing_video": 1,
        "too_few_frames": 1,
        "unreadable_caption": 1,
    }
    assert {drop["name"]: drop["reason"] for drop in summary["dropped"]}["short"] == "too_few_frames"
    assert summary["filters"] == {"max_duration_s": 61.0, "min_window_frames": 61, "num_video_frames": -1}


async def test_the_recipe_raises_the_least_number_of_frames(data: Path):
    records, summary = await convert(data, num_video_frames=93)

    assert list(records) == ["json"]
    assert summary["filters"]["min_window_frames"] == 93


async def test_missing_folders_are_named(tmp_path: Path):
    (tmp_path / "captions").mkdir()
    for captions, videos in (("no", "captions"), ("captions", "no"), ("captions", "captions")):
        with pytest.raises(BadInput):
            await captions_to_jsonl(tmp_path / captions, tmp_path / videos, tmp_path / "o.jsonl", probe=probe)

    assert not (tmp_path / "o.jsonl").exists()
