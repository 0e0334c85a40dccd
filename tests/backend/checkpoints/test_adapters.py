"""Adapters are found by name in one folder, and nowhere else."""

from pathlib import Path

import pytest

from backend.checkpoints.adapters import AdapterFolder
from studio.errors import BadInput


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "adapters"
    (folder / "warm-light").mkdir(parents=True)
    (folder / "warm-light" / "adapter_model.safetensors").write_bytes(b"x" * 10)
    (folder / "warm-light" / "adapter_config.json").write_text("{}")
    (folder / "noise.safetensors").write_bytes(b"x" * 7)
    (folder / "empty").mkdir()
    (folder / "notes.txt").write_text("x")
    (folder / "no name.safetensors").write_bytes(b"x")
    return folder


def test_files_and_folders_are_listed_by_name_with_their_size(folder: Path):
    listed = AdapterFolder(folder).listing().adapters

    assert [(adapter.name, adapter.size_bytes) for adapter in listed] == [("noise", 7), ("warm-light", 10)]


def test_a_name_leads_to_its_file_or_folder(folder: Path):
    rack = AdapterFolder(folder)

    assert rack.path("warm-light") == folder / "warm-light"
    assert rack.path("noise") == rack.path("noise.safetensors") == folder / "noise.safetensors"


def test_an_unknown_name_is_refused_with_the_nearest_and_without_a_path(folder: Path):
    with pytest.raises(BadInput) as error:
        AdapterFolder(folder).path("warm_light")

    assert error.value.param == "adapter.name"
    assert "warm-light" in error.value.hint
    assert str(folder) not in str(error.value)


@pytest.mark.parametrize("name", ["empty", "notes", "notes.txt", "..", "../adapters/noise", "/etc/passwd"])
def test_what_is_no_adapter_is_not_found(folder: Path, name: str):
    with pytest.raises(BadInput):
        AdapterFolder(folder).path(name)


def test_without_the_folder_there_are_none(tmp_path: Path):
    rack = AdapterFolder(tmp_path / "adapters")

    assert rack.listing().adapters == ()
    with pytest.raises(BadInput, match="There is no adapter"):
        rack.path("noise")
