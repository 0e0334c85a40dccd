"""A server ends with what it is nothing without, and with nothing else."""

import asyncio
import signal

from backend import vital


async def _broken() -> None:
    raise ValueError("nobody foresaw this")


async def _done() -> None:
    return


def test_the_server_is_ended_by_a_task_that_died_and_not_by_one_that_ended_or_was_cancelled():
    async def trial() -> None:
        told = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
        ended = vital.keep(asyncio.create_task(_done()), "ended")
        cancelled = vital.keep(asyncio.create_task(asyncio.sleep(60)), "cancelled")
        cancelled.cancel()
        await asyncio.wait({ended, cancelled})
        await asyncio.sleep(0)
        assert not told.is_set()
        vital.keep(asyncio.create_task(_broken()), "broken")
        await asyncio.wait_for(told.wait(), 60)

    asyncio.run(trial())
