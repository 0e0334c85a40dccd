"""Data sets as folders: those that were uploaded, those of the server's own root, and the robot's recordings."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path, PurePosixPath

from backend.media import DECODERS, inspect_upload
from backend.media.scratch import keep, scratch, typed_disk_errors
from studio.captions import VideoFacts
from studio.captions.training_data import LISTING, list_clips
from studio.data_folder import DataFolder
from studio.datasets import (
    MADE_HERE,
    Captioning,
    DatasetInfo,
    DatasetList,
    DatasetPlace,
    KeptFile,
    clips_of,
    describe,
    has_caption,
)
from studio.errors import BadInput, Conflict, DatasetNotFound
from studio.requests import nearest, shown

RECORDINGS = "recordings"
"""Name of the data set that the robot beside the server records."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MAX_PATH_CHARACTERS = 512


class DatasetFolder:
    """Data sets by name; where they lie is nobody's business on the other side of a socket.

    Args:
        root: of large ones that are on the machine already; it is only read.
        changed: called after every change.

    Attributes:
        captioning: how far captions are, by data set; told by whoever writes them.
    """

    def __init__(self, folder: DataFolder, root: Path | None, changed: Callable[[], None]) -> None:
        self._own = folder.datasets
        self._recordings = folder.recordings
        self._root = root
        self.changed = changed
        self.captioning: dict[str, Captioning] = {}

    async def listing(self) -> DatasetList:
        """Every data set, by name."""
        return await asyncio.to_thread(self._listing)

    async def get(self, name: str) -> DatasetInfo:
        """One of them. Raises DatasetNotFound."""
        place, folder = self._find(name)
        return await asyncio.to_thread(self._described, folder, name, place)

    async def own(self, name: str) -> Path:
        """The folder of one that may be written to, which is made where there is none. Raises Conflict."""
        self._refuse_read_only(name)
        folder = self._own / name
        with typed_disk_errors(self._own):
            folder.mkdir(parents=True, exist_ok=True)
        return folder

    async def put(self, name: str, path: str, chunks: AsyncIterator[bytes]) -> KeptFile:
        """Keep a file exactly as it comes; an older one of the path is replaced.

        Args:
            name: of the data set, which is made with its first file.
            path: of the file in it.
            chunks: its bytes.

        Raises:
            BadInput: the name or the path is none.
            Conflict: the data set is one that is only read.
            DiskFull, StorageError: it does not go in; then nothing of it does.
        """
        if not NAME.fullmatch(name):
            raise BadInput(f"name is {shown(name)}; expected letters, digits, dots and hyphens.", param="name")
        self._refuse_read_only(name)
        target = self._own / name / _path_of(path)
        with scratch(self._own / ".incoming") as (part,):
            with part.open("wb") as file:
                async for chunk in chunks:
                    await asyncio.to_thread(file.write, chunk)
            size_bytes = part.stat().st_size
            _refuse_links(target, self._own)
            _make_folder(target.parent)
            await asyncio.to_thread(keep, (part, target))
        self.changed()
        return KeptFile(path=path, size_bytes=size_bytes)

    async def remove(self, name: str) -> None:
        """Delete a data set that was uploaded. Raises DatasetNotFound, Conflict, StorageError."""
        self._find(name)
        self._refuse_read_only(name)
        with typed_disk_errors(self._own):
            await asyncio.to_thread(shutil.rmtree, self._own / name)
        self.captioning.pop(name, None)
        self.changed()

    def where(self, name: str) -> Path:
        """The folder of a data set as it is. Raises DatasetNotFound."""
        return self._find(name)[1]

    async def ready(self, name: str) -> Path:
        """The folder of a data set, as a trainer can read it.

        Clips with captions beside them get their list, which is written anew each time.

        Raises:
            DatasetNotFound: there is none of this name.
            BadInput: it has no known layout, no clip of it has a caption, or a link in it leads out of it.
            DiskFull, StorageError: the list cannot be written.
        """
        place, folder = self._find(name)
        info = await asyncio.to_thread(describe, folder, name, place)
        await asyncio.to_thread(refuse_links_in, folder)
        if info.layout == "unknown":
            raise BadInput(f"The data set {name} cannot be trained on.", param="data", hint=info.note)
        if info.layout == "clips":
            await self._list_clips(folder, info)
        return folder

    async def _list_clips(self, folder: Path, info: DatasetInfo) -> None:
        if info.num_uncaptioned == info.num_clips:
            raise BadInput(f"No video of {info.name} has a caption.", param="data", hint=info.note)
        if info.place != "uploaded":
            raise BadInput(
                f"{info.name} has no {LISTING}, and the server does not write there.",
                param="data",
                hint=f"Lay its videos out where it does: on Tune, or POST /v1/datasets/{info.name}/captions.",
            )
        captioned = sorted(clip for clip in clips_of(folder) if has_caption(clip))
        (folder / MADE_HERE).touch()
        await list_clips(captioned, folder / LISTING, probe=probe)

    def _listing(self) -> DatasetList:
        found = [self._described(folder, name, place) for name, (place, folder) in sorted(self._places().items())]
        return DatasetList(datasets=tuple(found))

    def _described(self, folder: Path, name: str, place: DatasetPlace) -> DatasetInfo:
        return describe(folder, name, place).model_copy(update={"captioning": self.captioning.get(name)})

    def _find(self, name: str) -> tuple[DatasetPlace, Path]:
        places = self._places()
        if name not in places:
            raise DatasetNotFound(
                f"There is no data set {shown(name)}.", param="data", hint=nearest(name, places) if places else ""
            )
        return places[name]

    def _places(self) -> dict[str, tuple[DatasetPlace, Path]]:
        """By name; of two with one name the uploaded one."""
        found: dict[str, tuple[DatasetPlace, Path]] = {}
        if (self._recordings / "meta" / "info.json").is_file():
            found[RECORDINGS] = "recordings", self._recordings
        roots: tuple[tuple[DatasetPlace, Path | None], ...] = (("server", self._root), ("uploaded", self._own))
        for place, root in roots:
            if root is None or not root.is_dir():
                continue
            for folder in root.iterdir():
                if NAME.fullmatch(folder.name) and folder.is_dir() and _is_within(folder, root):
                    found[folder.name] = place, folder
        return found

    def _refuse_read_only(self, name: str) -> None:
        place, _ = self._places().get(name, ("uploaded", None))
        if place != "uploaded" or name == RECORDINGS:
            raise Conflict(f"The data set {name} is only read.", param="name", hint="Use another name.")


async def probe(path: Path) -> VideoFacts:
    """Facts of a clip. Raises BadInput: it is none."""
    facts = await DECODERS.beside(lambda: inspect_upload(path))
    if facts.type != "video" or not facts.num_frames or not facts.fps:
        raise BadInput(f"{path.name} is not a video.", param="data")
    return VideoFacts(
        width=facts.width,
        height=facts.height,
        duration_s=facts.duration_s or facts.num_frames / facts.fps,
        fps=facts.fps,
        num_frames=facts.num_frames,
    )


def _path_of(said: str) -> PurePosixPath:
    """A path below a data set. Raises BadInput."""
    parts = said.split("/")
    fine = all(part and part.isprintable() and not part.startswith(".") and "\\" not in part for part in parts)
    if not fine or len(said) > MAX_PATH_CHARACTERS or any(len(part.encode()) > 200 for part in parts):
        raise BadInput(
            f"path is {shown(said)}; expected file and folder names that do not start with a dot.", param="path"
        )
    return PurePosixPath(said)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise BadInput(f"{folder.name} is a file of the data set; it cannot be a folder too.", param="path") from None
    except NotADirectoryError:
        raise BadInput("A part of the path is a file of the data set.", param="path") from None


def _is_within(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root.resolve())


def _refuse_links(target: Path, root: Path) -> None:
    if not _is_within(target, root) or target.is_dir():
        raise BadInput(f"{target.name} is a folder or a link; expected the path of a file.", param="path")


def refuse_links_in(folder: Path) -> None:
    """Raises BadInput: a symbolic link leads out of the data set's root."""
    for path in folder.rglob("*"):
        if path.is_symlink() and not _is_within(path, folder.parent):
            raise BadInput(
                f"{path.relative_to(folder)} is a link that leads out of the data sets' folder.",
                param="data",
                hint="Put the file there instead.",
            )
