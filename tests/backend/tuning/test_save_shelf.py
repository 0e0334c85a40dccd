"""Saves that came with a backup: folders in the place of links, and checkpoints without their weights."""

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from backend.tuning.saves import SaveShelf
from studio.data_folder import DataFolder
from studio.errors import Conflict
from studio.tuning import GeneratorRecipe, Saved
from studio.tuning.tunings import Tuning, TuningProgress, TuningSave

ID = "4e7a00c3d2b1"


def shelf_at(tmp_path: Path) -> SaveShelf:
    catalogue: Any = SimpleNamespace(names=frozenset(), read_again=lambda: None)
    return SaveShelf(DataFolder(tmp_path), catalogue)


def save_of(makes: str) -> TuningSave:
    made = {"step": 10, "name": "grasp@10", "makes": makes, "size_bytes": 1, "created_at": datetime.now(UTC)}
    return TuningSave.model_validate(made)


def tuning_of(*saves: TuningSave) -> Tuning:
    return Tuning(
        id=ID,
        recipe=GeneratorRecipe(name="grasp", checkpoint="speck", data="cups"),
        checkpoint_title="Speck",
        version="1",
        state="stopped",
        created_at=datetime.now(UTC),
        progress=TuningProgress(state="stopped"),
        saves=saves,
    )


def brought(tmp_path: Path) -> Path:
    folder = tmp_path / "adapters" / "grasp@10"
    folder.mkdir(parents=True)
    (folder / "adapter_model.safetensors").write_bytes(b"weights")
    return folder


def test_an_adapter_that_was_brought_is_kept_and_deleted_with_its_tuning(tmp_path: Path):
    folder, shelf, save = brought(tmp_path), shelf_at(tmp_path), save_of("adapter")
    shelf.keep(tuning_of(save), save, "best")
    shelf.forget(tuning_of(save))

    assert not folder.exists()
    assert (tmp_path / "adapters" / "best" / "adapter_model.safetensors").read_bytes() == b"weights"


def test_a_save_that_is_made_again_takes_the_place_of_the_brought_one(tmp_path: Path):
    folder = brought(tmp_path)
    (tmp_path / "tunings" / ID / "saves" / "grasp@10").mkdir(parents=True)
    saved = Saved(step=10, folder="saves/grasp@10", makes="adapter", size_bytes=1)
    shelf_at(tmp_path).appear(tuning_of(), saved)

    assert folder.is_symlink()


def test_a_checkpoint_whose_weights_stayed_behind_cannot_be_kept(tmp_path: Path):
    save = save_of("checkpoint")
    with pytest.raises(Conflict, match="not on this machine"):
        shelf_at(tmp_path).keep(tuning_of(save), save, "best")
