"""What is behind the server's edge, running: workers load, and what was interrupted is taken up again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import structlog

from backend import vital
from backend.media import DECODERS
from backend.services import Services
from backend.version import VERSION

log = structlog.get_logger("orrery.server")


@asynccontextmanager
async def living(services: Services) -> AsyncGenerator[None]:
    """Open everything, and close it at the end."""
    DECODERS.start()
    ledger, fleet, library = services.ledger, services.fleet, services.library
    swept = await ledger.live_jobs.sweep()
    log.info("server_starting", version=VERSION, checkpoint=fleet.catalogue.active.id, swept_files=swept)
    running = vital.keep(asyncio.create_task(fleet.engines.run(services.words.preparations)), "fleet")
    guarding = asyncio.create_task(fleet.guard.run())
    opening = asyncio.create_task(library.items.open())
    refining = asyncio.create_task(library.refining.open())
    evaluating = asyncio.create_task(services.evaluation.runs.open())
    rating = asyncio.create_task(services.evaluation.hue_tasks.open())
    tuning = asyncio.create_task(services.tuning.tunings.open())
    try:
        yield
    finally:
        DECODERS.close()
        services.words.answers.close()
        library.controls.close()
        library.sheets.close()
        library.measuring.close()
        opening.cancel()
        refining.cancel()
        evaluating.cancel()
        rating.cancel()
        tuning.cancel()
        await services.tuning.captions.close()
        await services.tuning.tunings.close()
        await library.refining.close()
        await services.evaluation.runs.close()
        await services.evaluation.judging.close()
        await services.evaluation.questions.close()
        await library.rollouts.close()
        await library.fans.close()
        await services.evaluation.hue_tasks.close()
        guarding.cancel()
        await fleet.guard.close()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await fleet.engines.close()
        await fleet.checkpoint_tasks.close()
        await ledger.live_jobs.close()
        log.info("server_stopped")
