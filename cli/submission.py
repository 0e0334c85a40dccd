"""One job from its request to its end, which a person may put with Ctrl+C."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable

from studio.client import StudioClient
from studio.errors import Conflict, StudioError
from studio.jobs import Job
from studio.requests import Request

CANCEL_TIMEOUT_S = 5.0


async def run_job(client: StudioClient, request: Request, watch: Callable[[Job], None]) -> Job:
    """Hand in a request and wait for its job's end; who is cancelled cancels the job.

    Args:
        client: of the server.
        request: what is asked for.
        watch: told of the job at every change.

    Raises:
        StudioError: the request was refused, or the job failed with this.
        Conflict: somebody else cancelled it.
    """
    # A task of its own: Ctrl+C while the request is on its way must still learn which job to cancel.
    submitting = asyncio.create_task(client.submit(request))
    try:
        job = await asyncio.shield(submitting)
        watch(job)
        async for latest in client.events(job.id):
            job = latest
            watch(job)
    except asyncio.CancelledError:
        await _cancel(client, submitting)
        raise
    if job.error is not None:
        raise job.error.error()
    if job.state == "cancelled":
        raise Conflict(f"Job {job.id} was cancelled.", hint="orrery jobs retry runs it again.")
    return job


async def _cancel(client: StudioClient, submitting: asyncio.Task[Job]) -> None:
    try:
        async with asyncio.timeout(CANCEL_TIMEOUT_S):
            await client.cancel((await submitting).id)
    except Conflict:
        return  # it had ended by itself
    except (StudioError, TimeoutError):
        print("orrery: the server could not be told; the job may go on.", file=sys.stderr)
