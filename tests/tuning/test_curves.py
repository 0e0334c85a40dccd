from __future__ import annotations

import json

import pytest
from PIL import Image

from studio.errors import BadInput
from tuning.curves import draw_curves, read_curves


def test_every_number_of_a_run_gets_a_plot(tmp_path):
    path = tmp_path / "vae.jsonl"
    path.write_text("".join(json.dumps({"step": step, "elapsed_s": 1, "loss": 1 / step}) + "\n" for step in (1, 2, 4)))
    assert read_curves(path) == {"loss": [(1, 1.0), (2, 0.5), (4, 0.25)]}
    draw_curves(path, tmp_path / "vae.png")
    with Image.open(tmp_path / "vae.png") as picture:
        assert picture.getextrema()[0][0] < 100  # something is drawn


def test_a_run_without_curves_is_named(tmp_path):
    with pytest.raises(BadInput, match="has no curves"):
        read_curves(tmp_path / "vae.jsonl")
