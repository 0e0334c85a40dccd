"""Files that requests start from: fetched if they are of the web, named by the ids they will have, sent once each."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from studio.client import StudioClient
from studio.errors import BadInput, TooLarge, Unexpected, rebuild
from studio.saving import save_whole
from studio.specs import Attachment, Entry

MAX_BYTES = 2 * 2**30
"""Of one file: an hour of 720p in H.264 at 4 Mbit/s is 1.8 GB."""

FETCH_TIMEOUT_S = 60.0
"""Between two bytes."""

FETCHED_AT_A_TIME = 4

_MEDIA_ID = re.compile(r"u[0-9a-f]{16}|[0-9a-f]{12}-\d{1,3}")


class Attachments:
    """The files of one command.

    Args:
        files: by the ids that they will have.
        evaluation: they belong to a benchmark.
    """

    def __init__(self, files: Mapping[str, Attachment] | None = None, *, evaluation: bool = False) -> None:
        self._files = dict(files or {})
        self._evaluation = evaluation
        self._sent: dict[str, asyncio.Task[None]] = {}

    def name(self, given: str, param: str) -> str:
        """The id of a file that will be sent, or the id that was given.

        Raises:
            BadInput: there is no such file.
        """
        if _MEDIA_ID.fullmatch(given):
            return given
        path = Path(given).expanduser()
        if not path.is_file():
            raise BadInput(
                f"There is no file {given!r}.", param=param, hint="Give a file, or the id of a library item."
            )
        attachment = Attachment.of(path, given, param)
        self._files[attachment.id] = attachment
        return attachment.id

    def file(self, name: str) -> Path | None:
        """The file that has this id; none of an id that was given."""
        attachment = self._files.get(name)
        return attachment.path if attachment else None

    async def send(self, client: StudioClient, names: Iterable[str] | None = None) -> None:
        """Send files, all of them or these; who asks for one that is on its way waits for it.

        Raises:
            BadInput: the server cannot read one of them.
            TooLarge: one is larger than the server takes.
        """
        for name in list(self._files if names is None else names):
            if name not in self._sent:
                self._sent[name] = asyncio.create_task(self._send(client, self._files[name]))
            await asyncio.shield(self._sent[name])

    async def _send(self, client: StudioClient, file: Attachment) -> None:
        try:
            reference = await client.upload(file.path, evaluation=self._evaluation)
        except (BadInput, TooLarge) as error:
            raise rebuild(error.code, f"{file.said}: {error.message}", error.param, error.hint) from None
        if reference.id != file.id:
            raise Unexpected(
                f"{file.path} is {reference.id} on the server, and {file.id} here.",
                hint="Check that the file did not change and that the server has the same version.",
            )


def fetch(addresses: Mapping[str, Entry], folder: Path) -> dict[str, Path]:
    """Fetch files of the web that are not in the folder yet.

    Args:
        addresses: each with a sample that names it, for the error.
        folder: where they go, by a hash of their address; it is made when it is needed.

    Raises:
        BadInput: one cannot be had; the message names the sample.
        TooLarge: one has too many bytes.
        DiskFull, StorageError: one cannot be written.
    """
    places = {address: folder / _file_name(address) for address in addresses}
    missing = [address for address in places if not places[address].is_file()]
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
        asyncio.run(_fetch_all({address: addresses[address] for address in missing}, places))
    return places


async def _fetch_all(addresses: Mapping[str, Entry], places: Mapping[str, Path]) -> None:
    gate = asyncio.Semaphore(FETCHED_AT_A_TIME)
    async with httpx.AsyncClient(follow_redirects=True, timeout=FETCH_TIMEOUT_S) as web:

        async def one(address: str) -> None:
            async with gate:
                await _fetch(web, address, addresses[address], places[address])

        results = await asyncio.gather(*map(one, addresses), return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result


async def _fetch(web: httpx.AsyncClient, address: str, entry: Entry, place: Path) -> None:
    hint = "Download it another way, and give the file."
    try:
        async with web.stream("GET", address) as answer:
            if not answer.is_success:
                raise BadInput(f"{entry}: {address} answered {answer.status_code}.", hint=hint)
            await save_whole(place, _bounded(answer, address))
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        why = str(error) or type(error).__name__
        raise BadInput(f"{entry}: {address} cannot be fetched: {why}.", hint=hint) from None


async def _bounded(answer: httpx.Response, address: str) -> AsyncIterator[bytes]:
    size_bytes = 0
    async for chunk in answer.aiter_bytes():
        size_bytes += len(chunk)
        if size_bytes > MAX_BYTES:
            raise TooLarge(f"{address} is larger than {MAX_BYTES:,} bytes.")
        yield chunk


def _file_name(address: str) -> str:
    """`clip.mp4` of the web is `<16 digits of its address's hash>.mp4` here."""
    suffix = Path(urlsplit(address).path).suffix.lower()
    return hashlib.sha256(address.encode()).hexdigest()[:16] + (suffix if suffix[1:].isalnum() else "")
