"""The jobs that are open and were asked for, as they stand in the ledger: who reads one again asks no database.

Everything that changes an open job goes through the board, which tells this book; so what is here is what is written
down. Jobs that have ended are left out: others remove them.
"""

from __future__ import annotations

from studio.jobs import Job


class OpenBook:
    """Open jobs by id. Lives on the event loop's thread.

    Attributes:
        num_changes: how often anything was changed; who reads the ledger beside its thread compares before and after.
    """

    def __init__(self) -> None:
        self._kept: dict[str, Job] = {}
        self._shown: dict[str, tuple[Job, bytes]] = {}
        self.num_changes = 0

    def get(self, job_id: str) -> Job | None:
        """A job, if it is kept."""
        return self._kept.get(job_id)

    def changed(self, *jobs: Job) -> None:
        """The ledger has these jobs so now."""
        self.num_changes += 1
        for job in jobs:
            self.keep(job)

    def keep(self, job: Job) -> None:
        """What the ledger has this moment; of one that has ended nothing."""
        if job.state.ended:
            self._kept.pop(job.id, None)
            self._shown.pop(job.id, None)
        else:
            self._kept[job.id] = job

    def forget(self) -> None:
        """More has changed than anybody could list."""
        self.num_changes += 1
        self._kept.clear()
        self._shown.clear()

    def encoded(self, job: Job) -> bytes:
        """A job as JSON: written once, for as long as it is the same object that is asked for."""
        found = self._shown.get(job.id)
        if found is not None and found[0] is job:
            return found[1]
        written = job.model_dump_json().encode()
        if self._kept.get(job.id) is job:
            self._shown[job.id] = job, written
        return written
