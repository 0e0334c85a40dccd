"""Jobs whose ids are known before they are, given up."""

import asyncio
from typing import Any, cast

import pytest

from backend.jobs.promised import PromisedJobs
from studio.errors import Conflict, OutOfMemory


class SlowToCancel:
    """A `JobService` whose job runs on after its cancel was answered."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()

    async def cancel(self, _: str) -> None:
        """As the service answers where the present step is longer than it waits."""

    async def finished(self, _: str) -> None:
        await self.ended.wait()


def test_a_checkpoint_that_could_not_be_loaded_is_a_conflict_and_says_why():
    class OutOfRoom:
        def refuse_if_failed(self, _: str) -> None:
            raise OutOfMemory("It needs 80 GB.", hint="Use another.")

    with pytest.raises(Conflict, match=r"nano could not be loaded: It needs 80 GB\.") as refused:
        PromisedJobs(cast(Any, OutOfRoom())).refuse_if_failed("nano")
    assert refused.value.hint == "Use another."


def test_a_job_is_given_up_once_it_has_ended():
    async def act() -> None:
        jobs = SlowToCancel()
        giving_up = asyncio.create_task(PromisedJobs(cast(Any, jobs)).give_up("a job"))
        await asyncio.sleep(0.01)
        assert not giving_up.done()
        jobs.ended.set()
        await giving_up

    asyncio.run(act())
