"""The three files of a captioned clip: `caption.json`, `caption.txt` and `sample_args.json`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

from studio.captions.video_caption import VideoCaption
from studio.captions.work import WorkItem
from studio.errors import StorageError
from studio.saving import save_whole

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
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{folder} cannot be made: {error.strerror or error}.", param="output") from None
    await write_text(folder / CAPTION, json.dumps(fields, indent=2, ensure_ascii=False) + "\n")
    await write_text(folder / NARRATIVE, caption.temporal_caption + "\n")
    await write_text(folder / SAMPLE, json.dumps(sample, indent=2) + "\n")
    return folder


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
            raise NotJson(f"{path.name} has more than {MAX_JSON_BYTES:,} bytes")
        value: Any = json.loads(path.read_bytes(), parse_constant=_refuse)
    except OSError as error:
        raise NotJson(f"{path.name} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise NotJson(f"{path.name} is not JSON") from None
    if not isinstance(value, dict):
        raise NotJson(f"{path.name} holds no JSON object")
    return cast(dict[str, Any], value)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
