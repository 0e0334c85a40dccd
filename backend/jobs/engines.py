"""What the job service asks of whoever runs jobs."""

from __future__ import annotations

from typing import Protocol

from studio.events import CheckpointStatus
from studio.jobs import Job


class Engines(Protocol):
    """All engines of the server together; `backend.fleet.Fleet` is it."""

    def wake(self) -> None:
        """Something was queued."""
        ...

    def status_of(self, checkpoint: str) -> CheckpointStatus:
        """A checkpoint as engines have it."""
        ...

    async def cancel(self, job_id: str) -> Job:
        """Cancel a job: a queued one at once, a running one after its present step. Raises Conflict if it has ended."""
        ...

    async def stop_job(self, job_id: str) -> Job:
        """Stop a running job and keep what is there. Raises Conflict unless it runs."""
        ...
