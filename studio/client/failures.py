"""From a failed call to a StudioError: the server's own when it sent one, else what httpx says in our words."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import httpx
from pydantic import ValidationError

from studio.errors import ServerUnreachable, StudioError, Unexpected
from studio.jobs import Failure
from studio.requests import Frozen, shown


class FailureBody(Frozen):
    """The one shape of a refusal on the wire."""

    error: Failure


def failure_of(response: httpx.Response) -> StudioError:
    """The error that an answer carries; its body has been read."""
    try:
        return FailureBody.model_validate_json(response.content).error.error()
    except ValidationError:
        return Unexpected(
            f"{response.url} answered {response.status_code} with {_body_of(response)}.",
            hint="Is that an Orrery server, and of this version?",
        )


def _body_of(response: httpx.Response) -> str:
    text = " ".join(response.text.split())
    return shown(text) if text else "nothing"


@contextmanager
def translated(base_url: str) -> Generator[None, None, None]:
    """Whatever httpx raises inside leaves as a StudioError.

    Raises:
        ServerUnreachable: nobody answered, not in time, or not to the end.
        Unexpected: what answered does not speak HTTP as we know it.
    """
    try:
        yield
    except httpx.TimeoutException as error:
        raise ServerUnreachable(
            f"{base_url} did not answer in time ({type(error).__name__}).", hint="Is the server busy or stopped?"
        ) from None
    except httpx.TransportError as error:
        reason = str(error) or type(error).__name__
        raise ServerUnreachable(
            f"Nobody answers at {base_url}: {reason}.",
            hint="Start a server with orrery serve, or name one with --server.",
        ) from None
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        raise Unexpected(f"{base_url} answered what cannot be read: {error or type(error).__name__}.") from None
