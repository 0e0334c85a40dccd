"""Frames that a policy foresees, on their way to the robot: as canvases, on a websocket of their own, never waited for.

A session's first frame names its channel's path. While somebody listens there, a question with `foresee`, a label of
the client's own, is decoded behind its answer, and the frames are sent as `studio.wire.foreseen_clip` packs them.

Where a newer clip is there before an older one was sent, the older one is dropped.
"""

from __future__ import annotations

import asyncio
import secrets

FORESEEN_PATH = "/v1/realtime/robot/foreseen/"

MAX_LABEL = 64


class ForesightChannel:
    """One session's. Lives on the event loop's thread.

    Attributes:
        path: of its websocket; a secret of the session's client.
        num_listeners: connections that wait for clips.
    """

    def __init__(self) -> None:
        self.name = secrets.token_urlsafe(16)
        self.path = FORESEEN_PATH + self.name
        self.num_listeners = 0
        self._clips: asyncio.Queue[bytes] = asyncio.Queue(maxsize=1)

    def put(self, clip: bytes) -> None:
        """A clip in place of one that was not sent yet."""
        if self._clips.full():
            self._clips.get_nowait()
        self._clips.put_nowait(clip)

    async def get(self) -> bytes:
        """The next one."""
        return await self._clips.get()
