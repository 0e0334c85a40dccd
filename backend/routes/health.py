"""Is it alive, is it ready, how is it doing."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST

from backend.jobs.ledger import Ledger
from backend.services import Parts, UsesEngines
from studio.jobs import JobState

router = APIRouter(tags=["health"])

NOT_READY: dict[int | str, dict[str, Any]] = {503: {"description": "not ready"}}


@router.get("/healthz", response_class=PlainTextResponse)
async def healthz() -> str:
    """Liveness check: one word if the server is running."""
    return "ok"


@router.get("/readyz", response_class=PlainTextResponse, responses=NOT_READY)
@router.get("/health", response_class=PlainTextResponse, responses=NOT_READY)
@router.get("/v1/health/ready", response_class=PlainTextResponse, responses=NOT_READY)
async def readyz(engines: UsesEngines) -> PlainTextResponse:
    """Readiness check: the checkpoint's state; 200 if it is `ready`, or `asleep`, since the next request wakes it.

    The same as vLLM's and SGLang's `/health` and NIM's `/v1/health/ready`.
    """
    state = engines.status.state
    return PlainTextResponse(state, 200 if state in ("ready", "asleep") else 503)


@router.get("/metrics", response_class=Response)
async def metrics(parts: Parts) -> Response:
    """Metrics in Prometheus' text format."""
    counts = await parts.ledger.live_jobs.look(Ledger.counts)
    for state in JobState:
        parts.ledger.metrics.jobs.labels(state.value).set(counts.get(state.value, 0))
    parts.ledger.metrics.worker_up.set(parts.fleet.engines.status.state == "ready")
    parts.ledger.metrics.worker_starts.set(sum(engine.worker_starts for engine in parts.fleet.engines.dispatchers))
    parts.ledger.metrics.conversations.set(parts.words.reasoning.num_open)
    parts.ledger.metrics.pages.set(parts.ledger.broadcast.num_subscribers)
    return Response(parts.ledger.metrics.render(), media_type=CONTENT_TYPE_LATEST)
