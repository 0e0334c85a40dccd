"""Who may come in: one gate before every route, mount and websocket.

Host and Origin are checked always, against DNS rebinding and foreign pages. With a token, everything but the words
of health and the login page wants it: as a bearer from programs, as a cookie from pages.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import socket
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketClose

from backend.errors import answer
from studio.errors import ForeignOrigin, StudioError, Unauthorized
from studio.settings import ServerSettings, is_loopback

COOKIE = "orrery_token"
OPEN_PATHS = frozenset({"/healthz", "/readyz", "/health", "/v1/health/ready", "/login", "/favicon.ico"})


def cookie_value(token: str) -> str:
    """What the page's cookie holds: proof of the token, not the token."""
    return hmac.new(token.encode(), b"orrery page cookie", hashlib.sha256).hexdigest()


def is_token(given: str, token: str) -> bool:
    """Whether a token is the right one, in constant time."""
    return hmac.compare_digest(given.encode(), token.encode())


class Gate:
    """ASGI middleware: refuses, or passes on."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._token = settings.token.get_secret_value() if settings.token else None
        self._hosts = known_hosts(settings)
        self._any_address = not is_loopback(settings.host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocket(scope, receive, send).receive()
            await WebSocketClose(code=1008, reason=refusal.code)(scope, receive, send)
        elif isinstance(refusal, Unauthorized) and "text/html" in Headers(scope=scope).get("accept", ""):
            await RedirectResponse("/login", 303)(scope, receive, send)
        else:
            await answer(refusal)(scope, receive, send)

    def _refusal(self, scope: Scope) -> StudioError | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_known(host):
            return ForeignOrigin(
                f"The Host {host[:80]!r} is not allowed by this server.",
                hint="If it is correct, add it to --allowed-hosts.",
            )
        origin = headers.get("origin")
        if origin is not None and origin.lower().partition("://")[2] != host.lower():
            return ForeignOrigin(
                f"The Origin {origin[:80]!r} is not allowed by this server.", hint="Open the server's own page."
            )
        if self._token is None or scope["path"] in OPEN_PATHS or self._is_authorized(headers, self._token):
            return None
        return Unauthorized(
            "This server requires its token.", hint="Send Authorization: Bearer TOKEN, or log in at /login."
        )

    def _is_known(self, host: str) -> bool:
        name = _host_name(host)
        return name in self._hosts or (self._any_address and _is_address(name))

    @staticmethod
    def _is_authorized(headers: Headers, token: str) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        # openpi's client says Api-Key, and cannot say anything else.
        if scheme.lower() in ("bearer", "api-key") and is_token(given.strip(), token):
            return True
        # Not the standard library's parser: that gives up at the first odd cookie of another app on this host.
        cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE)
        return cookie is not None and is_token(cookie, cookie_value(token))


def known_hosts(settings: ServerSettings) -> Collection[str]:
    """Host names that are this server's: loopback, what it listens on, what it was told, and the machine's own name."""
    names = {"127.0.0.1", "localhost", "::1", settings.host.lower()}
    names |= {name.strip().lower() for name in settings.allowed_hosts.split(",") if name.strip()}
    if not is_loopback(settings.host):
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    return frozenset(names)


def _host_name(host: str) -> str:
    """The name in a Host header, lower case, without port and brackets; empty when it is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:  # unbalanced brackets
        return ""


def _is_address(name: str) -> bool:
    # A page that rebinds DNS reaches us under its own name, never under a bare address.
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
