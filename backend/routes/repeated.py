"""Calls with an `Idempotency-Key`: the same again is answered with the same job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Header, Response

from backend.services import Services
from studio.jobs import Job

IdempotencyKey = Annotated[
    str | None, Header(alias="Idempotency-Key", description="The same key and body again is the same job.")
]

REPLAYED = "Idempotency-Replayed"

GUARDRAIL = "X-Orrery-Guardrail"
"""Whether the words of a request were checked: the job's `guardrail`."""


async def submitted(
    parts: Services, payload: Mapping[str, Any], key: str | None, response: Response | None = None, **options: Any
) -> tuple[Job, bool]:
    """The job for a payload, and whether it was asked for before; the answer's headers say so too."""
    job, replayed = await parts.ledger.promises.once(
        key, payload, lambda job_id: parts.fleet.jobs.submit(payload, job_id=job_id, **options)
    )
    if response is not None:
        response.headers.update(told_of(job, replayed))
    return job, replayed


def told_of(job: Job, replayed: bool) -> dict[str, str]:
    """Headers of an answer about a job that was handed in."""
    headers = {REPLAYED: "true"} if replayed else {}
    return headers | ({GUARDRAIL: job.guardrail} if job.guardrail else {})
