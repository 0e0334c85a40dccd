"""One server's address, the caller's credential, and calls that end in a model, a stream of bytes or a StudioError."""

from __future__ import annotations

import re
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from studio.errors import BadInput, ServerUnreachable, StudioError, Unauthorized, Unexpected
from studio.jobs import Failure
from studio.requests import Frozen, shown

CONNECT_TIMEOUT_S = 5.0
ANSWER_TIMEOUT_S = 30.0
"""Between two bytes of an answer. Every route but the event stream answers from the ledger, without the engine."""

FORWARDED = ("authorization", "cookie")
"""Headers of a page's caller that carry a credential; no others are passed on."""

LOOPBACK_HOST = re.compile(r"localhost|127\.\d+\.\d+\.\d+|::1")

Model = TypeVar("Model", bound=BaseModel)


class FailureBody(Frozen):
    """The one shape of a refusal on the wire."""

    error: Failure


class Connection:
    """An httpx client that raises nothing but StudioErrors."""

    def __init__(
        self,
        base_url: str,
        *,
        token: str | None = None,
        forwarded: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        url = _parse(base_url)
        self.base_url = str(url).rstrip("/")
        self._http = httpx.AsyncClient(
            base_url=url,
            headers=_credentials(token, forwarded or {}),
            timeout=httpx.Timeout(ANSWER_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
            transport=transport,
            # Reading certificates takes 55 ms of a slow core, and http needs none. Without them no https is trusted.
            verify=url.scheme == "https" or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            # A proxy from the environment has no way to this machine's own loopback.
            trust_env=not LOOPBACK_HOST.fullmatch(url.host),
        )

    async def close(self) -> None:
        """Close the sockets."""
        await self._http.aclose()

    async def ask(self, method: str, path: str, answer: type[Model], **rest: Any) -> Model:
        """One call whose answer is a model.

        Raises:
            StudioError: the server's own refusal.
            ServerUnreachable: nobody answered.
            Unexpected: the answer is no such model.
        """
        with _translated(self.base_url):
            response = await self._http.request(method, path, **rest)
        if not response.is_success:
            raise _failure_of(response)
        return self.read(answer, response.content, path)

    def read(self, answer: type[Model], data: bytes, path: str) -> Model:
        """The model that came from a path. Raises Unexpected when it is none."""
        try:
            return answer.model_validate_json(data)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise Unexpected(
                f"{self.base_url}{path} did not answer with a valid {answer.__name__} ({where}: {first['msg']}).",
                hint="Check that it is an Orrery server of the same version.",
            ) from None

    @asynccontextmanager
    async def stream(
        self, path: str, *, method: str = "GET", json: object = None, silence_s: float = ANSWER_TIMEOUT_S
    ) -> AsyncGenerator[httpx.Response, None]:
        """One call whose answer is read piece by piece; see `ask` for what it raises, also while it is read.

        Args:
            path: on the server.
            method: of HTTP.
            json: the body, or None.
            silence_s: how long the server may send nothing.
        """
        timeout = httpx.Timeout(ANSWER_TIMEOUT_S, connect=CONNECT_TIMEOUT_S, read=silence_s)
        with _translated(self.base_url):
            async with self._http.stream(method, path, json=json, timeout=timeout) as response:
                if not response.is_success:
                    await response.aread()
                    raise _failure_of(response)
                yield response


def _parse(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url if "://" in base_url else f"http://{base_url}")
    except (httpx.InvalidURL, UnicodeError):
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise BadInput(
            f"The server address is {shown(base_url)}; expected a URL such as http://127.0.0.1:7860.", param="server"
        )
    return url


def _credentials(token: str | None, forwarded: Mapping[str, str]) -> dict[str, str]:
    headers = {name.lower(): value for name, value in forwarded.items() if name.lower() in FORWARDED}
    if token:
        headers["authorization"] = f"Bearer {token}"
    for value in headers.values():
        if not (value.isascii() and value.isprintable()):
            raise Unauthorized(
                "The token has characters that are not allowed in an HTTP header.",
                param="token",
                hint="Use printable ASCII characters.",
            )
    return headers


def _failure_of(response: httpx.Response) -> StudioError:
    """The error that an answer carries; its body has been read."""
    try:
        return FailureBody.model_validate_json(response.content).error.error()
    except ValidationError:
        return Unexpected(
            f"{response.url} answered {response.status_code} with {_body_of(response)}.",
            hint="Check that it is an Orrery server of the same version.",
        )


def _body_of(response: httpx.Response) -> str:
    text = " ".join(response.text.split())
    return shown(text) if text else "nothing"


@contextmanager
def _translated(base_url: str) -> Generator[None, None, None]:
    """Whatever httpx raises inside leaves as a StudioError.

    Raises:
        ServerUnreachable: nobody answered, not in time, or not to the end.
        Unexpected: what answered does not speak HTTP as we know it.
    """
    try:
        yield
    except httpx.TimeoutException as error:
        raise ServerUnreachable(
            f"{base_url} did not answer in time ({type(error).__name__}).",
            hint="Check whether the server is busy or stopped.",
        ) from None
    except httpx.TransportError as error:
        reason = str(error) or type(error).__name__
        raise ServerUnreachable(
            f"No server answers at {base_url}: {reason}.",
            hint="Start a server with orrery serve, or set one with --server.",
        ) from None
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        raise Unexpected(f"The answer of {base_url} cannot be read: {error or type(error).__name__}.") from None


async def read_events(chunks: AsyncIterator[bytes]) -> AsyncIterator[tuple[str, bytes]]:
    """(event name, data) of every event that is complete when the bytes end (html.spec.whatwg.org, section 9.2).

    Lines end at LF alone (with CR before it or not): text inside the JSON may hold U+2028 or U+0085, which a general
    line splitter would take for an end.

    `b"event: job\\ndata: {}\\n\\n"` gives `("job", b"{}")`. Comments and other fields are skipped.
    """
    name, data, rest = "message", list[bytes](), b""
    async for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            field, _, value = line.rstrip(b"\r").partition(b":")
            value = value.removeprefix(b" ")
            if field == b"event":
                name = value.decode("utf-8", "replace")
            elif field == b"data":
                data.append(value)
            elif not field and not value and data:
                yield name, b"\n".join(data)
                name, data = "message", []
