"""Numbers for Prometheus, in a registry of this application's own."""

from __future__ import annotations

import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Methods that are counted by name; a caller may invent others, and each would be kept for ever."""


class Metrics:
    """What `/metrics` answers."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.jobs = Gauge("orrery_jobs", "Jobs by state.", ["state"], registry=self._registry)
        self.worker_up = Gauge("orrery_worker_up", "1 while the worker is ready.", registry=self._registry)
        self.worker_starts = Gauge("orrery_worker_starts", "Number of worker starts.", registry=self._registry)
        self.pages = Gauge("orrery_event_subscribers", "Open event streams.", registry=self._registry)
        self.conversations = Gauge("orrery_conversations", "Open conversations.", registry=self._registry)
        self.pieces = Counter("orrery_answer_pieces", "Answer chunks received.", registry=self._registry)
        self.tokens = Counter("orrery_chat_tokens", "Closed conversations.", ["way"], registry=self._registry)
        self.policy_seconds = Histogram("orrery_policy_seconds", "Policy request of an arm.", registry=self._registry)
        self.requests = Counter("orrery_http_requests", "Answered.", ["method", "status"], registry=self._registry)
        self.seconds = Histogram("orrery_http_request_seconds", "Time to answer.", registry=self._registry)

    def render(self) -> bytes:
        """The text exposition format."""
        return generate_latest(self._registry)


class RequestMetrics:
    """ASGI middleware: counts and times every HTTP request."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Time one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in METHODS else "other"
        began = time.perf_counter()

        async def note(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._metrics.requests.labels(method, str(message["status"])).inc()
                self._metrics.seconds.observe(time.perf_counter() - began)
            await send(message)

        await self._app(scope, receive, note)
