"""Files for a page, sent down a websocket of their own so that no tick waits behind them.

The server asks for one by a `send` order with a ticket; the bridge dials `{server}/v1/robots/files/{ticket}`, says
{"name", "media_type", "size_bytes": n|null} in a text frame, and then the file in binary frames. It ends with a close
of 1000; any other close is a file that did not come whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import structlog
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from robot.commands import SendFile
from robot.faults import BrokenEpisode
from robot.recording import layout, read_episode
from robot.recording.export import PIECE_BYTES, tar_pieces
from robot.recording.features import VIDEOS
from studio.errors import StudioError

log = structlog.get_logger("orrery.robot.files")

FILES_PATH = "/v1/robots/files/"
CLOSED_BROKEN = 1011
"""RFC 6455: an unexpected condition kept the endpoint from fulfilling the request."""

VIEWS = dict(zip(("wrist", "exterior_1", "exterior_2"), VIDEOS, strict=True))


@dataclass(frozen=True)
class FileToSend:
    """Something to be sent; `size_bytes` where it is known beforehand."""

    name: str
    media_type: str
    pieces: Iterator[bytes]
    size_bytes: int | None = None


def find_file(command: SendFile, recordings: Path) -> FileToSend:
    """What a command asks for, found but not read yet.

    Raises:
        EpisodeNotFound, BrokenEpisode: it is not there.
    """
    if command.episode is None or command.view is None:
        return FileToSend("recordings.tar", "application/x-tar", tar_pieces(recordings))
    path = recordings / layout.video_file(VIEWS[command.view], read_episode(recordings, command.episode).summary.index)
    try:
        size_bytes = path.stat().st_size
    except OSError as error:
        raise BrokenEpisode(f"{path} cannot be read: {error.strerror}.", param="episode") from None
    return FileToSend(f"episode-{command.episode}-{command.view}.mp4", "video/mp4", _file_pieces(path), size_bytes)


def send_file(file: FileToSend, url: str, token: str) -> None:
    """Send it to the address of its ticket; whatever goes wrong is in the log, and closes the connection."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with connect(url, additional_headers=headers, compression=None, close_timeout=5) as socket:
            about = {"name": file.name, "media_type": file.media_type, "size_bytes": file.size_bytes}
            socket.send(json.dumps(about))
            try:
                for piece in file.pieces:
                    if piece:
                        socket.send(piece)
            except StudioError as error:
                log.warning("file broke off", name=file.name, words=str(error))
                socket.close(CLOSED_BROKEN, "The file could not be read.")
    except (OSError, WebSocketException) as error:
        log.info("file not wanted any more", name=file.name, words=str(error) or type(error).__name__)


def _file_pieces(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                yield piece
    except OSError as error:
        raise BrokenEpisode(f"{path} cannot be read: {error.strerror}.") from None
