"""A host loads the server's version of a checkpoint, or says which file differs."""

import json
import struct
from pathlib import Path

import pytest

from backend.cluster.checkpoints_there import LoadThere, find_here, fingerprint
from backend.messages import LoadCheckpoint
from studio.data_folder import DataFolder
from studio.errors import BrokenCheckpoint, CheckpointNotFound

PRESET = 'id = "mine"\ntitle = "Mine"\nsummary = "One."\nbuilt_here = true\nweights_gb = 0.01\n'


def a_checkpoint(folder: Path, *, width: int = 4) -> Path:
    (folder / "transformer").mkdir(parents=True)
    (folder / "model_index.json").write_text("{}")
    (folder / "transformer" / "config.json").write_text(json.dumps({"hidden_size": 4}))
    header = json.dumps({"a": {"dtype": "F32", "shape": [width], "data_offsets": [0, 4 * width]}}).encode()
    shard = struct.pack("<Q", len(header)) + header + bytes(4 * width)
    (folder / "transformer" / "model.safetensors").write_bytes(shard)
    return folder


def a_host(root: Path) -> DataFolder:
    data = DataFolder(root)
    data.prepare()
    (data.presets / "mine.toml").write_text(PRESET)
    return data


def wanted(folder: Path) -> LoadThere:
    return LoadThere("mine", LoadCheckpoint(folder, build=False, device="ray:0"), fingerprint(folder))


def test_the_host_s_own_copy_is_loaded_where_the_server_s_folder_is_not_seen(tmp_path: Path):
    order = wanted(a_checkpoint(tmp_path / "server"))
    (tmp_path / "server").rename(tmp_path / "elsewhere")
    data = a_host(tmp_path / "host")
    own = a_checkpoint(data.checkpoints / "mine")

    assert find_here(order, data, "second", "cuda") == LoadCheckpoint(own, build=False, device="cuda")


def test_another_version_is_refused_by_the_name_of_the_host_and_the_file(tmp_path: Path):
    order = wanted(a_checkpoint(tmp_path / "server"))
    (tmp_path / "server").rename(tmp_path / "elsewhere")
    data = a_host(tmp_path / "host")
    a_checkpoint(data.checkpoints / "mine", width=8)

    with pytest.raises(BrokenCheckpoint, match=r"host second .* transformer/model\.safetensors differs"):
        find_here(order, data, "second", "cpu")


def test_a_host_without_the_checkpoint_says_how_it_gets_there(tmp_path: Path):
    order = wanted(a_checkpoint(tmp_path / "server"))
    (tmp_path / "server").rename(tmp_path / "elsewhere")

    with pytest.raises(CheckpointNotFound, match="not on the host second") as refused:
        find_here(order, a_host(tmp_path / "host"), "second", "cpu")
    assert "orrery checkpoints pull mine" in refused.value.hint
