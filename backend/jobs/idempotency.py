"""Calls that may come twice: an `Idempotency-Key` stands for one job, also after a restart.

The key is written down with the id that its job will have before the job is: whatever dies in between, the same call
again makes that job and no other. One that was refused has promised nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import delete

from backend.database import Database
from backend.database.tables import IdempotencyRow
from studio.errors import BadInput, Conflict, JobNotFound, StudioError
from studio.jobs import Job

KEPT_FOR = timedelta(days=7)
MAX_KEY_CHARACTERS = 256


def check_key(key: str) -> None:
    """Raises BadInput where it cannot be an `Idempotency-Key`."""
    if not (key.isascii() and key.isprintable() and 0 < len(key) <= MAX_KEY_CHARACTERS):
        raise BadInput(
            f"Idempotency-Key has {len(key):,} characters; expected 1 to {MAX_KEY_CHARACTERS} ASCII characters.",
            param="Idempotency-Key",
        )


def fingerprint_of(body: bytes) -> str:
    """What tells two bodies of one key apart."""
    return hashlib.sha256(body).hexdigest()


def check_same(earlier: str, fingerprint: str) -> None:
    """Raises Conflict where a key comes with another body than before."""
    if earlier != fingerprint:
        raise Conflict(
            "This Idempotency-Key was already used for another request.",
            param="Idempotency-Key",
            hint="Use a new key for a new request.",
        )


class IdempotencyKeys:
    """Keys and the jobs that they stand for.

    Args:
        database: where they are written down.
        get: a job by its id; raises JobNotFound.
    """

    def __init__(self, database: Database, get: Callable[[str], Awaitable[Job]]) -> None:
        self._database = database
        self._get = get
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    async def once(
        self, key: str | None, payload: Mapping[str, Any], submit: Callable[[str | None], Awaitable[Job]]
    ) -> tuple[Job, bool]:
        """The job that a call asks for, and whether an earlier call with the same key has made it.

        Args:
            key: of the caller, or none for a call that is made every time.
            payload: what is asked for; the same key must ask for the same.
            submit: accepts it as a job with this id, or any where it is none.

        Raises:
            BadInput: the key cannot be one.
            Conflict: it was given with another payload.
            StudioError: what `submit` raises.
        """
        if key is None:
            return await submit(None), False
        check_key(key)
        fingerprint = fingerprint_of(json.dumps(payload, sort_keys=True).encode(errors="replace"))
        async with self._alone(key):
            job_id, known = await self._database.alone(lambda: self._claim(key, fingerprint))
            if known:
                try:
                    return await self._get(job_id), True
                except JobNotFound:
                    pass  # promised, and then the server died or the job was erased: it is made now
            try:
                return await submit(job_id), False
            except StudioError:
                await self._database.alone(lambda: self._forget(key))
                raise

    @asynccontextmanager
    async def _alone(self, key: str) -> AsyncGenerator[None]:
        """One call of a key at a time."""
        lock, waiting = self._locks.get(key, (asyncio.Lock(), 0))
        self._locks[key] = lock, waiting + 1
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._locks.pop(key)
            if waiting > 1:
                self._locks[key] = lock, waiting - 1

    def _claim(self, key: str, fingerprint: str) -> tuple[str, bool]:
        now = datetime.now(UTC)
        with self._database.transaction() as session:
            session.execute(delete(IdempotencyRow).where(IdempotencyRow.created_at < now - KEPT_FOR))
            row = session.get(IdempotencyRow, key)
            if row is None:
                row = IdempotencyRow(key=key, fingerprint=fingerprint, job_id=secrets.token_hex(6), created_at=now)
                session.add(row)
                return row.job_id, False
            check_same(row.fingerprint, fingerprint)
            return row.job_id, True

    def _forget(self, key: str) -> None:
        with self._database.transaction() as session:
            session.execute(delete(IdempotencyRow).where(IdempotencyRow.key == key))
