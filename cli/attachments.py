"""Files that requests start from: named by the id that their content will have on the server, and sent once each."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from studio.client import StudioClient
from studio.errors import BadInput, TooLarge, Unexpected, rebuild
from studio.specs import Attachment

_MEDIA_ID = re.compile(r"u[0-9a-f]{16}|[0-9a-f]{12}-\d{1,3}")


class Attachments:
    """The files of one command."""

    def __init__(self, files: Mapping[str, Attachment] | None = None) -> None:
        self._files = dict(files or {})
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
                f"There is no file {given!r}.", param=param, hint="Give a file, or the id of something made."
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
            reference = await client.upload(file.path)
        except (BadInput, TooLarge) as error:
            raise rebuild(error.code, f"{file.said}: {error.message}", error.param, error.hint) from None
        if reference.id != file.id:
            raise Unexpected(
                f"{file.path} is {reference.id} on the server, and {file.id} here.",
                hint="Did the file change on the way? Is the server of this version?",
            )
