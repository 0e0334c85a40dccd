"""Data sets as files that are sent: kept as they come, told apart by layout, and readable for a trainer."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.tuning.datasets import DatasetFolder
from sent_files import clip_bytes
from studio.captions.training_data import LISTING
from studio.data_folder import DataFolder
from studio.errors import BadInput, Conflict, DatasetNotFound

MESSAGES = b'{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]}'


async def pieces(content: bytes) -> AsyncIterator[bytes]:
    yield content[: len(content) // 2]
    yield content[len(content) // 2 :]


def folder_in(tmp_path: Path, root: Path | None = None) -> DatasetFolder:
    return DatasetFolder(DataFolder(tmp_path / "data"), root, lambda: None)


def send(sets: DatasetFolder, name: str, **files: bytes) -> None:
    async def act() -> None:
        for path, content in files.items():
            await sets.put(name, path, pieces(content))

    asyncio.run(act())


def test_files_are_kept_as_they_come(tmp_path: Path):
    sets = folder_in(tmp_path)
    send(sets, "cups", **{"videos/a.mp4": clip_bytes(), "videos/a.txt": b"A cup.", "videos/b.mp4": clip_bytes()})
    assert (tmp_path / "data/datasets/cups/videos/a.mp4").read_bytes() == clip_bytes()
    [info] = asyncio.run(sets.listing()).datasets
    assert (info.name, info.layout, info.tasks, info.num_files) == ("cups", "clips", ("generator",), 3)
    assert (info.num_clips, info.num_uncaptioned) == (2, 1)
    assert "use the files' names" in info.note
    assert not list((tmp_path / "data/datasets/.incoming").iterdir())


def test_captions_beside_clips_become_the_list_that_is_trained_on(tmp_path: Path):
    sets = folder_in(tmp_path)
    caption = json.dumps({"temporal_caption": "A cup falls."}).encode()
    send(sets, "cups", **{"a.mp4": clip_bytes(), "a.json": caption, "b.mp4": clip_bytes(), "b.txt": b"A cup stands."})
    folder = asyncio.run(sets.ready("cups"))
    rows = [json.loads(line) for line in (folder / LISTING).read_text().splitlines()]
    assert [row["vision_path"] for row in rows] == ["a.mp4", "b.mp4"]
    assert rows[0]["t2w_windows"][0]["caption_json"] == {"temporal_caption": "A cup falls."}
    assert rows[1]["t2w_windows"][0]["caption"] == "A cup stands."
    written_at = (folder / LISTING).stat().st_mtime_ns
    asyncio.run(sets.ready("cups"))  # which a trainer may be reading
    assert (folder / LISTING).stat().st_mtime_ns == written_at
    send(sets, "cups", **{"c.mp4": clip_bytes(), "c.txt": b"Another."})
    assert len((asyncio.run(sets.ready("cups")) / LISTING).read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("files", "layout"),
    [
        ({"train/video_dataset_file.jsonl": b"{}"}, "clips_listed"),
        ({"rows.jsonl": MESSAGES}, "messages"),
        ({"meta.json": b'[{"video": "a.mp4", "conversations": [{"from": "human", "value": "x"}]}]'}, "llava"),
        ({"videos/1.mp4": b"x", "metas/1.label.json": b"{}"}, "labels"),
        ({"meta/info.json": b"{}"}, "lerobot"),
        ({"all.json": b"[\n  " + MESSAGES + b", " + MESSAGES * 20_000 + b"]"}, "messages"),  # over a megabyte
        ({"notes.txt": b"x"}, "unknown"),
        ({"train.jsonl": MESSAGES, "val.jsonl": MESSAGES}, "unknown"),  # which of the two nobody has said
        ({"part/train.jsonl": MESSAGES}, "unknown"),
        ({"part/meta.json": b"[]"}, "unknown"),
    ],
)
def test_layouts_are_told_apart(tmp_path: Path, files: dict[str, bytes], layout: str):
    sets = folder_in(tmp_path)
    send(sets, "one", **files)
    assert asyncio.run(sets.get("one")).layout == layout


def test_what_cannot_be_trained_on_says_what_is_expected(tmp_path: Path):
    sets = folder_in(tmp_path)
    send(sets, "none", **{"a.mp4": clip_bytes()})
    send(sets, "odd", **{"a.bin": b"x"})
    with pytest.raises(BadInput, match="No video of none has a caption"):
        asyncio.run(sets.ready("none"))
    with pytest.raises(BadInput, match="cannot be trained on"):
        asyncio.run(sets.ready("odd"))
    with pytest.raises(DatasetNotFound, match="none"):
        asyncio.run(sets.ready("nine"))


@pytest.mark.parametrize("path", ["../a.mp4", "a/../b", "/etc/passwd", ".hidden", "a//b", "a\\b", "a\nb", "x" * 300])
def test_a_path_that_leads_elsewhere_is_refused(tmp_path: Path, path: str):
    with pytest.raises(BadInput):
        send(folder_in(tmp_path), "one", **{path: b"x"})


def test_the_servers_own_data_sets_are_only_read_and_links_out_of_them_refused(tmp_path: Path):
    root = tmp_path / "large"
    (root / "bridge").mkdir(parents=True)
    (root / "bridge" / LISTING).write_text("{}")
    (tmp_path / "secret").mkdir()
    (root / "away").symlink_to(tmp_path / "secret")
    sets = folder_in(tmp_path, root)
    assert [(one.name, one.place) for one in asyncio.run(sets.listing()).datasets] == [("bridge", "server")]
    with pytest.raises(Conflict, match="only read"):
        send(sets, "bridge", **{"a.txt": b"x"})
    with pytest.raises(Conflict, match="only read"):
        asyncio.run(sets.remove("bridge"))
    (root / "bridge" / "a.mp4").symlink_to(tmp_path / "secret")
    with pytest.raises(BadInput, match="leads out"):
        asyncio.run(sets.ready("bridge"))


def test_recordings_of_the_robot_are_a_data_set(tmp_path: Path):
    recorded = tmp_path / "data/recordings/meta"
    recorded.mkdir(parents=True)
    (recorded / "info.json").write_text("{}")
    [info] = asyncio.run(folder_in(tmp_path).listing()).datasets
    assert (info.name, info.place, info.layout, info.tasks) == ("recordings", "recordings", "lerobot", ("policy",))
