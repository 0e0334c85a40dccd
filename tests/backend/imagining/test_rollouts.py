"""Rollouts over jobs that are made up: what each turn is asked, and how one ends."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from backend.imagining import RolloutService
from made_up_jobs import MadeUpJobs, clip, reference
from studio.errors import BadInput, Busy, EngineError, RolloutNotFound
from studio.media import MediaReference
from studio.requests import parse_as
from studio.rollouts import Rollout, RolloutRequest, Simulated

STATE = [0.0] * 8


def asked(**changes: Any) -> RolloutRequest:
    return parse_as(
        RolloutRequest,
        {"prompt": "Lift it.", "start_image": "u0123456789abcdef", "state": STATE, "num_chunks": 3, **changes},
    )


class MadeUpTables:
    """A table that begins with a picture and is compared with whatever was imagined."""

    played: tuple[Any, ...] = ()

    async def look(self, seed: int) -> tuple[str, tuple[float, ...]]:
        return f"table-{seed}", tuple(STATE)

    async def play(self, seed: int, actions: Any, imagined: str, checkpoint: str) -> Simulated:
        self.played = seed, len(actions), imagined, checkpoint
        return Simulated(video=reference("u3333333333333333"), errors=())


class MadeUp(MadeUpJobs):
    """The jobs, and what joins their clips."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.cut: Any = None
        self.tables = MadeUpTables()

    async def keep_last_frame(self, video: str) -> str:
        return f"last-{video}"

    async def join(self, cut: Any) -> MediaReference:
        self.cut = cut
        return reference("u1111111111111111")


def run(folder: Path, act: Callable[[MadeUp, RolloutService], Coroutine[Any, Any, None]]) -> None:
    async def inside() -> None:
        made: Any = MadeUp(folder)
        cuts: Any = SimpleNamespace(cut=made.join)
        async with asyncio.timeout(60):
            await act(made, RolloutService(made, made, cuts, made.keep_last_frame, made.tables))

    asyncio.run(inside())


async def ended(service: RolloutService, rollout_id: str) -> Rollout:
    while (found := service.get(rollout_id)).state == "running":
        await asyncio.sleep(0.005)
    return found


def test_each_turn_begins_with_the_last_frame_and_the_last_action_of_the_one_before(tmp_path: Path):
    async def act(made: MadeUp, service: RolloutService) -> None:
        found = await ended(service, service.begin(asked(horizon=8, seed=5)).id)

        assert found.state == "succeeded"
        policies, dynamics = made.payloads[::2], made.payloads[1::2]
        assert [one["kind"] for one in policies + dynamics] == ["run_policy"] * 3 + ["predict_video"] * 3
        assert [one["start_image"] for one in policies] == [
            "u0123456789abcdef",
            f"last-{clip(1)}",
            f"last-{clip(2)}",
        ]
        assert [one["start_image"] for one in dynamics] == [one["start_image"] for one in policies]
        assert [one["state"][0] for one in policies] == [0, 0.01, 0.02]
        assert [one["sampling"]["seed"] for one in policies] == [5, 6, 7]
        assert [len(one["actions"]) for one in dynamics] == [8, 8, 8]
        assert [row[0] for row in found.actions] == [0.01] * 8 + [0.02] * 8 + [0.03] * 8

    run(tmp_path, act)


def test_the_clips_are_joined_without_the_frames_that_two_of_them_share(tmp_path: Path):
    async def act(made: MadeUp, service: RolloutService) -> None:
        found = await ended(service, service.begin(asked()).id)

        assert [(part.media, part.first) for part in made.cut.parts] == [
            (clip(1), 0),
            (clip(2), 1),
            (clip(3), 1),
        ]
        assert found.video is not None

    run(tmp_path, act)


def test_of_a_table_the_first_picture_is_imagined_on_and_the_actions_are_executed(tmp_path: Path):
    async def act(made: MadeUp, service: RolloutService) -> None:
        found = await ended(service, service.begin(asked(start_image=None, state=None, table=7)).id)

        assert found.start_image == "table-7"
        assert made.payloads[0]["start_image"] == "table-7"
        assert made.payloads[0]["state"] == tuple(STATE)
        assert made.tables.played == (7, 96, "u1111111111111111", "made-up")
        assert found.simulated is not None

    run(tmp_path, act)


def test_a_job_that_fails_ends_it_with_its_reason(tmp_path: Path):
    async def act(made: MadeUp, service: RolloutService) -> None:
        made.fails = EngineError("The engine gave up.")
        found = await ended(service, service.begin(asked()).id)

        assert found.state == "failed"
        assert found.error is not None
        assert found.error.message == "The engine gave up."

    run(tmp_path, act)


def test_one_that_is_cancelled_gives_up_its_job(tmp_path: Path):
    async def act(made: MadeUp, service: RolloutService) -> None:
        made.hangs = True
        begun = service.begin(asked())
        while not made.payloads:
            await asyncio.sleep(0.005)

        assert (await service.cancel(begun.id)).state == "cancelled"
        assert len(made.given_up) == 1
        with pytest.raises(RolloutNotFound):
            service.get("nowhere")

    run(tmp_path, act)


def test_only_so_many_run_at_once(tmp_path: Path):
    async def act(made: MadeUp, service: RolloutService) -> None:
        made.hangs = True
        begun = [service.begin(asked()).id for _ in range(4)]
        with pytest.raises(Busy):
            service.begin(asked())
        for rollout_id in begun:
            await service.cancel(rollout_id)

    run(tmp_path, act)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"state": None}, "state has none"),
        ({"table": 3}, "either start_image or table"),
        ({"table": 3, "start_image": None}, "a state of its own"),
        ({"horizon": 36}, "horizon is 36"),
        ({"num_chunks": 17}, "maximum is 16"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_it_begins(changes: dict[str, Any], words: str):
    with pytest.raises(BadInput, match=words):
        asked(**changes)
