"""The folder that samples are made into: one folder each, which is whole or not there."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any, cast

from studio.errors import BadInput, Conflict, DataFolderDenied

ARGS = "sample_args.json"
OUTPUTS = "sample_outputs.json"
PART = ".part"


class Place(Enum):
    """What lies where a sample would go."""

    FREE = "free"
    FINISHED = "finished"
    FAILED = "failed"
    OTHER = "other"


class BatchFolder:
    """A folder of samples, held for as long as one command runs; use it as `with BatchFolder(root) as folder`.

    Raises:
        BadInput: it is a file.
        DataFolderDenied: it cannot be made.
        Conflict: another command makes samples into it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        try:
            root.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise BadInput(f"{root} is a file; samples go into a folder.", param="output") from None
        except OSError as error:
            raise DataFolderDenied(
                f"The folder {root} cannot be made: {error.strerror or error}.", param="output"
            ) from None
        self._held = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            # The kernel lets go of it, however this process ends.
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._held)
            raise Conflict(
                f"Another command makes samples into {root}.", hint="Wait for it, or name another."
            ) from None

    def __enter__(self) -> BatchFolder:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._held)

    @property
    def inputs(self) -> Path:
        """Where files of the web and first frames of clips are kept."""
        return self.root / ".inputs"

    def place(self, name: str, asked: Mapping[str, Any]) -> Place:
        """What lies where a sample would go: itself, whole; what is left of a failure; something else; nothing."""
        folder = self.root / name
        if not folder.exists():
            return Place.FREE
        args, outputs = _read(folder / ARGS), _read(folder / OUTPUTS)
        if args is None or outputs is None:
            return Place.OTHER if not folder.is_dir() or any(folder.iterdir()) else Place.FREE
        if outputs.get("status") != "success":
            return Place.FAILED
        return Place.FINISHED if args.get("asked") == json.loads(json.dumps(asked)) else Place.OTHER

    @contextmanager
    def replacing(self, name: str) -> Generator[Path, None, None]:
        """A folder to write a sample into, which takes its name at the end of the block, if nothing was raised."""
        part, old, final = (self.root / f".{name}{end}" for end in (PART, ".old", ""))
        final = self.root / name
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        try:
            yield part
            shutil.rmtree(old, ignore_errors=True)
            if final.exists():
                final.rename(old)
            part.rename(final)
            shutil.rmtree(old, ignore_errors=True)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write an object, to the disk itself: a folder with this file in it counts as finished."""
    with path.open("w", encoding="utf-8") as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path) -> dict[str, Any] | None:
    try:
        value: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None
