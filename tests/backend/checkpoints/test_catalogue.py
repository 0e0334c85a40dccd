"""Which checkpoint a server begins with: what it was told, what was active last, what ships, what stands in."""

from pathlib import Path

import pytest
from safetensors.numpy import save_file

from backend.checkpoints.catalogue import CheckpointCatalogue
from studio.checkpoints import REQUIRED
from studio.data_folder import DataFolder
from studio.errors import CheckpointNotFound, Conflict
from studio.settings import DEFAULT_CHECKPOINT


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the pocket would be; it is not there yet."""
    monkeypatch.setattr("studio.checkpoints.SHIPPED", tmp_path)
    return tmp_path / "pocket"


def put(folder: Path) -> None:
    for name in ("model_index.json", *REQUIRED):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}")
    save_file({}, folder / "transformer" / "model.safetensors")


def opened(tmp_path: Path, name: str = DEFAULT_CHECKPOINT, *, is_told: bool = False) -> CheckpointCatalogue:
    return CheckpointCatalogue.open(name, DataFolder(tmp_path / "data"), is_told=is_told)


def test_without_a_word_what_ships_is_served(tmp_path: Path, shipped: Path):
    put(shipped)

    shelf = opened(tmp_path)

    assert (shelf.active.id, shelf.active.folder) == ("pocket", shipped)
    assert shelf.here()[0] == "pocket"


def test_without_its_files_the_stand_in_is_served_and_what_ships_says_where_it_is(tmp_path: Path, shipped: Path):
    shelf = opened(tmp_path)

    assert shelf.active.id == "speck"
    assert "pocket" not in [entry.id for entry in shelf.listing({}).checkpoints]
    with pytest.raises(Conflict, match="Pocket is not on this machine") as refused:
        shelf.serving("pocket")
    assert (
        refused.value.hint == "Its files belong in presets/pocket and are missing from this copy; see docs/pocket.md."
    )


def test_files_that_are_cut_off_are_stood_in_for_too(tmp_path: Path, shipped: Path):
    put(shipped)
    (shipped / "transformer" / "model.safetensors").write_bytes(b"version https://git-lfs")

    assert opened(tmp_path).active.id == "speck"


def test_who_asks_for_what_ships_by_name_is_told_that_it_is_not_there(tmp_path: Path, shipped: Path):
    with pytest.raises(CheckpointNotFound, match="Pocket is not on this machine") as refused:
        opened(tmp_path, is_told=True)
    assert "presets/pocket" in refused.value.hint


def test_what_was_active_last_goes_before_what_ships(tmp_path: Path, shipped: Path):
    put(shipped)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "active-checkpoint").write_text("speck")

    assert opened(tmp_path).active.id == "speck"
