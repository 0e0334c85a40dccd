"""Where forms' values are kept under their names: a file each, so that they are copied and read by hand."""

from __future__ import annotations

import hashlib
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import structlog
from pydantic import ValidationError

from backend.media.scratch import keep, scratch
from studio.errors import Conflict, PresetNotFound, StorageError
from studio.presets import FormPreset, FormPresetList, SaveFormPreset
from studio.requests import shown

log = structlog.get_logger("orrery.presets")

MAX_PRESETS = 1000

_ID = re.compile(r"[0-9a-f]{16}")


class FormPresets:
    """A folder of `{id}.json`; the id follows from kind and name, so that saving again replaces."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def listing(self, kind: str | None = None) -> FormPresetList:
        """Those of one kind, or all, by name; a file that cannot be read is left out and logged."""
        found = [preset for path in self._folder.glob("*.json") if (preset := _read(path)) is not None]
        wanted = [preset for preset in found if kind in (None, preset.kind)]
        return FormPresetList(presets=tuple(sorted(wanted, key=lambda preset: preset.name.casefold())))

    def save(self, asked: SaveFormPreset) -> FormPreset:
        """Keep values under a name.

        Raises:
            Conflict: there are too many.
            DiskFull, StorageError: it could not be written.
        """
        name = preset_id(asked)
        path = self._folder / f"{name}.json"
        if not path.exists() and sum(1 for _ in self._folder.glob("*.json")) >= MAX_PRESETS:
            raise Conflict(f"There are {MAX_PRESETS:,} presets already.", hint="Delete one that you no longer use.")
        preset = FormPreset(**asked.model_dump(), id=name, saved_at=datetime.now(UTC))
        with scratch(self._folder) as (part,):
            part.write_text(preset.model_dump_json(), "utf-8")
            keep((part, path))
        return preset

    def delete(self, preset_id: str) -> FormPreset:
        """Remove one, and say what it was.

        Raises:
            PresetNotFound: there is none.
            StorageError: the disk does not let go of it.
        """
        path = self._folder / f"{preset_id}.json"
        preset = _read(path) if _ID.fullmatch(preset_id) else None
        if preset is None:
            raise PresetNotFound(f"There is no preset {shown(preset_id)}.", hint="GET /v1/presets lists them.")
        try:
            os.unlink(path)
        except OSError as error:
            raise StorageError(f"The preset could not be removed: {error.strerror}.") from None
        return preset


def preset_id(asked: SaveFormPreset) -> str:
    """The id that follows from kind and name, 16 hexadecimal digits."""
    return hashlib.sha256(f"{asked.kind}\0{asked.name.casefold()}".encode()).hexdigest()[:16]


def _read(path: Path) -> FormPreset | None:
    try:
        return FormPreset.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        log.warning("preset_unreadable", file=path.name, why=type(error).__name__)
        return None
