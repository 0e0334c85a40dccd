"""`/v1/events`: the one websocket of a page. A snapshot, then numbered changes, and previews of what it shows."""

from __future__ import annotations

import json
from typing import Any, cast

import structlog
from fastapi import APIRouter, WebSocket

from backend.broadcast import Subscription
from backend.routes.connections import both_ways, close, receive
from backend.services import Services, services_of
from backend.version import VERSION
from studio.events import State, System

router = APIRouter()
log = structlog.get_logger("orrery.events")

SNAPSHOT_JOBS = 100
MAX_TOPICS = 64
TRY_AGAIN_LATER = 1013
"""Close code of RFC 6455's registry: the client lagged, and should start from a new snapshot."""


@router.websocket("/v1/events")
async def events(socket: WebSocket) -> None:
    """Serve one page until it goes."""
    parts = services_of(socket)
    await socket.accept()
    with parts.ledger.broadcast.subscribe() as subscription:
        try:
            await both_ways(_read(socket, parts, subscription), _write(socket, parts, subscription))
        finally:
            _want(parts, subscription, frozenset())
    await close(socket, TRY_AGAIN_LATER, "The client reads too slowly.")


def _want(parts: Services, subscription: Subscription, topics: frozenset[str]) -> None:
    parts.ledger.broadcast.want(subscription, topics)
    parts.fleet.engines.interest_changed()


async def _write(socket: WebSocket, parts: Services, subscription: Subscription) -> None:
    told = await _send_snapshot(socket, parts)
    while not subscription.lagged:
        item = await subscription.items.get()
        if item is None:
            told = await _send_snapshot(socket, parts)
        elif isinstance(item, bytes):
            await socket.send_bytes(item)
        elif item.seq > told:
            told = item.seq
            await socket.send_text(item.model_dump_json())


async def _read(socket: WebSocket, parts: Services, subscription: Subscription) -> None:
    while True:
        frame = await receive(socket)
        message = _object(frame if isinstance(frame, str) else "")
        topics = message.get("want")
        if isinstance(topics, list):
            wanted = cast(list[object], topics)[:MAX_TOPICS]
            _want(parts, subscription, frozenset(topic for topic in wanted if isinstance(topic, str)))
        if message.get("resync"):
            # Through the queue: the changes before it are told first, and none of them twice.
            subscription.items.put_nowait(None)


async def _send_snapshot(socket: WebSocket, parts: Services) -> int:
    async def draw() -> State:
        return State(jobs=await parts.ledger.live_jobs.snapshot(SNAPSHOT_JOBS), system=system_of(parts))

    seq, text = await parts.ledger.snapshots.current(draw)
    await socket.send_text(text)
    return seq


def system_of(parts: Services) -> System:
    """What the header shows, now."""
    return System(
        checkpoint=parts.fleet.engines.status,
        checkpoints=parts.fleet.engines.statuses,
        errands=dict(parts.fleet.checkpoint_tasks.listing),
        queue=parts.ledger.live_jobs.queue,
        library_revision=parts.ledger.news.revision,
        refinement_revision=parts.library.refining.revision,
        evaluation_revision=parts.evaluation.news.revision,
        tuning_revision=parts.tuning.news.revision,
        tunings=dict(parts.tuning.news.progress),
        num_answering=parts.words.reasoning.num_open,
        guardrail=parts.fleet.guard.status,
        version=VERSION,
    )


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}
