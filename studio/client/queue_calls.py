"""What a server can be asked about the order of its jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studio.client.connection import Connection
from studio.client.names import batch_path, job_path
from studio.jobs import Job, Priority
from studio.queue import Batch, BatchRequest, Estimate, QueueStatus


class QueueCalls:
    """The queue of one server, as `StudioClient.queue`. Everything raises StudioErrors."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def status(self) -> QueueStatus:
        """How long it is, and whether it is paused."""
        return await self._connection.ask("GET", "/v1/queue", QueueStatus)

    async def pause(self) -> QueueStatus:
        """Start nothing until somebody resumes; what runs goes on."""
        return await self._connection.ask("POST", "/v1/queue/pause", QueueStatus)

    async def resume(self) -> QueueStatus:
        """Start jobs again."""
        return await self._connection.ask("POST", "/v1/queue/resume", QueueStatus)

    async def clear(self) -> QueueStatus:
        """Cancel everything that is queued; what runs goes on."""
        return await self._connection.ask("DELETE", "/v1/queue", QueueStatus)

    async def move(self, job_id: str, before: str | None) -> Job:
        """Put a queued job just before another one, or last. Raises JobNotFound, Conflict."""
        return await self._connection.ask("POST", f"{job_path(job_id)}/move", Job, json={"before": before})

    async def set_priority(self, job_id: str, priority: Priority) -> Job:
        """Put a queued job behind the last one of a priority. Raises JobNotFound, Conflict."""
        return await self._connection.ask("PATCH", job_path(job_id), Job, json={"priority": priority})

    async def duplicate(self, job_id: str, changes: Mapping[str, Any] | None = None) -> Job:
        """Queue a job's request again, with changes. Raises as `StudioClient.submit`, and JobNotFound."""
        body = {"changes": dict(changes or {})}
        return await self._connection.ask("POST", f"{job_path(job_id)}/duplicate", Job, json=body)

    async def submit_batch(self, batch: BatchRequest) -> Batch:
        """Hand in jobs together: all of them are accepted, or none."""
        body = batch.model_dump(mode="json", exclude_defaults=True)
        return await self._connection.ask("POST", "/v1/batches", Batch, json=body)

    async def batch(self, batch_id: str) -> Batch:
        """A batch's jobs as they are now. Raises JobNotFound."""
        return await self._connection.ask("GET", batch_path(batch_id), Batch)

    async def cancel_batch(self, batch_id: str) -> Batch:
        """Cancel what has not ended of a batch. Raises JobNotFound."""
        return await self._connection.ask("DELETE", batch_path(batch_id), Batch)

    async def estimate(self, request: Mapping[str, Any]) -> Estimate:
        """How long a request would take, as `POST /v1/jobs` takes it. Raises BadInput."""
        return await self._connection.ask("POST", "/v1/estimates", Estimate, json={"request": dict(request)})
