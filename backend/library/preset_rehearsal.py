"""Trying a person's presets in a copy of their folder: one that cannot be read there would stop the next start."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from backend.library.own_files import own_files
from studio.data_folder import DataFolder
from studio.errors import BadInput
from studio.presets import load_presets
from studio.prompting import load_tasks
from studio.prompting.refining_texts import load_refining_texts

Named = tuple[str, str]
"""The kind of a preset, and its id."""

Verdict = Literal["new", "known", "unusable"]


class PresetRehearsal:
    """Presets, tasks and templates as they would be with others among them.

    Args:
        folder: the data folder whose presets are copied.
        place: an empty folder for the copy.
    """

    def __init__(self, folder: DataFolder, place: Path) -> None:
        self._copy = DataFolder(place)
        for made in (self._copy.tasks, self._copy.templates):
            made.mkdir(parents=True)
        for entry in own_files(folder):
            if entry.name.startswith("presets/") and isinstance(entry.content, Path):
                shutil.copyfile(entry.content, place / entry.name)
        shipped = _meanings(None)
        try:
            self._said = _meanings(self._copy)
        except BadInput:  # what is there cannot be read, with or without any other
            self._said = shipped
        self._here = {name: said for name, said in self._said.items() if shipped.get(name) != said}

    def try_out(self, trial: Path) -> Verdict:
        """Whether a file that has been put into the copy may stay: it says something new, and changes nothing that was
        there. Any other is removed again."""
        try:
            said = _meanings(self._copy)
        except BadInput:
            trial.unlink()
            return "unusable"
        if said == self._said or any(said.get(name) != mine for name, mine in self._here.items()):
            trial.unlink()
            return "known"
        self._said = said
        return "new"


def _meanings(folder: DataFolder | None) -> Mapping[Named, object]:
    """What the shipped presets say, and over them those of a folder. Raises BadInput."""
    said: dict[Named, object] = {("texts", ""): load_refining_texts(folder and folder.templates)}
    said |= {("preset", name): preset for name, preset in load_presets(folder and folder.presets).items()}
    said |= {("task", name): task for name, task in load_tasks(folder and folder.tasks).items()}
    for path in folder.templates.glob("*.toml") if folder else ():
        try:
            said["template", path.name] = tomllib.loads(path.read_bytes().decode())
        except (ValueError, RecursionError):
            raise BadInput(f"{path.name} is not TOML.") from None
    return said
