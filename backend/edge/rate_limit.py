"""How often one caller may come: a bucket for each address, which fills again with time."""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from backend.errors import answer
from studio.errors import TooManyRequests

DEFAULT_PER_MINUTE = 600
"""For callers on other machines, unless the settings say otherwise: ten changes a second, or a hundred looks."""

READ_COST = 0.1
"""Of a call that changes nothing; one that may change something costs 1."""

REFUSED_COST = 20
"""Of a call with no token or a wrong one, beside its own: 30 guesses a minute by default."""

MAX_CALLERS = 10_000
"""Buckets that are kept; the one that was longest unused is forgotten, full as it is by then."""

READS = frozenset({"GET", "HEAD", "OPTIONS"})
LIMITED = ("/v1/", "/login", "/gradio_api/")


class Buckets:
    """What each caller has left.

    Args:
        per_minute: of each; a bucket holds as much and fills at that rate.
        now_s: a clock that does not go back.
    """

    def __init__(self, per_minute: int, now_s: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._now_s = now_s
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, caller: str, cost: float) -> float:
        """Take what a call costs and answer 0, or take nothing and answer the seconds until there is enough."""
        left, missing = self._level(caller), 0.0
        if left < cost:
            missing = (cost - left) * 60 / self._per_minute
        self._keep(caller, left if missing else left - cost)
        return missing

    def charge(self, caller: str, cost: float) -> None:
        """Take something in any case."""
        self._keep(caller, max(self._level(caller) - cost, 0.0))

    def _level(self, caller: str) -> float:
        left, at_s = self._left.get(caller, (float(self._per_minute), 0.0))
        return min(float(self._per_minute), left + (self._now_s() - at_s) * self._per_minute / 60)

    def _keep(self, caller: str, left: float) -> None:
        self._left[caller] = left, self._now_s()
        self._left.move_to_end(caller)
        if len(self._left) > MAX_CALLERS:
            self._left.popitem(last=False)


class RateLimit:
    """ASGI middleware: answers 429 to who comes too often.

    Args:
        app: the application.
        per_minute: for everybody; none is the default, for callers on other machines alone; 0 is no limit.
    """

    def __init__(self, app: ASGIApp, per_minute: int | None) -> None:
        self._app = app
        self._spares_loopback = per_minute is None
        self._buckets = Buckets(DEFAULT_PER_MINUTE if per_minute is None else per_minute) if per_minute != 0 else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count one connection."""
        caller = self._caller(scope)
        if caller is None or self._buckets is None:
            await self._app(scope, receive, send)
            return
        buckets = self._buckets
        cost = READ_COST if scope.get("method", "GET") in READS else 1.0
        wait_s = buckets.wait_s(caller, cost)
        if wait_s and scope["type"] == "websocket":
            await receive()
            await WebSocketClose(code=1008, reason=TooManyRequests.code)(scope, receive, send)
            return
        if wait_s:
            response = answer(TooManyRequests("Too many requests in one minute.", hint=f"Wait {math.ceil(wait_s)} s."))
            response.headers["retry-after"] = str(math.ceil(wait_s))
            await response(scope, receive, send)
            return

        async def watch(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 401:
                buckets.charge(caller, REFUSED_COST)
            await send(message)

        await self._app(scope, receive, watch if scope["type"] == "http" else send)

    def _caller(self, scope: Scope) -> str | None:
        """Whose bucket this is, or none for what is not counted. A network of IPv6 is one caller: it has 2^64."""
        if scope["type"] not in ("http", "websocket") or not scope["path"].startswith(LIMITED):
            return None
        host = (scope.get("client") or ("", 0))[0]
        try:
            address = ipaddress.ip_address(host.partition("%")[0])
        except ValueError:
            return host  # a Unix socket, or a test's client
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
            address = address.ipv4_mapped
        if self._spares_loopback and address.is_loopback:
            return None
        if isinstance(address, ipaddress.IPv6Address):
            return str(ipaddress.ip_network((address, 64), strict=False))
        return str(address)
