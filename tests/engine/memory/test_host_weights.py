"""Weights that move from a device to another stay what they are, and shared where they were."""

import numpy as np
import pytest
import torch
from torch import nn

from engine import Engine
from engine.memory import move_weights
from engine.memory.streamed_blocks import tensors_of
from studio.requests import GenerateImage, Sampling

CUBE = GenerateImage(prompt="a red cube", resolution="256", sampling=Sampling(num_inference_steps=1, seed=3))


def test_everything_moves_and_what_was_shared_is_shared_there():
    one, other = nn.Linear(2, 2), nn.Linear(2, 2)
    other.weight = one.weight
    one.register_buffer("angles", torch.ones(2))

    move_weights([one, other], torch.device("meta"))

    assert {tensor.device.type for module in (one, other) for _, _, tensor in tensors_of(module)} == {"meta"}
    assert other.weight is one.weight
    assert isinstance(one.weight, nn.Parameter)


def test_an_engine_has_no_weights_beside_those_that_move(engine: Engine):
    movable = {id(tensor) for module in engine._modules() for _, _, tensor in tensors_of(module)}
    assert {id(weight) for weight in [*engine.model.parameters(), *engine.codecs.weights()]} <= movable
    assert {id(weight) for weight in engine.decoder.single.parameters()} <= movable


def test_an_engine_that_slept_makes_the_same(engine: Engine, monkeypatch: pytest.MonkeyPatch):
    """On a CPU nothing moves; what is kept between calls is given up and made again."""

    def picture() -> np.ndarray:
        trajectory = engine.begin(CUBE)
        engine.step([trajectory])
        return engine.finish(trajectory).image

    assert not engine.can_sleep
    before = picture()
    monkeypatch.setattr(Engine, "can_sleep", property(lambda _: True))
    engine.sleep()
    engine.wake()
    np.testing.assert_array_equal(picture(), before)
