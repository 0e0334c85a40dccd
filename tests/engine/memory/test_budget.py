"""What happens when memory runs out, and before."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from engine import Engine
from engine.bench.stage import NANO
from engine.memory import Budget, Shape
from engine.memory.budget import SEAMS, decode_bytes, shape_of
from studio.errors import OutOfMemory

GB = 10**9


def no_memory(*_: Any, **__: Any) -> Any:
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.")


@pytest.fixture
def short(speck) -> Engine:
    """An engine on a device with 30 MB to spare."""
    engine = Engine.load(speck, device="cpu")
    engine.codecs = engine.codecs.__class__(
        **{name: getattr(engine.codecs, name) for name in engine.codecs.__dataclass_fields__}
        | {"budget": Budget(engine.model, engine.decoder.width, free=lambda _: 30_000_000)}
    )
    engine.budget = engine.codecs.budget
    return engine


def test_a_step_that_does_not_fit_says_what_would_and_moves_nothing(short, ask_video, monkeypatch):
    trajectory = short.begin(ask_video(resolution="720", num_frames=49))
    forgotten: list[None] = []
    monkeypatch.setattr(short.model.generator, "forward", no_memory)
    monkeypatch.setattr(short.model.generator, "forget", lambda: forgotten.append(None))
    with pytest.raises(OutOfMemory, match=r"cpu is out of memory.* 20\.00 GiB") as failed:
        short.step([trajectory])
    assert failed.value.hint == "It would fit at 256p all 49 frames."
    assert "frames" in failed.value.hint
    assert trajectory.step == 0
    assert forgotten


def test_of_several_at_once_fewer_are_the_first_advice(short, ask, monkeypatch):
    pair = [short.begin(ask(seed=seed)) for seed in (1, 2)]
    monkeypatch.setattr(short.model.generator, "forward", no_memory)
    with pytest.raises(OutOfMemory) as failed:
        short.step(pair)
    assert failed.value.hint.startswith("Use fewer results at once. ")


def test_a_decode_that_does_not_fit_says_what_would(short, ask_video, run_video, monkeypatch):
    result = short.finish(run_video(short, ask_video()))
    monkeypatch.setattr(short.codecs.coder.vae.decoder, "forward", no_memory)
    with pytest.raises(OutOfMemory) as failed:
        next(result.frames)
    assert failed.value.hint


def test_after_all_of_it_the_engine_goes_on(short, ask, run, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(short.model.generator, "forward", no_memory)
        with pytest.raises(OutOfMemory):
            run(short, ask())
    assert run(short, ask()).done


def a_budget(available_bytes: int, device: str = "cuda") -> Budget:
    model: Any = SimpleNamespace(device=torch.device(device), dtype=torch.bfloat16, config=NANO)
    return Budget(model, 256, free=lambda _: available_bytes)


def test_frames_are_decoded_in_strips_where_memory_is_short_and_only_there():
    large = (1280, 720)
    assert a_budget(5 * GB).latents_at_once(large) == 0
    assert a_budget(20 * GB).latents_at_once(large) == 2
    assert a_budget(5 * GB).latents_at_once((832, 480)) == 1
    assert a_budget(9 * GB).latents_at_once((832, 480)) == 2


def test_of_divided_frames_more_fit_and_never_more_than_a_rank_has_room_for():
    large = (1280, 720)
    assert a_budget(7 * GB).latents_at_once(large) == 0
    assert a_budget(7 * GB).latents_at_once(large, num_ranks=2) == 1
    assert a_budget(20 * GB).latents_at_once(large, num_ranks=2) == 3
    per_rank = decode_bytes(Shape(large, 13), at_once=3) * SEAMS / 2
    assert per_rank < 20 * GB


def test_divided_frames_are_for_the_rank_that_has_the_least_room():
    large, asked = (1280, 720), list[int]()

    def least(own: int) -> int:
        asked.append(own)
        return 7 * GB

    assert a_budget(20 * GB).latents_at_once(large, 2, least) == a_budget(7 * GB).latents_at_once(large, 2) == 1
    assert asked == [20 * GB]
    assert a_budget(1, device="cpu").latents_at_once(large, 2, least) == 1
    assert asked == [20 * GB]  # nobody is asked where the answer is known


def test_on_a_processor_a_clip_never_depends_on_what_else_is_running():
    assert a_budget(1, device="cpu").latents_at_once((1280, 720)) == 1


def test_strips_take_the_place_of_whole_frames(short, ask_video, run_video, monkeypatch):
    trajectory = run_video(short, ask_video(), size=(512, 64))
    whole = [piece.shape for piece in short.finish(trajectory).frames]
    monkeypatch.setattr(Budget, "latents_at_once", lambda *_: 0)
    assert [piece.shape for piece in short.finish(trajectory).frames] == whole


def test_a_plan_is_measured_by_its_result_and_its_branches(engine, ask_video, begin_video):
    assert shape_of(begin_video(engine, ask_video()).plan) == Shape((96, 64), 9, num_branches=2, num_controls=0)
