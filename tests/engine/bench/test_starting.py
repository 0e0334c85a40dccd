"""A checkpoint of another shape, as starts are measured with, loads and makes an image."""

from __future__ import annotations

import shutil
from pathlib import Path

import torch

from engine import Engine
from engine.bench.stage import NANO
from engine.bench.starting import Served, Start, requests, table, write_shape
from engine.speck import shape
from studio.requests import parse_request

TINY = NANO.model_copy(
    update={
        "hidden_size": 96,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 64,
        "rope_axes_dim": (12, 10, 10),
    }
)


def test_a_shape_in_place_of_speck_s_is_a_checkpoint(speck: Path, tmp_path: Path):
    folder = Path(shutil.copytree(speck, tmp_path / "shape"))
    write_shape(folder, TINY, shape.VAE, torch.device("cpu"))
    engine = Engine.load(folder, device="cpu")
    assert engine.model.config.hidden_size == 96
    assert engine.model.config.vocab_size == NANO.vocab_size
    assert engine.chat.vision is None
    trajectory = engine.begin(parse_request(requests(2, small=True)["t2i-256"]))
    engine.step([trajectory])
    assert trajectory.latents[0].isfinite().all()


def test_the_table_says_what_the_server_takes_beside_the_engine():
    starts = [Start("exact", "none", "cache", 4.0, 9.5, 12.25, 0.26)]
    said = table(starts, [Served("t2i-256", "exact", 0.26, 0.3)]).splitlines()
    assert said[1].split() == ["exact", "none", "cache", "4.0s", "9.5s", "12.2s", "0.26s"]
    assert said[-1].split() == ["t2i-256", "exact", "0.260s", "0.300s", "40", "ms"]
