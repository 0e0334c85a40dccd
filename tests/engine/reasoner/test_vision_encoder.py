from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from engine import Engine
from studio.errors import BrokenCheckpoint


def test_a_vision_encoder_that_is_not_the_one_described_is_broken(speck, tmp_path):
    folder = Path(shutil.copytree(speck, tmp_path / "copy"))
    config = json.loads((folder / "config.json").read_text())
    config["vision_config"]["depth"] = 3
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(BrokenCheckpoint, match=r"does not fit config\.json: encoder\.blocks\.3"):
        Engine.load(folder, device="cpu")


def test_a_vision_encoder_described_by_nonsense_is_broken(speck, tmp_path):
    folder = Path(shutil.copytree(speck, tmp_path / "copy"))
    config = json.loads((folder / "config.json").read_text())
    config["vision_config"]["depth"] = "deep"
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(BrokenCheckpoint, match="depth"):
        Engine.load(folder, device="cpu")
