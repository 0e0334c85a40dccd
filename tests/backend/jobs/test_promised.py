"""Jobs whose ids are known before they are, given up."""

import asyncio
from typing import Any, cast

from backend.jobs.promised import PromisedJobs


class SlowToCancel:
    """A `JobService` whose job runs on after its cancel was answered."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()

    async def cancel(self, _: str) -> None:
        """As the service answers where the present step is longer than it waits."""

    async def finished(self, _: str) -> None:
        await self.ended.wait()


def test_a_job_is_given_up_once_it_has_ended():
    async def act() -> None:
        jobs = SlowToCancel()
        giving_up = asyncio.create_task(PromisedJobs(cast(Any, jobs)).give_up("a job"))
        await asyncio.sleep(0.01)
        assert not giving_up.done()
        jobs.ended.set()
        await giving_up

    asyncio.run(act())
