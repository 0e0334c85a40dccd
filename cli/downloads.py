"""Files of the web that samples name, fetched once into the output folder."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from studio.errors import BadInput, TooLarge
from studio.saving import save_whole
from studio.specs import Entry

MAX_BYTES = 2 * 2**30
"""Of one file: an hour of 720p in H.264 at 4 Mbit/s is 1.8 GB."""

TIMEOUT_S = 60.0
"""Between two bytes."""

AT_A_TIME = 4


def fetch(addresses: Mapping[str, Entry], folder: Path) -> dict[str, Path]:
    """Fetch files that are not in the folder yet.

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
    gate = asyncio.Semaphore(AT_A_TIME)
    async with httpx.AsyncClient(follow_redirects=True, timeout=TIMEOUT_S) as web:

        async def one(address: str) -> None:
            async with gate:
                await _fetch(web, address, addresses[address], places[address])

        results = await asyncio.gather(*map(one, addresses), return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result


async def _fetch(web: httpx.AsyncClient, address: str, entry: Entry, place: Path) -> None:
    hint = "Fetch it by other means, and name the file."
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
            raise TooLarge(f"{address} has more than {MAX_BYTES:,} bytes.")
        yield chunk


def _file_name(address: str) -> str:
    """`clip.mp4` of the web is `<16 digits of its address's hash>.mp4` here."""
    suffix = Path(urlsplit(address).path).suffix.lower()
    return hashlib.sha256(address.encode()).hexdigest()[:16] + (suffix if suffix[1:].isalnum() else "")
