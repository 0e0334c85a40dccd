"""Compiled blocks come to what uncompiled ones come to, whatever is passed through them."""

from __future__ import annotations

import pytest
import torch

from engine import Engine
from engine.towers.generator import CompiledPieces
from studio.requests import GenerateImage


def latents(engine: Engine, shape: str) -> torch.Tensor:
    sampling = {"num_inference_steps": 2, "guidance_scale": 4.0, "seed": 3}
    trajectory = engine.begin(
        GenerateImage.model_validate(
            {"prompt": shape, "aspect_ratio": shape, "resolution": "256", "sampling": sampling}
        )
    )
    while not trajectory.done:
        engine.step([trajectory])
    return trajectory.latents[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # what PyTorch 2.13 compiles with uses what it deprecates
def test_a_compiled_generator_makes_the_same_pictures_of_any_shape_from_one_graph(speck, engine, tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    torch._dynamo.reset()
    compiled = Engine.load(speck, device="cpu", compiled=True)
    assert isinstance(compiled.model.generator.pieces, CompiledPieces)
    for shape in ("1:1", "16:9", "3:4"):
        exact = latents(engine, shape)
        assert float((latents(compiled, shape) - exact).abs().max()) < 1e-4 * float(exact.abs().max())
    counts = torch._dynamo.utils.counters["stats"]
    assert counts["unique_graphs"] <= 2
