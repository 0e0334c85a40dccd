"""Weights that stay on the host compute what resident ones compute; here both are in the same memory."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from engine import Engine
from engine.memory import keep_on_host
from engine.memory.streamed_blocks import Slots
from studio.requests import Reason


@pytest.fixture(scope="module")
def streamed(speck: Path) -> Engine:
    engine = Engine.load(speck, device="cpu")
    keep_on_host(engine.model, torch.device("cpu"))
    return engine


def test_a_picture_and_a_clip_are_to_the_bit_what_they_are_from_resident_weights(
    engine, streamed, ask, run, ask_video, run_video
):
    assert torch.equal(run(streamed, ask()).latents[0], run(engine, ask()).latents[0])
    clip = ask_video(sound=True)
    ours, resident = run_video(streamed, clip), run_video(engine, clip)
    assert all(torch.equal(one, other) for one, other in zip(ours.latents, resident.latents, strict=True))


def test_what_is_said_is_said_in_the_same_words(engine, streamed):
    request = Reason.model_validate(
        {"messages": [{"role": "user", "content": "Hello!"}], "sampling": {"max_tokens": 6}}
    )

    def said(engine: Engine) -> str:
        conversation = engine.converse(request)
        while not conversation.done:
            engine.decode([conversation])
        return conversation.take()

    assert said(streamed) == said(engine)


def test_adapters_fit_on(engine, streamed, ask, run, adapter):
    def adapted(engine: Engine) -> Tensor:
        engine.use_adapter(adapter, 0.7)
        latents = run(engine, ask()).latents[0]
        engine.use_adapter(None)
        return latents

    assert torch.equal(adapted(streamed), adapted(engine))
    assert torch.equal(run(streamed, ask()).latents[0], run(engine, ask()).latents[0])


def test_a_towers_blocks_take_two_places_on_the_device(streamed):
    blocks = streamed.model.generator.blocks
    storages = {parameter.untyped_storage().data_ptr() for parameter in blocks.parameters()}
    assert len(storages) == 2
    assert streamed.model.generator.streams
    assert streamed.model.reasoner.streams


def test_a_pass_that_breaks_off_leaves_the_next_one_whole(streamed, ask, run):
    before = run(streamed, ask()).latents[0]
    for _ in streamed.model.generator.blocks:
        break
    assert torch.equal(run(streamed, ask()).latents[0], before)


def test_what_is_there_is_not_fetched_again():
    slots = Slots(4, torch.device("cpu"), lambda place, kept: place[: len(kept)].copy_(kept))
    weights = torch.tensor([1, 2, 3], dtype=torch.uint8)
    slots.fetch(0, weights)
    assert slots.places[0][:3].tolist() == [1, 2, 3]
    slots.places[0].zero_()
    slots.fetch(0, weights)
    assert not slots.places[0].any()
    slots.fetch(1, weights)
    slots.await_block(1)
    slots.release(1)
    assert slots.places[1][:3].tolist() == [1, 2, 3]
