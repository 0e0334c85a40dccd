"""Files that robots send to whoever asked for them over HTTP: each down a websocket of its own, by a ticket."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.errors import BadInput, Conflict, StudioError

ARRIVAL_S = 15.0
"""From the order to the first word of its connection."""

MAX_PIECES = 4
"""That wait for a slow reader; then the robot waits too."""


class FileHeader(BaseModel):
    """The first frame of a file: see `robot.bridge.bridge`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: Annotated[str, Field(pattern=r"^[\w.-]{1,80}$")]
    media_type: Annotated[str, Field(pattern=r"^[\w.+/-]{1,80}$")]
    size_bytes: Annotated[int, Field(ge=0)] | None = None


@dataclass(frozen=True)
class _End:
    whole: bool


class IncomingFile:
    """One file on its way. Lives on the event loop's thread."""

    def __init__(self) -> None:
        self._about: asyncio.Future[FileHeader] = asyncio.get_running_loop().create_future()
        self._pieces: asyncio.Queue[bytes | _End] = asyncio.Queue(MAX_PIECES)
        self.unwanted = asyncio.Event()

    async def about(self) -> FileHeader:
        """What it is. Raises Conflict when it does not come in time."""
        try:
            async with asyncio.timeout(ARRIVAL_S):
                return await self._about
        except TimeoutError:
            raise Conflict(f"The robot sent nothing within {ARRIVAL_S:.0f} s.", hint="Try again.") from None

    async def pieces(self) -> AsyncIterator[bytes]:
        """The file. Raises StudioError where it does not come whole, which ends the answer in its middle."""
        while not isinstance(piece := await self._pieces.get(), _End):
            yield piece
        if not piece.whole:
            raise StudioError("The robot disconnected while sending a file.")

    def begin(self, text: str) -> None:
        """The first frame.

        Raises:
            BadInput: it says nothing of a file.
        """
        try:
            about = FileHeader.model_validate_json(text)
        except ValidationError:
            raise BadInput("The first message of a file must have name, media_type and size_bytes.") from None
        if not self._about.done():
            self._about.set_result(about)

    async def put(self, piece: bytes) -> None:
        """The next piece; waits for a slow reader."""
        await self._pieces.put(piece)

    async def end(self, *, whole: bool) -> None:
        """There is no more."""
        await self._pieces.put(_End(whole))


class IncomingFiles:
    """Those that are expected, by their tickets."""

    def __init__(self) -> None:
        self._expected: dict[str, IncomingFile] = {}

    def expect(self) -> tuple[str, IncomingFile]:
        """A new ticket."""
        ticket = secrets.token_urlsafe(16)
        self._expected[ticket] = file = IncomingFile()
        return ticket, file

    def arrived(self, ticket: str) -> IncomingFile | None:
        """The file of a ticket, which counts once; none where nobody waits for it."""
        return self._expected.pop(ticket, None)

    def forget(self, ticket: str, file: IncomingFile) -> None:
        """Nobody wants it any more, wherever it is."""
        self._expected.pop(ticket, None)
        file.unwanted.set()
