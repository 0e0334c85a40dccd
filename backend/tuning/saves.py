"""Serving saves: an adapter among the adapters, a checkpoint among those that are built here, each with its lineage."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.media.scratch import keep, scratch, typed_disk_errors
from studio.data_folder import DataFolder
from studio.errors import Conflict, StorageError
from studio.tuning import Saved
from studio.tuning.lineage import DEFAULTS, LINEAGE, Lineage
from studio.tuning.tunings import Tuning, TuningSave


class SaveShelf:
    """Gives saves the names under which requests find them. Its methods write files, and may run on any thread."""

    def __init__(self, folder: DataFolder, catalogue: CheckpointCatalogue) -> None:
        self._folder = folder
        self._catalogue = catalogue

    def appear(self, tuning: Tuning, saved: Saved) -> TuningSave:
        """Serve a save where the trainer wrote it. Raises DiskFull, StorageError."""
        name = f"{tuning.name}@{saved.step}"
        source = self._folder.tunings / tuning.id / saved.folder
        lineage = Lineage(
            tuning=tuning.id,
            step=saved.step,
            recipe=tuning.recipe,
            version=tuning.version,
            created_at=tuning.created_at,
        )
        target = self._place(saved.makes, name)
        with typed_disk_errors(target.parent):
            _write(source / LINEAGE, lineage.model_dump_json(indent=1) + "\n")
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _clear(target)
            target.symlink_to(source, target_is_directory=True)
            if saved.makes == "checkpoint":
                self._write_preset(name, tuning, saved.step)
        return TuningSave(
            step=saved.step,
            name=name,
            makes=saved.makes,
            size_bytes=saved.size_bytes,
            created_at=tuning.created_at,
            loss=tuning.progress.loss,
        )

    def keep(self, tuning: Tuning, save: TuningSave, name: str) -> None:
        """Copy a save to a name of its own, which outlives the tuning.

        Raises:
            Conflict: the name is taken, or the save came without its weights.
            DiskFull, StorageError: it does not fit; nothing is left behind.
        """
        target = self._place(save.makes, name)
        is_known = save.makes == "checkpoint" and name in self._catalogue.names
        if target.exists() or target.with_suffix(".safetensors").exists() or is_known:
            raise Conflict(f"There is already a {save.makes} {name}.", param="name", hint="Use another name.")
        source = self._place(save.makes, save.name)
        if not source.exists():
            raise Conflict(
                f"The weights of {save.name} are not on this machine.",
                param="step",
                hint="A backup brings adapters and no checkpoints. Run the recipe again.",
            )
        part = target.with_name(f".{name}.part")
        with typed_disk_errors(target.parent):
            try:
                shutil.copytree(source.resolve(), part)
                part.rename(target)
                if save.makes == "checkpoint":
                    self._write_preset(name, tuning, save.step)
            except (OSError, StorageError):
                shutil.rmtree(target, ignore_errors=True)
                raise
            finally:
                shutil.rmtree(part, ignore_errors=True)

    def forget(self, tuning: Tuning) -> None:
        """Take the saves of a tuning off the shelf, and its folder from the disk. Raises StorageError."""
        with typed_disk_errors(self._folder.tunings):
            for save in tuning.saves:
                _clear(self._place(save.makes, save.name))
                if save.makes == "checkpoint":
                    self._preset(save.name).unlink(missing_ok=True)
            folder = self._folder.tunings / tuning.id
            if folder.exists():
                shutil.rmtree(folder)
        self._catalogue.read_again()

    def is_taken(self, name: str) -> bool:
        """Whether an adapter or a checkpoint has this name."""
        adapter = self._place("adapter", name)
        return adapter.exists() or adapter.with_suffix(".safetensors").exists() or name in self._catalogue.names

    def _place(self, makes: str, name: str) -> Path:
        return (self._folder.adapters if makes == "adapter" else self._folder.checkpoints) / name

    def _preset(self, name: str) -> Path:
        return self._folder.presets / f"{name}.toml"

    def _defaults(self, name: str) -> dict[str, dict[str, str | float]]:
        """Request fields by kind with which a checkpoint is asked as it was trained."""
        path = self._place("checkpoint", name) / DEFAULTS
        return json.loads(path.read_text("utf-8")) if path.is_file() else {}

    def _write_preset(self, name: str, tuning: Tuning, step: int) -> None:
        said = {
            "id": name,
            "title": name,
            "summary": f"{tuning.checkpoint_title}, tuned on {_data_of(tuning)} for {step} steps.",
            "tuned_from": tuning.recipe.checkpoint,
        }
        # A JSON string is a TOML string as long as nothing is escaped to surrogates.
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in said.items()]
        lines.append("built_here = true")
        for kind, fields in self._defaults(name).items():
            lines += [f"[defaults.{kind}]", *(f"{key} = {json.dumps(value)}" for key, value in fields.items())]
        _write(self._preset(name), "\n".join([*lines, ""]))
        self._catalogue.read_again()


def _clear(place: Path) -> None:
    """Take a save away: a link to where the trainer wrote it, or the folder that came with a backup."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all; one that is shared with another folder is parted from it."""
    with scratch(path.parent) as (part,):
        part.write_text(text, "utf-8")
        keep((part, path))


def _data_of(tuning: Tuning) -> str:
    recipe = tuning.recipe
    return " and ".join(blend.data for blend in recipe.data) if recipe.task == "reasoner" else recipe.data
