"""What a conversation shows, from the addresses that it is given by to files that the worker reads.

Nothing here is decoded: that the worker does, and says in which message it could not.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import re
import secrets
import stat
from collections.abc import Collection, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from backend.media import MediaStore
from backend.media.scratch import SUFFIX, typed_disk_errors
from backend.reasoning.remote_media import fetch_media
from studio.errors import BadInput, MediaNotFound, StudioError, rebuild
from studio.requests import shown
from studio.settings import ServerSettings

_OWN = re.compile(r"(?:media:|/v1/media/)?(u[0-9a-f]{16}|[0-9a-f]{12}-\d{1,3})")
_DATA = re.compile(r"data:[^,;]{0,200}((?:;[^,;]{0,200})*),", re.IGNORECASE)
_EXPECTED = "Send a data URI, media:ID, an http(s) URL or a file:// URL in a folder that the server allows."


@dataclass(frozen=True)
class Shown:
    """Something that is shown: where it is said to lie, and the request's field that says so."""

    param: str
    address: str


@dataclass
class LaidOut:
    """Files for the worker.

    Attributes:
        ids: of everything that is shown, by its address.
        files: by id.
        visiting: those that are here for this conversation alone.
    """

    ids: dict[str, str] = field(default_factory=dict[str, str])
    files: dict[str, Path] = field(default_factory=dict[str, Path])
    visiting: list[Path] = field(default_factory=list[Path])

    def close(self) -> None:
        """Remove what was here for this conversation alone."""
        for path in self.visiting:
            path.unlink(missing_ok=True)


class ShownMedia:
    """Finds or fetches what conversations show, within what the settings allow."""

    def __init__(self, store: MediaStore, folder: Path, settings: ServerSettings) -> None:
        self._store = store
        self._folder = folder / "incoming"
        self._allowed = settings.media_folders
        self._remote = settings.allow_remote_media

    async def lay_out(self, everything: Iterable[Shown], own_hosts: Collection[str] = ()) -> LaidOut:
        """A file for everything that is shown; each address once. The caller closes what it gets.

        Args:
            everything: in any order.
            own_hosts: what this server is called, with its port: `http://` + one of them + `/v1/media/ID` is ours.

        Raises:
            BadInput: an address is none, or not allowed.
            MediaNotFound: the store has no such artefact, or there is no such file.
            TooLarge, ServerUnreachable: see `fetch_media`.
            DiskFull, StorageError: it could not be put down here.
        """
        with ExitStack() as stack:
            laid = LaidOut()
            stack.callback(laid.close)
            for entry in everything:
                if entry.address not in laid.ids:
                    try:
                        await self._lay(entry.address, own_hosts, laid)
                    except StudioError as error:
                        raise rebuild(error.code, error.message, entry.param, error.hint) from None
            stack.pop_all()
            return laid

    async def _lay(self, address: str, own_hosts: Collection[str], laid: LaidOut) -> None:
        own = _OWN.fullmatch(_without_host(address, own_hosts))
        if own:
            name, path = own[1], self._store.file(own[1])
        else:
            # A name like those of the store, for as long as the conversation lasts.
            name = f"u{hashlib.sha256(address.encode(errors='replace')).hexdigest()[:16]}"
            scheme = address[:10].partition(":")[0].lower()
            match scheme:
                case "data":
                    path = await asyncio.to_thread(self._put, self._visit(laid), address)
                case "file":
                    path = await asyncio.to_thread(self._local, address)
                case "http" | "https":
                    path = await self._remote_file(address, self._visit(laid))
                case _:
                    raise BadInput(f"{shown(address)} is not a URL of an image or video.", hint=_EXPECTED)
        laid.ids[address] = name
        laid.files[name] = path

    def _visit(self, laid: LaidOut) -> Path:
        path = self._folder / f"{secrets.token_hex(8)}{SUFFIX}"
        laid.visiting.append(path)
        return path

    def _put(self, path: Path, address: str) -> Path:
        match = _DATA.match(address)
        if match is None or "base64" not in match[1].lower().split(";"):
            raise BadInput("The data URI is not in base64.", hint="Send data:image/png;base64,….")
        try:
            content = base64.b64decode(address[match.end() :].encode(), validate=True)
        except (binascii.Error, ValueError) as error:
            raise BadInput(f"The data URI is not in base64: {error}.", hint="Send the complete data URI.") from None
        if not content:
            raise BadInput("The data URI is empty.", hint="Send the complete data URI.")
        self._write(path, content)
        return path

    def _write(self, path: Path, content: bytes) -> None:
        with typed_disk_errors(self._folder, num_bytes=len(content)):
            self._folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def _local(self, address: str) -> Path:
        url = urlsplit(address)
        refusal = BadInput(
            f"{shown(address)} is not in a folder that this server allows.",
            hint="Upload it with POST /v1/media, or add its folder to --allowed-media-folders.",
        )
        if url.netloc not in ("", "localhost") or "\0" in unquote(url.path):
            raise refusal
        try:
            path = Path(unquote(url.path)).resolve()
        except (OSError, RuntimeError):  # a loop of links
            raise refusal from None
        # A path outside is refused alike whether something is there or not.
        if not any(path.is_relative_to(folder) for folder in self._allowed):
            raise refusal
        try:
            is_file = stat.S_ISREG(path.stat().st_mode)
        except OSError:
            is_file = False
        if not is_file:
            raise MediaNotFound(f"There is no file {shown(str(path))}.", hint="Check the path.")
        return path

    async def _remote_file(self, address: str, path: Path) -> Path:
        if not self._remote:
            raise BadInput(
                f"{shown(address)} is a remote URL, and this server does not fetch remote media.",
                hint="Send a data URI, or start the server with --allow-remote-media.",
            )
        content = await fetch_media(address)
        await asyncio.to_thread(self._write, path, content)
        return path


def _without_host(address: str, own_hosts: Collection[str]) -> str:
    """The path alone where the address begins with this server's own name."""
    scheme, _, rest = address[:400].partition("://")
    host, slash, path = rest.partition("/")
    return f"/{path}" if scheme in ("http", "https") and slash and host in own_hosts else address
