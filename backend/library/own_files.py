"""What a person keeps in the data folder beside the library, as it stands in an export.

Presets of forms, a person's own presets with tasks and templates, and adapters travel. `reasoners.toml` does not, since
it may hold keys; neither do checkpoints, which are pulled or built again, nor what says who holds the folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from backend.adapter_rack import NAME, SUFFIX
from backend.library.zip_stream import Entry
from studio.data_folder import DataFolder

OwnKind = Literal["form_preset", "preset", "adapter"]

MAX_OWN_FILES = 10_000
"""In one export."""

MAX_TEXT_BYTES = 2**19
"""Of a preset or an adapter's configuration; the values of a form take half of that at most."""

_MAX_NAME_BYTES = 200
"""Of a file's name; file systems take 255."""

_FORM_PRESET = re.compile(r"[0-9a-f]{16}\.json")


def own_files(folder: DataFolder) -> Iterator[Entry]:
    """Everything of it that travels; what an import would not accept is left out."""
    places = {
        folder.form_presets: ("*.json",),
        folder.presets: ("*.toml", "tasks/*.toml", "templates/*.toml"),
        folder.adapters: (f"*{SUFFIX}", "*/*.json", f"*/*{SUFFIX}"),
    }
    for place, patterns in places.items():
        for path in sorted(path for pattern in patterns for path in place.glob(pattern)):
            name = path.relative_to(folder.root).as_posix()
            size_bytes = _size_of(path)
            if size_bytes is not None and own_kind(name, size_bytes):
                yield Entry(name, path)


def own_kind(name: str, size_bytes: int) -> OwnKind | None:
    """What an entry of an export is by its name; none where it has no place in a data folder, or is too large."""
    file = name.rpartition("/")[2]
    if not file.endswith(SUFFIX) and size_bytes > MAX_TEXT_BYTES:
        return None
    match name.split("/"):
        case ["form-presets", _] if _FORM_PRESET.fullmatch(file):
            return "form_preset"
        case ["presets", _] | ["presets", "tasks" | "templates", _] if file.endswith(".toml") and _is_plain(file):
            return "preset"
        case ["adapters", _] if file.endswith(SUFFIX) and NAME.fullmatch(file.removesuffix(SUFFIX)):
            return "adapter"
        case ["adapters", own, _] if file.endswith((SUFFIX, ".json")) and NAME.fullmatch(own) and NAME.fullmatch(file):
            return "adapter"
        case _:
            return None


def _is_plain(file: str) -> bool:
    return (
        file.isprintable()
        and not file.startswith(".")
        and "\\" not in file
        and len(file.encode()) <= _MAX_NAME_BYTES  # a lone surrogate, which cannot be encoded, is not printable
    )


def _size_of(path: Path) -> int | None:
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:  # it has gone meanwhile
        return None
