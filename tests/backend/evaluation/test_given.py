"""Runs of a policy: their answers are sent, kept once, and continued after a restart."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from backend.database import Database
from evaluation_studio import colours, reads, studio
from studio.errors import BadInput, Conflict
from studio.evaluation import Answer
from studio.evaluation.episodes import EpisodeResult
from studio.evaluation.runs import StartRun

LIFTED = EpisodeResult(success=True, lifted=True, seconds=2.5).to_text()
MISSED = EpisodeResult(success=False, lifted=False, seconds=8.0).to_text()


def lifts() -> dict[str, Any]:
    items = [
        {"id": f"table/{level}/1", "question": f"{level}: lift it", "category": level} for level in ("vague", "default")
    ]
    return {"name": "table", "form": "policy", "items": items}


STARTED = StartRun(benchmark="table", reasoner="pocket", title="first")


def test_episodes_are_kept_as_they_come_and_the_last_one_ends_the_run(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path) as own:
            await own.benchmarks.add(lifts())
            run = await own.runs.start(STARTED)
            assert (run.state, run.reasoner, run.title) == ("running", "pocket", "first")
            run = await own.runs.give(run.id, [Answer(item="table/vague/1", text=LIFTED, seconds=2.5)])
            assert (run.state, run.num_answered) == ("running", 1)
            run = await own.runs.give(run.id, [Answer(item="table/default/1", text=MISSED, seconds=8.0)])
            assert (run.state, run.spent_s) == ("succeeded", 10.5)
            assert run.headline is not None
            assert (run.headline.metric, run.headline.value) == ("task_success", 0.5)
            again = await own.runs.give(run.id, [Answer(item="table/default/1", text=LIFTED)])
            assert again.headline == run.headline, "the first answer stays"

    asyncio.run(act())


def test_a_run_whose_driver_is_gone_is_stopped_by_a_restart_and_continued_by_an_episode(
    database: Database, tmp_path: Path
):
    async def act() -> None:
        async with studio(database, tmp_path) as own:
            await own.benchmarks.add(lifts())
            run = await own.runs.start(STARTED)
            await own.runs.give(run.id, [Answer(item="table/vague/1", text=LIFTED)])
        async with studio(database, tmp_path) as own:
            assert (await own.runs.get(run.id)).state == "stopped"
            with pytest.raises(Conflict, match="policy"):
                await own.runs.resume(run.id)
            ended = await own.runs.give(run.id, [Answer(item="table/default/1", text=LIFTED)])
            assert ended.state == "succeeded"
            assert own.reasoners.asked == []

    asyncio.run(act())


def test_a_running_one_can_be_stopped(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path) as own:
            await own.benchmarks.add(lifts())
            run = await own.runs.start(STARTED)
            with pytest.raises(Conflict, match="running"):
                await own.runs.remove(run.id)
            assert (await own.runs.stop(run.id)).state == "stopped"
            with pytest.raises(Conflict):
                await own.runs.stop(run.id)

    asyncio.run(act())


def test_other_answers_and_other_runs_are_refused(database: Database, tmp_path: Path):
    async def act() -> None:
        async with studio(database, tmp_path, reader=reads) as own:
            await own.benchmarks.add(lifts())
            await own.benchmarks.add(colours(1))
            with pytest.raises(BadInput, match="policy"):
                await own.runs.start(StartRun(benchmark="table"))
            run = await own.runs.start(STARTED)
            with pytest.raises(BadInput, match="elsewhere"):
                await own.runs.give(run.id, [Answer(item="elsewhere", text=LIFTED)])
            asked = await own.ended((await own.runs.start(StartRun(benchmark="colours", reasoner="reader"))).id)
            with pytest.raises(Conflict, match="answered by this server"):
                await own.runs.give(asked.id, [Answer(item="cube-0", text="A")])

    asyncio.run(act())
