"""A checkpoint that sleeps has left the GPU, and wakes as the one that it was."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine import Engine
from engine.speck import build_speck
from studio.requests import GenerateImage, Sampling
from studio.requests.reason import Reason

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")]

CUBE = GenerateImage(prompt="a red cube", resolution="256", sampling=Sampling(num_inference_steps=4, seed=3))
LEFT_BYTES = 2**25 + 2**23
"""What the libraries keep of the device (32 MiB are cuBLAS's workspace on Hopper), and the few tables that no module
owns."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder = tmp_path_factory.mktemp("checkpoints") / "speck"
    build_speck(folder)
    return Engine.load(folder, device="cuda")


def picture(engine: Engine) -> np.ndarray:
    trajectory = engine.begin(CUBE)
    while not trajectory.done:
        engine.step([trajectory])
    return engine.finish(trajectory).image


def answer(engine: Engine) -> str:
    said = {"messages": [{"role": "user", "content": "hello"}], "sampling": {"max_tokens": 8, "temperature": 0}}
    conversation = engine.converse(Reason.model_validate(said))
    text = ""
    while not conversation.done:
        engine.decode([conversation])
        text += conversation.take()
    return text


def test_a_sleeper_leaves_the_gpu_and_makes_the_same_when_it_wakes(engine: Engine):
    pictures, said = [picture(engine) for _ in range(3)], answer(engine)
    held = torch.cuda.memory_allocated()
    weights = sum(weight.numel() * weight.element_size() for weight in engine.model.parameters())

    engine.sleep()

    assert torch.cuda.memory_allocated() < min(LEFT_BYTES, held - weights / 2)
    assert engine.model.device.type == "cpu"

    engine.wake()

    assert engine.model.device.type == "cuda"
    for before in pictures:
        np.testing.assert_array_equal(picture(engine), before)
    assert answer(engine) == said


def test_it_may_sleep_again_and_again(engine: Engine):
    before = picture(engine)
    for _ in range(2):
        engine.sleep()
        engine.wake()
        np.testing.assert_array_equal(picture(engine), before)
