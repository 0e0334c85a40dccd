"""A job that is asked for again is answered from memory, and is what the ledger has."""

import asyncio
import json
from pathlib import Path
from typing import Any

from backend.broadcast import Broadcast
from backend.database import open_database
from backend.jobs.ledger import Accepted, Ledger
from backend.jobs.live_jobs import LiveJobs, queue_status
from backend.jobs.queue_service import move_job, set_priority
from backend.media import MediaStore
from studio.jobs import Job, Progress
from studio.requests import GenerateImage

CUBE = GenerateImage(prompt="a red cube")
ONE, TWO = "000000000001", "000000000002"


def test_an_open_job_is_read_once_and_every_change_of_it_is_seen(tmp_path: Path):
    async def act() -> None:
        database = open_database(tmp_path / "orrery.db")
        ledger, looks = Ledger(database), list[object]()
        live_jobs = LiveJobs(ledger, MediaStore(tmp_path / "media"), Broadcast())
        look = live_jobs.look

        def counted(query: Any, *args: Any) -> Any:
            # The whole queue is looked at after every move; that is no look at a job.
            if query is not queue_status:
                looks.append(query)
            return look(query, *args)

        live_jobs.look = counted  # type: ignore[method-assign]
        live_jobs.resident = frozenset({"speck"})
        for job in (ONE, TWO):
            await live_jobs.move(Ledger.insert, Accepted(job, CUBE, "speck"))

        async def seen(job_id: str) -> Job:
            job = await live_jobs.get(job_id)
            assert Job.model_validate_json(await live_jobs.encoded(job_id)) == job
            live = {"progress": job.progress, "waiting_for": job.waiting_for}
            assert ledger.get(job_id).model_copy(update=live) == job
            return job

        assert await seen(ONE) is await live_jobs.get(ONE)
        assert await live_jobs.encoded(ONE) is await live_jobs.encoded(ONE)
        live_jobs.resident = frozenset()
        assert (await seen(ONE)).waiting_for == "checkpoint speck"
        live_jobs.resident = frozenset({"speck"})
        assert (await seen(ONE)).waiting_for is None
        await live_jobs.move(set_priority, TWO, "high")
        assert (await seen(TWO)).priority == "high"
        await live_jobs.move(move_job, TWO, None)
        await seen(TWO)
        await live_jobs.claim("speck")
        assert (await seen(ONE)).state == "running"
        live_jobs.advance(ONE, Progress(phase="denoising", step=3, steps=35))
        assert (await seen(ONE)).progress.step == 3
        assert json.loads(await live_jobs.encoded(ONE))["progress"]["step"] == 3
        assert not looks
        await live_jobs.move(Ledger.cancel, TWO)
        assert (await live_jobs.get(TWO)).state == "cancelled"
        assert len(looks) == 1, "what has ended may be removed by others"
        await live_jobs.close()

    asyncio.run(act())


def test_jobs_that_all_got_other_positions_are_read_again(tmp_path: Path):
    async def act() -> None:
        ledger = Ledger(open_database(tmp_path / "orrery.db"))
        live_jobs = LiveJobs(ledger, MediaStore(tmp_path / "media"), Broadcast())
        names = [f"{number:012d}" for number in range(4)]
        for job in names:
            await live_jobs.move(Ledger.insert, Accepted(job, CUBE, "speck"))
        for _ in range(40):  # each move halves the room between two
            await live_jobs.move(move_job, names[3], names[1])
            await live_jobs.move(move_job, names[2], names[1])
        assert ledger.num_spreads
        for job in names:
            assert (await live_jobs.get(job)).position == ledger.get(job).position
        await live_jobs.close()

    asyncio.run(act())


def test_a_page_of_jobs_ends_with_the_cursor_of_the_next(tmp_path: Path):
    ledger = Ledger(open_database(tmp_path / "orrery.db"))
    names = [f"{number:012d}" for number in range(5)]
    for job in names:
        ledger.insert(Accepted(job, CUBE, "speck"))

    found, before, pages = list[str](), None, 0
    while pages == 0 or before is not None:
        jobs, before = ledger.page(2, None, before)
        found += [job.id for job in jobs]
        pages += 1

    assert (found, pages) == (names[::-1], 3)
    assert ledger.page(5)[1] is None
    ledger.close()
