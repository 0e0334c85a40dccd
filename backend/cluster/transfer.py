"""Files between the server and a host, in pieces through the cluster's object store, checked by their hash."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import cast

from backend.cluster.host import Host
from backend.cluster.host_files import PIECE_BYTES, FileFacts
from backend.media.facts import sha256_of
from backend.media.scratch import keep, scratch
from studio.errors import StorageError
from studio.media import MediaReference


async def send(host: Host, files: Mapping[str, Path]) -> None:
    """Bring files to a host, as far as they are not there.

    Args:
        files: by their names there, see `HostFiles`.

    Raises:
        DiskFull, StorageError: the host does not take one.
        HostGoneError: it is gone.
    """
    with _typed_errors():
        hashes = {name: await asyncio.to_thread(_sha256, path) for name, path in files.items()}
        for name in cast("list[str]", await host.call("missing", hashes)):
            path, offset = files[name], 0
            while piece := await asyncio.to_thread(_piece, path, offset):
                await host.call("write", name, offset, piece)
                offset += len(piece)
            await host.call("seal", name, hashes[name])


async def bring(host: Host, job_id: str, results: Sequence[MediaReference], root: Path) -> int:
    """Bring what a job has made from a host into the server's data folder; there it is erased.

    Returns:
        The bytes that were brought.

    Raises:
        DiskFull, StorageError: the disk does not take it, or it is not what was made.
        HostGoneError: it is gone.
    """
    with _typed_errors():
        return await _bring(host, job_id, results, root)


async def _bring(host: Host, job_id: str, results: Sequence[MediaReference], root: Path) -> int:
    made = cast("list[FileFacts]", await host.call("made", [result.id for result in results]))
    hashes = {facts.sha256 for facts in made}
    if any(result.sha256 not in hashes for result in results):
        raise StorageError(f"A result of job {job_id} is missing on {host.facts.name}.", hint="Run the job again.")
    # As the worker does: what belongs to an artefact first, the artefact last.
    for facts in sorted(made, key=lambda facts: facts.sha256 in {result.sha256 for result in results}):
        place = root / facts.name
        with scratch(place.parent) as (part,):
            await _read(host, facts, part)
            if await asyncio.to_thread(sha256_of, part) != facts.sha256:
                raise StorageError(f"{facts.name} did not arrive as it was made.", hint="Run the job again.")
            await asyncio.to_thread(keep, (part, place))
    await host.call("erase", job_id)
    return sum(facts.size_bytes for facts in made)


async def _read(host: Host, facts: FileFacts, part: Path) -> None:
    with part.open("wb") as file:
        while file.tell() < facts.size_bytes:
            piece = cast("bytes", await host.call("read", facts.name, file.tell()))
            if not piece:
                return
            await asyncio.to_thread(file.write, piece)


@contextmanager
def _typed_errors() -> Generator[None]:
    """A file that is gone at either end, or cannot be read, is nothing that nobody foresaw."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"A file could not be copied: {error.strerror or error}.", hint="Try again.") from None


def _piece(path: Path, offset: int) -> bytes:
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(PIECE_BYTES)


def _sha256(path: Path) -> str:
    found = path.stat()
    return _sha256_of(path, found.st_mtime_ns, found.st_size)


@lru_cache(4096)
def _sha256_of(path: Path, changed_ns: int, size_bytes: int) -> str:
    return sha256_of(path)
