"""Fans over jobs and a reasoner that are made up: what each branch is asked, how it is ranked, and how one ends."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from backend.imagining import FanService
from made_up_jobs import MadeUpJobs, clip
from studio.errors import BadInput, Busy, EngineError, FanNotFound
from studio.fans import Fan, FanRequest
from studio.prompting import Question, VideoUrl
from studio.requests import parse_as

STATE = [0.0, -0.6, 0.0, -2.5, 0.0, 1.9, 0.0, 0.0]


def asked(**changes: Any) -> FanRequest:
    base = {"prompt": "Lift it.", "start_image": "u0123456789abcdef", "state": STATE, "num_seeds": 3, "seed": 5}
    return parse_as(FanRequest, base | changes)


class MadeUpReasoner:
    """It scores the clips that it is shown by a table."""

    def __init__(self) -> None:
        self.scores: dict[str, Any] = {clip(1): 2, clip(2): 5, clip(3): 5}
        self.questions: list[Question] = []
        self.asked: list[str] = []

    def check(self, name: str, param: str) -> None:
        if name == "nobody":
            raise BadInput("There is no reasoner.", param=param)

    @asynccontextmanager
    async def asking(self, name: str, files: Any, *, patient: bool) -> AsyncIterator[Any]:
        assert patient
        self.asked.append(name)
        [own] = files

        async def ask(question: Question) -> str:
            self.questions.append(question)
            return json.dumps({"reason": f"It shows {own}.", "score": self.scores[own]})

        yield SimpleNamespace(ask=ask, parts=(VideoUrl(url=f"own:{own}"),))


def run(folder: Path, act: Callable[[MadeUpJobs, Any, FanService], Coroutine[Any, Any, None]]) -> None:
    async def inside() -> None:
        made: Any = MadeUpJobs(folder)
        reasoner: Any = MadeUpReasoner()
        async with asyncio.timeout(60):
            await act(made, reasoner, FanService(made, made, reasoner))

    asyncio.run(inside())


async def ended(service: FanService, fan_id: str) -> Fan:
    while (found := service.get(fan_id)).state == "running":
        await asyncio.sleep(0.005)
    return found


def test_each_seed_is_a_branch_with_its_actions_its_clip_and_its_path(tmp_path: Path):
    async def act(made: MadeUpJobs, _: Any, service: FanService) -> None:
        found = await ended(service, service.begin(asked(cameras="simulated")).id)

        assert found.state == "succeeded"
        assert [one["sampling"]["seed"] for one in made.payloads] == [5, 6, 7]
        assert {one["prompt"] for one in made.payloads} == {"Lift it."}
        assert all(one["kind"] == "run_policy" and one["decode_video"] for one in made.payloads)
        assert [branch.seed for branch in found.branches] == [5, 6, 7]
        assert [branch.actions[0][0] for branch in found.branches] == [0.01, 0.02, 0.03]
        assert [branch.video.id for branch in found.branches if branch.video] == [clip(1), clip(2), clip(3)]
        assert all(len(branch.paths) == 3 for branch in found.branches)

    run(tmp_path, act)


def test_each_instruction_is_a_branch_of_one_seed_and_is_ranked_against_the_prompt(tmp_path: Path):
    async def act(made: MadeUpJobs, reasoner: Any, service: FanService) -> None:
        found = await ended(service, service.begin(asked(instructions=["Lift it up.", "Push it.", "Wait."])).id)

        assert [one["prompt"] for one in made.payloads] == ["Lift it up.", "Push it.", "Wait."]
        assert {one["sampling"]["seed"] for one in made.payloads} == {5}
        assert all("Lift it." in question.messages[-1].parts[-1].text for question in reasoner.questions)
        assert all(branch.paths == () for branch in found.branches)  # whose cameras it shows was not said

    run(tmp_path, act)


def test_the_policys_own_checkpoint_ranks_and_a_tie_goes_to_the_earlier_branch(tmp_path: Path):
    async def act(_: MadeUpJobs, reasoner: Any, service: FanService) -> None:
        found = await ended(service, service.begin(asked()).id)

        assert [branch.score for branch in found.branches] == [2, 5, 5]
        assert found.ranking == (1, 2, 0)
        assert found.branches[0].reason == f"It shows {clip(1)}."
        assert set(reasoner.asked) == {"made-up"}

    run(tmp_path, act)


def test_a_reasoner_that_gives_no_usable_answer_leaves_the_branches_unranked(tmp_path: Path):
    async def act(_: MadeUpJobs, reasoner: Any, service: FanService) -> None:
        reasoner.scores[clip(2)] = "very good"
        found = await ended(service, service.begin(asked()).id)

        assert found.state == "succeeded"
        assert found.ranking == ()
        assert found.unranked is not None
        assert all(branch.video is not None for branch in found.branches)

    run(tmp_path, act)


def test_a_job_that_fails_ends_it_with_its_reason_and_gives_up_the_others(tmp_path: Path):
    async def act(made: MadeUpJobs, _: Any, service: FanService) -> None:
        made.fails = EngineError("The engine gave up.")
        found = await ended(service, service.begin(asked()).id)

        assert found.state == "failed"
        assert found.error is not None
        assert found.error.message == "The engine gave up."

    run(tmp_path, act)


def test_one_that_is_cancelled_gives_up_its_jobs(tmp_path: Path):
    async def act(made: MadeUpJobs, _: Any, service: FanService) -> None:
        made.hangs = True
        begun = service.begin(asked())
        while len(made.payloads) < 3:
            await asyncio.sleep(0.005)

        assert (await service.cancel(begun.id)).state == "cancelled"
        assert len(made.given_up) == 3
        with pytest.raises(FanNotFound):
            service.get("nowhere")

    run(tmp_path, act)


def test_only_so_many_run_at_once_and_only_by_a_reasoner_that_is_there(tmp_path: Path):
    async def act(made: MadeUpJobs, _: Any, service: FanService) -> None:
        with pytest.raises(BadInput):
            service.begin(asked(judge="nobody"))
        made.hangs = True
        begun = [service.begin(asked()).id for _ in range(4)]
        with pytest.raises(Busy):
            service.begin(asked())
        for fan_id in begun:
            await service.cancel(fan_id)

    run(tmp_path, act)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"state": None}, "state has none"),
        ({"num_seeds": 1}, "expected at least 2"),
        ({"instructions": ["Lift it."]}, "one instruction makes no fan"),
        ({"embodiment": "pusht", "state": None, "cameras": "simulated"}, "the simulated cameras see"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_it_begins(changes: dict[str, Any], words: str):
    with pytest.raises(BadInput, match=words):
        asked(**changes)
