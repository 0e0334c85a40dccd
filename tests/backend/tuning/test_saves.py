"""Serving saves: what stands on the disk for each, and what does when something goes wrong."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from backend.tuning.saves import SaveShelf
from studio.data_folder import DataFolder
from studio.errors import DiskFull
from studio.tuning import Saved
from studio.tuning.lineage import lineage_of
from studio.tuning.presets import RECIPE
from studio.tuning.tunings import Tuning, TuningProgress


class Catalogue:
    """Checkpoints by no name."""

    names: frozenset[str] = frozenset()

    def read_again(self) -> None:
        pass


def shelf_in(root: Path) -> SaveShelf:
    catalogue: Any = Catalogue()
    return SaveShelf(DataFolder(root), catalogue)


def tuning_in(root: Path, *, makes: str = "checkpoint") -> tuple[Tuning, Saved]:
    """A tuning and its save at step 100, as a trainer leaves it."""
    lora = {"lora": None} if makes == "checkpoint" else {}
    recipe = {"task": "generator", "name": "grasp", "checkpoint": "pocket", "data": "cups", **lora}
    tuning = Tuning(
        id="4e7a00c3d2b1",
        recipe=RECIPE.validate_python(recipe),
        checkpoint_title="Pocket",
        version="0",
        state="running",
        created_at=datetime.now(UTC),
        progress=TuningProgress(state="running"),
    )
    (root / "tunings" / tuning.id / "saves/grasp@100").mkdir(parents=True)
    (root / "presets").mkdir(exist_ok=True)
    saved: Any = {"step": 100, "folder": "saves/grasp@100", "makes": makes, "size_bytes": 1}
    return tuning, Saved(**saved)


def test_the_lineage_of_what_a_tuning_began_with_stays(tmp_path: Path):
    tuning, saved = tuning_in(tmp_path)
    parent = tmp_path / "lineage.json"
    parent.write_text("of the parent")
    source = tmp_path / "tunings" / tuning.id / saved.folder
    os.link(parent, source / "lineage.json")  # as a save shares its unchanged files
    shelf_in(tmp_path).appear(tuning, saved)
    assert parent.read_text() == "of the parent"
    own = lineage_of(source)
    assert own is not None
    assert own.tuning == tuning.id


def fill_presets(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on nothing fits into the folder of presets."""
    write = Path.write_text

    def full(self: Path, text: str, *more: Any) -> int:
        if self.parent.name == "presets":
            self.touch()
            raise OSError(28, "No space left on device")
        return write(self, text, *more)

    monkeypatch.setattr(Path, "write_text", full)


def test_a_preset_that_does_not_fit_on_the_disk_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tuning, saved = tuning_in(tmp_path)
    fill_presets(monkeypatch)
    with pytest.raises(DiskFull):
        shelf_in(tmp_path).appear(tuning, saved)
    assert list((tmp_path / "presets").iterdir()) == []


def test_nothing_is_left_of_a_checkpoint_that_could_not_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tuning, saved = tuning_in(tmp_path)
    shelf = shelf_in(tmp_path)
    save = shelf.appear(tuning, saved)
    with monkeypatch.context() as full:
        fill_presets(full)
        with pytest.raises(DiskFull):
            shelf.keep(tuning, save, "best")
    assert {path.name for path in (tmp_path / "checkpoints").iterdir()} == {"grasp@100"}
    shelf.keep(tuning, save, "best")
    assert (tmp_path / "checkpoints/best").is_dir()
