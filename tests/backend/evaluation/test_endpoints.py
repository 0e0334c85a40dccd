"""Runs that ask an endpoint: what it refuses of one item, and what is wrong with its entry."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from backend.arena.reasoners import Reasoners
from backend.database import Database
from evaluation_studio import colours, studio
from scripted_endpoint import Answer, scripted_endpoint
from studio.evaluation.runs import EvaluationRun, StartRun


class NoCheckpoints:
    def here(self) -> tuple[str, ...]:
        return ()


def asked_of(*answers: Answer, database: Database, folder: Path) -> EvaluationRun:
    """A run of three items, once an endpoint has given these answers."""

    async def act(address: str) -> EvaluationRun:
        file = folder / "reasoners.toml"
        file.write_text(f'[sage]\nurl = "{address}"\nmodel = "first"\n')
        nobody = cast(Any, None)
        reasoners = Reasoners(nobody, nobody, cast(Any, NoCheckpoints()), file)
        async with studio(database, folder, None, reasoners) as own:
            await own.benchmarks.add(colours(num=3))
            return await own.ended((await own.runs.start(StartRun(benchmark="colours", reasoner="sage"))).id)

    with scripted_endpoint() as sage:
        sage.answers = list(answers)
        return asyncio.run(act(sage.address))


@pytest.mark.parametrize(
    "refusal",
    [
        pytest.param((400, b'{"error": {"message": "context length exceeded"}}'), id="a question that is too long"),
        pytest.param((413, b""), id="media that are too large"),
    ],
)
def test_an_item_that_an_endpoint_refuses_fails_alone(database: Database, tmp_path: Path, refusal: tuple[int, bytes]):
    run = asked_of(refusal, "<answer>A</answer>", database=database, folder=tmp_path)
    assert (run.state, run.num_answered, run.num_failed) == ("succeeded", 2, 1)


@pytest.mark.parametrize("status", [401, 404])
def test_a_key_or_a_model_that_is_not_taken_fails_the_run(database: Database, tmp_path: Path, status: int):
    run = asked_of((status, b""), database=database, folder=tmp_path)
    assert run.error is not None
    assert (run.state, run.error.code, run.num_failed) == ("failed", "server_unreachable", 0)
    assert "reasoners.toml" in run.error.hint
