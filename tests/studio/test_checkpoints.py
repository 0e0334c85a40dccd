from __future__ import annotations

import json
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from studio.catalogue import CheckpointInfo, CheckpointList, list_checkpoints
from studio.checkpoints import (
    INDEXES,
    REQUIRED,
    check_layout,
    check_weights,
    find_checkpoint,
    shard_header,
    without_folder,
)
from studio.errors import BrokenCheckpoint, CheckpointNotFound, NotACheckpoint
from studio.events import CheckpointStatus
from studio.presets import load_presets

PRESETS = load_presets()


@pytest.fixture
def whole(tmp_path) -> Path:
    """The skeleton of a released folder with one small shard."""
    folder = tmp_path / "my-checkpoint"
    for name in ("model_index.json", *REQUIRED):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}")
    save_file({"a": np.zeros((4, 4), "f4"), "b": np.ones(3, "f2")}, folder / "transformer" / "model.safetensors")
    return folder


def _shard(folder: Path) -> Path:
    return folder / "transformer" / "model.safetensors"


def _write_header(folder: Path, header: bytes, body: bytes = b"", length: int | None = None) -> None:
    said = len(header) if length is None else length
    _shard(folder).write_bytes(struct.pack("<Q", said) + header + body)


def test_a_whole_folder_is_a_checkpoint(whole, tmp_path):
    check_layout(whole)
    assert check_weights(whole) == _shard(whole).stat().st_size
    found = find_checkpoint(str(whole), PRESETS, tmp_path)
    assert (found.id, found.folder, found.installed) == ("my-checkpoint", whole, True)
    assert found.capabilities().checkpoint == "my-checkpoint"


def test_a_preset_that_is_built_here_lies_in_the_data_folder(whole, tmp_path):
    absent = find_checkpoint("speck", PRESETS, tmp_path)
    assert (absent.folder, absent.installed) == (tmp_path / "speck", False)
    whole.rename(tmp_path / "speck")
    assert find_checkpoint("speck", PRESETS, tmp_path).installed


def test_a_preset_that_ships_lies_beside_the_presets(whole, tmp_path, monkeypatch):
    monkeypatch.setattr("studio.checkpoints.SHIPPED", tmp_path)
    absent = find_checkpoint("pocket", PRESETS, tmp_path / "built")
    assert (absent.folder, absent.installed) == (tmp_path / "pocket", False)
    assert absent.way_here == "Its files belong in presets/pocket and are missing from this copy; see docs/pocket.md."
    whole.rename(tmp_path / "pocket")
    assert find_checkpoint("pocket", PRESETS, tmp_path / "built").installed


def test_the_folder_of_a_preset_is_that_preset_whatever_way_leads_there(whole, tmp_path, monkeypatch):
    monkeypatch.setattr("studio.checkpoints.SHIPPED", tmp_path)
    shipped = whole.rename(tmp_path / "pocket")
    (tmp_path / "elsewhere").symlink_to(shipped)
    monkeypatch.chdir(tmp_path)
    own = PRESETS["pocket"].model_copy(update={"id": "careful", "variant_of": "pocket"})
    presets = {"careful": own, **PRESETS}
    for way in ("./pocket", str(shipped), "elsewhere", "./pocket/../pocket/"):
        found = find_checkpoint(way, presets, tmp_path / "built")
        assert (found.id, found.preset, found.folder) == ("pocket", PRESETS["pocket"], shipped)


def test_the_folder_that_is_built_here_is_its_preset_too_and_a_copy_of_it_is_not(whole, tmp_path):
    copy = shutil.copytree(whole, tmp_path / "copies" / "speck")
    built = whole.rename(tmp_path / "speck")
    assert find_checkpoint(str(built), PRESETS, tmp_path).preset == PRESETS["speck"]
    found = find_checkpoint(str(copy), PRESETS, tmp_path)
    assert (found.id, found.folder, found.preset.defaults) == ("speck-folder", copy, {})


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("spek", "Did you mean speck?"),
        ("cosmos-nano", "Did you mean cosmos3-nano?"),
        ("zzz", "Known values: cosmos3-edge, "),
        ("x" * 300, "Known values"),
        ("~nobody-of-this-name/x", ""),
        ("a\0b", ""),
        ("\ud800", ""),
    ],
)
def test_an_unknown_checkpoint_names_the_nearest(name, hint, tmp_path):
    with pytest.raises(CheckpointNotFound, match="neither a preset nor a folder") as caught:
        find_checkpoint(name, PRESETS, tmp_path)
    assert caught.value.hint.startswith(hint)
    assert len(caught.value.message) < 200


def test_a_checkpoint_with_the_index_of_a_modular_pipeline_alone_is_one_too(whole, tmp_path):
    (whole / "model_index.json").rename(whole / "modular_model_index.json")
    check_layout(whole)
    assert find_checkpoint(str(whole), PRESETS, tmp_path).installed
    whole.rename(tmp_path / "speck")
    assert find_checkpoint("speck", PRESETS, tmp_path).installed


def test_a_folder_without_any_index_is_no_checkpoint(whole):
    for name in INDEXES:
        (whole / name).unlink(missing_ok=True)
    with pytest.raises(NotACheckpoint, match=r"missing model_index\.json\. "):
        check_layout(whole)


def test_a_folder_that_is_no_checkpoint_says_what_it_lacks(whole, tmp_path):
    (whole / "vae" / "config.json").unlink()
    with pytest.raises(NotACheckpoint, match=r"missing vae/config\.json"):
        find_checkpoint(str(whole), PRESETS, tmp_path)
    with pytest.raises(NotACheckpoint, match="is a file"):
        find_checkpoint(str(whole / "model_index.json"), PRESETS, tmp_path)


@pytest.mark.parametrize("kept", [0, 7, 8, 40, -1])
def test_a_truncated_shard_is_named(whole, kept):
    raw = _shard(whole).read_bytes()
    _shard(whole).write_bytes(raw[:kept])
    with pytest.raises(BrokenCheckpoint, match=r"model\.safetensors is truncated"):
        check_weights(whole)


@pytest.mark.parametrize(
    ("header", "body", "length", "says"),
    [
        (b"{}", b"", 2**63, "truncated"),
        (b"{", b"", None, "header is not JSON"),
        (b"\xff\xff", b"", None, "header is not JSON"),
        (b"[" * 100_000, b"", None, "header is not JSON"),
        (b"[]", b"", None, "header is not an object"),
        (b'{"a": 1}', b"", None, "header has no offsets"),
        (b'{"a": {"data_offsets": [0]}}', b"", None, "header has no offsets"),
        (b'{"a": {"data_offsets": [0, "x"]}}', b"", None, "header has no offsets"),
        (b'{"a": {"data_offsets": [0, 99]}}', b"1234", None, "truncated: 44 bytes of 139"),
        (b'{"a": {"data_offsets": [0, 2]}}', b"1234", None, "longer than its header says"),
    ],
)
def test_a_header_that_lies_is_found_out(whole, header, body, length, says):
    _write_header(whole, header, body, length)
    with pytest.raises(BrokenCheckpoint, match=says):
        check_weights(whole)


def test_a_shard_that_cannot_be_read_is_named(whole):
    elsewhere = _shard(whole).with_name("other.safetensors")
    for make in (lambda: elsewhere.symlink_to("gone"), elsewhere.mkdir):
        make()
        with pytest.raises(BrokenCheckpoint, match=r"other\.safetensors cannot be read: "):
            check_weights(whole)
        elsewhere.rmdir() if elsewhere.is_dir() else elsewhere.unlink()


def test_a_header_is_what_the_file_says_and_nothing_else(whole):
    assert shard_header(_shard(whole)).keys() == {"a", "b"}


def test_a_header_longer_than_the_format_allows_is_not_read(whole):
    with _shard(whole).open("wb") as file:
        file.write(struct.pack("<Q", 200_000_000))
        file.truncate(300_000_000)
    with pytest.raises(BrokenCheckpoint, match="header is too long"):
        check_weights(whole)


@pytest.mark.parametrize(
    ("index", "says"),
    [
        ({"weight_map": {"a": "model.safetensors", "b": "gone.safetensors"}}, "names gone.safetensors"),
        ({"weight_map": {"a": 3}}, "names 3"),
        ({"weight_map": []}, "no weight_map"),
        ({}, "no weight_map"),
        ([], "is not a JSON object"),
    ],
)
def test_an_index_that_lies_is_found_out(whole, index, says):
    path = whole / "transformer" / "model.safetensors.index.json"
    path.write_text(json.dumps({"weight_map": {"a": "model.safetensors"}}))
    assert check_weights(whole)
    path.write_text(json.dumps(index))
    with pytest.raises(BrokenCheckpoint, match=says):
        check_weights(whole)


def test_a_folder_without_weights_is_broken(whole):
    _shard(whole).unlink()
    with pytest.raises(BrokenCheckpoint, match="no safetensors file"):
        check_weights(whole)


def test_the_catalogue_says_what_is_here(whole, tmp_path):
    whole.rename(tmp_path / "speck")
    found = list_checkpoints(PRESETS, tmp_path)
    states = {info.id: info.state for info in found.checkpoints}
    assert states == {name: "installed" if name == "speck" else "absent" for name in PRESETS if name in states}
    for name in PRESETS.keys() - states.keys():
        assert PRESETS[name].ships
        assert not find_checkpoint(name, PRESETS, tmp_path).installed
    assert CheckpointList.model_validate_json(found.model_dump_json()) == found


def test_the_worker_has_the_last_word_on_a_checkpoint(tmp_path):
    checkpoint = find_checkpoint("speck", PRESETS, tmp_path)
    words = (CheckpointStatus(id="speck", title="speck", state=state) for state in ("loading", "ready"))
    loading, ready = (CheckpointInfo.of(checkpoint, word) for word in words)
    assert (loading.loaded, ready.loaded) == (False, True)
    assert ready.random_weights


def test_an_error_that_is_told_over_a_socket_names_files_from_the_checkpoints_folder_on():
    folder = Path("/home/somebody/secret/speck")
    told = without_folder(
        BrokenCheckpoint(f"{folder}/vae/config.json is no JSON.", param="checkpoint", hint=f"Look at {folder}/vae."),
        folder,
    )
    assert (told.code, told.message, told.hint) == ("broken_checkpoint", "vae/config.json is no JSON.", "Look at vae.")
    missing = without_folder(NotACheckpoint(f"{folder} is not a Cosmos 3 checkpoint."), folder)
    assert missing.message == "The checkpoint is not a Cosmos 3 checkpoint."
