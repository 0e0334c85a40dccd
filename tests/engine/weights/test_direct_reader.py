"""What is read by several threads in pieces is what the safetensors library reads."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.weights import direct_reader
from engine.weights.direct_reader import DirectReader, Stretch
from studio.checkpoints import open_shard

CPU = torch.device("cpu")


@pytest.fixture
def shard(tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    save_file(
        {
            "query": torch.randn(7, 33).bfloat16(),
            "key": torch.randn(3, 33).bfloat16(),
            "rounded": torch.randn(40, 5).to(torch.float8_e4m3fn),
            "one": torch.randn(1),
        },
        path,
    )
    return path


def stretch(shard: Path, name: str) -> Stretch:
    header, start = open_shard(shard)
    return Stretch(shard, start + header[name]["data_offsets"][0])


@pytest.mark.parametrize("piece_bytes", [64, 2**20])
def test_tensors_come_as_they_are_stored_alone_and_stacked(shard, monkeypatch, piece_bytes):
    monkeypatch.setattr(direct_reader, "PIECE_BYTES", piece_bytes)
    stored, reader = load_file(shard), DirectReader(CPU)
    stacked = reader.place([stretch(shard, "query"), stretch(shard, "key")], [(7, 33), (3, 33)], torch.bfloat16)
    rounded = reader.place([stretch(shard, "rounded")], [(40, 5)], torch.float8_e4m3fn)
    one = reader.place([stretch(shard, "one")], [(1,)], torch.float32)
    reader.read()
    assert torch.equal(stacked, torch.cat([stored["query"], stored["key"]]))
    assert torch.equal(rounded.view(torch.uint8), stored["rounded"].view(torch.uint8))
    assert torch.equal(one, stored["one"])


def test_a_file_that_ends_too_early_is_an_error(shard):
    reader = DirectReader(CPU)
    reader.place([stretch(shard, "one")], [(10_000,)], torch.float32)
    with pytest.raises(OSError, match="ends before"):
        reader.read()
