"""Clips that are to be captioned, and the three files of a captioned clip: `caption.json`, `caption.txt` and
`sample_args.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

from studio.captions.caption import VideoCaption
from studio.errors import BadInput, StorageError
from studio.requests import Frozen, shown
from studio.saving import save_whole

VIDEO_SUFFIXES = (".mp4", ".mov", ".avi", ".mkv", ".webm")
MAX_MANIFEST_BYTES = 256 * 1024 * 1024

_FILE_NAME = re.compile(r"[^\x00-\x1f/\\.][^\x00-\x1f/\\]{0,199}")
"""A name of one folder below the output: no separators, and no leading dot."""


class WorkItem(Frozen):
    """One clip.

    Attributes:
        name: of the folder that its caption goes to.
        video: path of the file.
    """

    name: str
    video: Path


def read_work(*, video: Path | None = None, manifest: Path | None = None) -> tuple[WorkItem, ...]:
    """The clips of a file or a folder, or those of a JSONL manifest, whose lines have a `vision_path`.

    A line may have a `name`; without one the file's name is taken. Relative paths start at the manifest's folder.
    Whether a listed file is there turns out when it is captioned.

    Raises:
        BadInput: both or neither is given, nothing is found, a line is wrong, or two clips share a name.
    """
    if (video is None) == (manifest is None):
        raise BadInput("Both a video and a manifest were given.", param="video", hint="Give only one of them.")
    items = _of_manifest(manifest) if manifest is not None else _of_path(cast(Path, video))
    if not items:
        raise BadInput(
            f"{manifest or video} has no videos.",
            param="video" if manifest is None else "manifest",
            hint=f"Videos are {', '.join(VIDEO_SUFFIXES)} files.",
        )
    seen: dict[str, Path] = {}
    for item in items:
        if item.name in seen:
            raise BadInput(
                f"{seen[item.name]} and {item.video} would both get the name {shown(item.name)}.",
                hint="Rename a file, or set name in the manifest.",
            )
        seen[item.name] = item.video
    return tuple(items)


def _of_path(path: Path) -> list[WorkItem]:
    if path.is_dir():
        files = sorted(entry for entry in path.iterdir() if entry.suffix.lower() in VIDEO_SUFFIXES and entry.is_file())
        return [WorkItem(name=entry.stem, video=entry) for entry in files]
    if not path.is_file():
        raise BadInput(f"{path} is neither a file nor a folder.", param="video")
    return [WorkItem(name=path.stem, video=path)]


def _of_manifest(path: Path) -> list[WorkItem]:
    try:
        if path.stat().st_size > MAX_MANIFEST_BYTES:
            raise BadInput(f"{path} is larger than {MAX_MANIFEST_BYTES:,} bytes.", param="manifest", hint="Split it.")
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.", param="manifest") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not UTF-8 text.", param="manifest") from None
    return [
        _of_line(line, f"{path}, line {number}", path.parent) for number, line in enumerate(lines, 1) if line.strip()
    ]


def _of_line(line: str, where: str, folder: Path) -> WorkItem:
    try:
        entry: Any = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict):
        raise BadInput(
            f"{where} is not a JSON object.", param="manifest", hint='For example: {"vision_path": "videos/a.mp4"}'
        )
    fields = cast(dict[str, Any], entry)
    vision_path = fields.get("vision_path")
    if not isinstance(vision_path, str) or not vision_path or "\0" in vision_path:
        raise BadInput(
            f"{where} has no vision_path.", param="manifest", hint='For example: {"vision_path": "videos/a.mp4"}'
        )
    if "://" in vision_path:
        raise BadInput(f"{where} names {shown(vision_path)}; expected a file on this machine.", param="manifest")
    name = fields.get("name", Path(vision_path).stem)
    if not isinstance(name, str) or not _FILE_NAME.fullmatch(name):
        raise BadInput(
            f"{where} has the name {shown(name)}, which is not a valid folder name.",
            param="manifest",
            hint="Remove slashes and leading dots.",
        )
    return WorkItem(name=name, video=folder / vision_path)


CAPTION, NARRATIVE, SAMPLE = "caption.json", "caption.txt", "sample_args.json"
MAX_JSON_BYTES = 16 * 1024 * 1024


class NotJson(ValueError):  # noqa: N818 - named by what happened, like the errors of studio.errors
    """A file that should hold a JSON object does not; the message says why."""


def is_finished(folder: Path) -> bool:
    """Whether a clip's caption is complete; `sample_args.json` is written last."""
    return all((folder / name).is_file() for name in (CAPTION, NARRATIVE, SAMPLE))


async def write_caption(output: Path, item: WorkItem, caption: VideoCaption) -> Path:
    """Write a clip's three files, each whole or not at all, and answer with their folder.

    `caption.json` holds the structured caption with the narrative as its `temporal_caption`, `caption.txt` that
    narrative alone, `sample_args.json` what inference takes for the clip: name, prompt, vision_path and output_dir.

    Raises:
        StorageError: they cannot be written there; DiskFull, when that is why.
    """
    folder = output / item.name
    fields = caption.model_dump(mode="json", exclude_unset=True)
    sample = {
        "name": item.name,
        "prompt": caption.temporal_caption,
        "vision_path": str(item.video.absolute()),
        "output_dir": str(folder.absolute()),
    }
    make_folder(folder)
    await write_text(folder / CAPTION, json.dumps(fields, indent=2, ensure_ascii=False) + "\n")
    await write_text(folder / NARRATIVE, caption.temporal_caption + "\n")
    await write_text(folder / SAMPLE, json.dumps(sample, indent=2) + "\n")
    return folder


def make_folder(folder: Path) -> None:
    """Make a folder of the output, and those above it. Raises StorageError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{folder} cannot be created: {error.strerror or error}.", param="output") from None


async def write_text(path: Path, text: str) -> None:
    """Write a text in UTF-8, whole or not at all. Raises DiskFull and StorageError."""

    async def chunks() -> AsyncIterator[bytes]:
        yield text.encode()

    await save_whole(path, chunks())


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object that a file holds.

    Raises:
        NotJson: the file cannot be read, or holds none.
    """
    try:
        if path.stat().st_size > MAX_JSON_BYTES:
            raise NotJson(f"{path.name} is larger than {MAX_JSON_BYTES:,} bytes")
        value: Any = json.loads(path.read_bytes(), parse_constant=_refuse)
    except OSError as error:
        raise NotJson(f"{path.name} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise NotJson(f"{path.name} is not JSON") from None
    if not isinstance(value, dict):
        raise NotJson(f"{path.name} is not a JSON object")
    return cast(dict[str, Any], value)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
