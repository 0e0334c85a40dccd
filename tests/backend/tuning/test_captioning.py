"""Captions for bare videos: by a reasoner, by their names, and where their own folder is only read."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from backend.tuning.captioning import DatasetCaptions, words_of
from backend.tuning.datasets import DatasetFolder
from sent_files import clip_bytes
from studio.captions.training_data import LISTING
from studio.data_folder import DataFolder
from studio.datasets import CaptionDataset, Captioning
from studio.errors import BadInput, Conflict, EngineError, ServerUnreachable
from studio.prompting import VideoUrl


class Reasoners:
    """Whoever is asked; `fault` is raised for videos of the name `b`."""

    def __init__(self) -> None:
        self.fault: Exception | None = None
        self.asked: list[tuple[str, str | None]] = []
        self.gate: asyncio.Event | None = None

    def check(self, name: str, param: str) -> None:
        if name != "pocket":
            raise BadInput(f"There is no reasoner {name}.", param=param)

    @asynccontextmanager
    async def asking(self, name: str, files: Mapping[str, Path], *, patient: bool, adapter: Any) -> AsyncGenerator[Any]:
        [clip] = files.values()
        if self.gate is not None:
            await self.gate.wait()
        if self.fault is not None and clip.stem == "b":
            raise self.fault
        self.asked.append((clip.stem, adapter and adapter.name))
        yield SimpleNamespace(ask=None, parts=(VideoUrl(url="media:u0000000000000000"),))


class Captioner:
    """In place of the one that asks twice and checks what it is told."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    async def caption(self, *_: Any) -> Any:
        return SimpleNamespace(caption=SimpleNamespace(model_dump=lambda **_: {"temporal_caption": "A cup falls."}))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root" / "bridge" / "videos"
    folder.mkdir(parents=True)
    for name in ("a", "b"):
        (folder / f"{name}.mp4").write_bytes(clip_bytes())
    return tmp_path / "root"


@pytest.fixture
def sets(tmp_path: Path, root: Path) -> DatasetFolder:
    return DatasetFolder(DataFolder(tmp_path / "data"), root, lambda: None)


@pytest.fixture
def reasoners(monkeypatch: pytest.MonkeyPatch) -> Reasoners:
    monkeypatch.setattr("backend.tuning.captioning.Captioner", Captioner)
    return Reasoners()


async def written(sets: DatasetFolder, reasoners: Any, name: str = "bridge", **asked: Any) -> Captioning | None:
    """What is told once everything is written."""
    captions = DatasetCaptions(sets, reasoners, lambda: "pocket")
    info = await captions.start(name, CaptionDataset(**asked))
    if task := captions._live.get(info.name):
        await task
    return (await sets.get(info.name)).captioning


def listed(folder: Path) -> list[Any]:
    rows = [json.loads(line) for line in (folder / LISTING).read_text().splitlines()]
    windows = [row["t2w_windows"][0] for row in rows]
    return [window.get("caption_json") or window["caption"] for window in windows]


def test_videos_that_are_only_read_are_laid_out_again_and_captioned(
    sets: DatasetFolder, reasoners: Reasoners, root: Path
):
    told = asyncio.run(written(sets, reasoners, by="reasoner", adapter="grasp@100"))

    assert told == Captioning(total=2, done=2, is_open=False)
    assert sorted(reasoners.asked) == [("a", "grasp@100"), ("b", "grasp@100")]
    folder = asyncio.run(sets.ready("bridge-captioned"))
    assert listed(folder) == [{"temporal_caption": "A cup falls."}] * 2
    assert (folder / "videos/a.mp4").samefile(root / "bridge/videos/a.mp4")
    assert sorted(path.name for path in root.rglob("*.*")) == ["a.mp4", "b.mp4"]


def test_names_are_captions_where_a_person_says_so_and_others_stay(
    sets: DatasetFolder, reasoners: Reasoners, root: Path
):
    (root / "bridge/videos/a.txt").write_text("A red cup.")
    (root / "bridge/videos/b.mp4").rename(root / "bridge/videos/blue-cup_falls 02.mp4")

    assert asyncio.run(written(sets, reasoners, by="names", into="cups")) is None

    assert listed(asyncio.run(sets.ready("cups"))) == ["A red cup.", "blue cup falls 02"]
    assert words_of(Path("___.mp4")) == "___"


def test_a_video_that_gets_no_caption_is_counted_and_tried_again(sets: DatasetFolder, reasoners: Reasoners):
    reasoners.fault = EngineError("The answer could not be used.")
    told = asyncio.run(written(sets, reasoners, by="reasoner"))
    assert told is not None
    assert (told.done, told.failed, told.is_open) == (2, 1, False)
    assert "b.mp4: The answer could not be used." in told.reason

    reasoners.fault = None
    again = asyncio.run(written(sets, reasoners, "bridge-captioned", by="reasoner"))
    assert again == Captioning(total=1, done=1, is_open=False)


def test_where_nobody_answers_it_ends_and_says_why(sets: DatasetFolder, reasoners: Reasoners):
    reasoners.fault = ServerUnreachable("Nobody answers.")
    told = asyncio.run(written(sets, reasoners, by="reasoner"))
    assert told is not None
    assert (told.is_open, told.reason) == (False, "Nobody answers.")


def test_it_is_stopped_and_is_not_begun_twice(sets: DatasetFolder, reasoners: Any):
    async def act() -> None:
        reasoners.gate = asyncio.Event()
        captions = DatasetCaptions(sets, reasoners, lambda: "pocket")
        info = await captions.start("bridge", CaptionDataset(by="reasoner"))
        assert info.captioning == Captioning(total=2)
        with pytest.raises(Conflict, match="are being written"):
            await captions.start("bridge", CaptionDataset(by="reasoner"))
        stopped = await captions.stop(info.name)
        assert stopped.captioning == Captioning(total=2, is_open=False)

    asyncio.run(act())


@pytest.mark.parametrize(
    ("asked", "error"),
    [({"by": "reasoner", "reasoner": "nobody"}, BadInput), ({"by": "names", "into": "bridge"}, Conflict)],
)
def test_what_cannot_be_is_refused(sets: DatasetFolder, reasoners: Reasoners, asked: Any, error: type[Exception]):
    with pytest.raises(error):
        asyncio.run(written(sets, reasoners, **asked))


def test_no_link_out_of_the_data_set_is_followed(sets: DatasetFolder, reasoners: Reasoners, root: Path, tmp_path: Path):
    (tmp_path / "secret.mp4").write_bytes(clip_bytes())
    (root / "bridge/videos/c.mp4").symlink_to(tmp_path / "secret.mp4")
    with pytest.raises(BadInput, match="leads out"):
        asyncio.run(written(sets, reasoners, by="names"))
