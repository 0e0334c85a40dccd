"""Pictures, clips and actions that come with a request of another dialect: kept like uploads, named by their ids."""

from __future__ import annotations

import asyncio
import base64
import binascii
import io
import re
from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO

from backend.library.uploads import Uploads
from backend.media import DECODERS, MediaStore
from backend.media.facts import reference_of
from backend.reasoning.shown_media import Shown, ShownMedia
from studio.errors import BadInput, StudioError, rebuild
from studio.media import MediaReference
from studio.requests import shown
from studio.settings import ServerSettings
from studio.specs.action_files import read_actions

_OWN = re.compile(r"(?:media:|/v1/media/)?(u[0-9a-f]{16}|[0-9a-f]{12}-\d{1,3})")
_BARE_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{256,}={0,2}\s*", re.ASCII)
"""Bytes of a file as TensorRT-LLM's clients send a control; no path is so long and has none of `.`, `-` and `_`."""


class GivenMedia:
    """Takes what comes by file or by address.

    Every method raises BadInput for what is no picture or clip, and DiskFull or StorageError when it cannot be kept.
    """

    def __init__(self, store: MediaStore, uploads: Uploads, shown_media: ShownMedia, settings: ServerSettings) -> None:
        self._store = store
        self._uploads = uploads
        self._shown_media = shown_media
        self._folders = settings.media_folders

    async def keep_file(self, stream: BinaryIO, param: str, file_name: str = "") -> MediaReference:
        """An uploaded file, which the library has from now on."""
        try:
            return await self._uploads.keep(stream, file_name)
        except BadInput as error:
            raise BadInput(error.message, param=param, hint=error.hint) from None

    async def keep(self, address: str, param: str, own_hosts: Collection[str]) -> MediaReference:
        """What lies at an address: one of ours, a data URI, bare base64, a path or URL that the settings allow.

        Raises:
            MediaNotFound: there is nothing.
            TooLarge, ServerUnreachable: see `backend.reasoning.remote_media`.
        """
        own = _OWN.fullmatch(address)
        if own:
            return await DECODERS.beside(lambda: self._named(own[1], param))
        if _BARE_BASE64.fullmatch(address):
            return await self.keep_file(io.BytesIO(_decoded(address, param)), param)
        if not re.match(r"(data|file|https?|media):", address, re.IGNORECASE):
            address = self.find(address, param).as_uri()
        laid = await self._shown_media.lay_out([Shown(param, address)], own_hosts)
        try:
            ((name, path),) = laid.files.items()
            if path not in laid.visiting and _OWN.fullmatch(path.name.partition(".")[0]):
                return await DECODERS.beside(lambda: self._named(name, param))
            with path.open("rb") as file:
                return await self.keep_file(file, param)
        finally:
            laid.close()

    async def actions(self, said: str, param: str) -> list[list[float]]:
        """Rows of actions in a file on this machine, in a folder that the settings allow."""
        path = self.find(said.removeprefix("file://"), param)
        try:
            return await asyncio.to_thread(read_actions, path, param)
        except BadInput as error:
            raise BadInput(error.message.replace(str(path), shown(said)), param=param, hint=error.hint) from None

    def find(self, said: str, param: str) -> Path:
        """A file by its path, absolute or from one of the folders that the settings allow."""
        for folder in self._folders:
            try:
                path = (folder / said).resolve()
                if path.is_relative_to(folder) and path.is_file():
                    return path
            except (OSError, RuntimeError, ValueError):  # too long for a file system, a loop of links, half a character
                continue
        # Alike whether it is not there or not allowed.
        raise BadInput(
            f"{param} is {shown(said)}; the file was not found in a folder that this server allows.",
            param=param,
            hint="Send the file or its media id, or add its folder to --allowed-media-folders.",
        )

    def _named(self, name: str, param: str) -> MediaReference:
        try:
            return reference_of(name, self._store.file(name), self._store.facts(name), None)
        except StudioError as error:
            raise rebuild(error.code, error.message, param, error.hint) from None


def _decoded(text: str, param: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise BadInput(f"{param} is neither a path nor base64.", param=param) from None
