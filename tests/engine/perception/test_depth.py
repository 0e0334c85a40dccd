"""Depth Anything V2 through transformers, with tiny random weights."""

from pathlib import Path

import numpy as np
import pytest
import torch

from engine.perception import DepthModel
from studio.errors import BrokenCheckpoint
from tiny_perception import write_depth_model

CPU = torch.device("cpu")


def noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 255, (height, width, 3), dtype=np.uint8)


def test_a_frame_of_any_shape_has_a_depth_at_each_pixel(tmp_path: Path):
    model = DepthModel.load(write_depth_model(tmp_path), CPU)
    for height, width in ((30, 52), (70, 14)):
        depth = model.estimate(noise(height, width))
        assert (depth.shape, depth.dtype) == ((height, width), np.float32)
        assert np.isfinite(depth).all()
        assert depth.min() >= 0


def test_files_that_are_none_of_the_model_are_refused(tmp_path: Path):
    (tmp_path / "config.json").write_text('{"model_type": "depth_anything"}')
    with pytest.raises(BrokenCheckpoint, match="Depth Anything V2 cannot be loaded"):
        DepthModel.load(tmp_path, CPU)
