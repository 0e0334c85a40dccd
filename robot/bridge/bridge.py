"""Between a station and the server where people sit: it dials, says what happens, and passes on what is ordered.

The bridge dials `{server}/v1/robots/bridge` with the server's token as a bearer, and again whenever it is lost. The arm
does not depend on it: the loop, the filter and the ladder are on this side, and a page that vanishes with the server is
a lost dead-man's switch.

What it sends is in `robot.bridge.messages`. It takes JSON text frames:
- {"want": ["canvas", "predicted"]}: the topics to send from now on
- {"id": anything, "command": …}: an order, answered; `robot.commands.Command` has every one with its fields
Who may order is the server's to decide; here every order counts. `self_test`, `home`, `recover` and the `resume` of a
stopped run are answered when they have begun: how they end is told by `check` and `session`.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import structlog
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from robot.bridge import messages
from robot.bridge.messages import ComingRows
from robot.chunk import ActionChunk
from robot.clock import Clock
from robot.commands import SendFile, parse_command
from robot.faults import BrokenEpisode
from robot.foresight import ForeseenClip
from robot.recording import layout, read_episode
from robot.recording.export import PIECE_BYTES, tar_pieces
from robot.recording.features import VIDEOS
from robot.recording.foresight_track import VIDEO_FILE
from robot.settings import BRIDGE_PATH
from robot.station import Station
from robot.station.self_test import Check
from robot.tick_report import SessionView, TickReport
from studio.errors import BadInput, StudioError
from studio.jobs import Failure
from studio.wire.frames import pack_frame

log = structlog.get_logger("orrery.robot.bridge")

MAX_WAITING = 30
"""Messages that may wait to be sent: two seconds of ticks. Of more, the oldest that says least is dropped."""

BACKOFF_S = (0.5, 1.0, 2.0, 5.0)
MAX_ORDER_BYTES = 1 << 20


class Bridge:
    """Listens to a station's ticks and checks. `run` dials until it is told to end.

    Args:
        url: of the server's bridge websocket.
        hello: makes the first message, anew each time.
        recordings: the data set whose files are sent when they are asked for.
    """

    def __init__(
        self, url: str, token: str, clock: Clock, hello: Callable[[], dict[str, Any]], recordings: Path
    ) -> None:
        self._url = url
        self._recordings = recordings
        self._token = token
        self._clock = clock
        self._hello = hello
        self._waiting: deque[TickReport | Check | ForeseenClip] = deque()
        self._news = threading.Condition()
        self._wanted: frozenset[str] = frozenset()
        self._connected = False
        self._coming = ComingRows()
        self._pending: ActionChunk | None = None

    def on_tick(self, report: TickReport) -> None:
        """One tick; returns at once. On a slow link the oldest tick in which nothing happened is dropped."""
        self._put(report)

    def on_clip(self, clip: ForeseenClip) -> None:
        """What the policy foresees with a chunk."""
        if "predicted" in self._wanted:
            self._put(clip)

    def on_check(self, check: Check) -> None:
        """One finding of a self-test."""
        self._put(check)

    def run(self, station: Station, until: threading.Event) -> None:
        """Dial, again and again."""
        failures = 0
        while not until.is_set():
            try:
                with self._open() as socket:
                    failures = 0
                    self._serve(socket, station, until)
                    words = "closed"
            except (OSError, WebSocketException) as error:
                words = str(error) or type(error).__name__
            self._connected = False
            if not until.is_set():
                log.info("server lost", url=self._url, words=words)
                self._clock.wait_until(self._clock.now() + BACKOFF_S[min(failures, len(BACKOFF_S) - 1)], until)
                failures += 1

    def _open(self) -> ClientConnection:
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        return connect(
            self._url, additional_headers=headers, compression=None, max_size=MAX_ORDER_BYTES, close_timeout=1
        )

    def _serve(self, socket: ClientConnection, station: Station, until: threading.Event) -> None:
        self._want(station, ())
        self._coming = ComingRows()
        _send(socket, self._hello())
        _send(socket, messages.session(station.view))
        self._connected = True
        over = threading.Event()
        reader = threading.Thread(target=self._read, args=(socket, station, over), name="orders", daemon=True)
        reader.start()
        try:
            self._write(socket, station, lambda: over.is_set() or until.is_set())
        finally:
            socket.close()
            reader.join(timeout=5)

    def _write(self, socket: ClientConnection, station: Station, is_over: Callable[[], bool]) -> None:
        shown: SessionView | None = None
        next_summary_s = self._clock.now()
        while not is_over():
            with self._news:
                if not self._waiting:
                    self._news.wait(0.2)
                found = self._waiting.popleft() if self._waiting else None
            if found is None:
                continue
            if isinstance(found, Check):
                _send(socket, messages.check(found))
                continue
            if isinstance(found, ForeseenClip):
                for number, picture in enumerate(found.frames):
                    socket.send(pack_frame(f"predicted/{found.label}/{number}", picture))
                continue
            if found.session != shown:
                shown = found.session
                _send(socket, messages.session(shown))
            self._send_tick(socket, found)
            if self._clock.now() >= next_summary_s:
                next_summary_s = self._clock.now() + 1.0
                _send(socket, self._summary(station))

    def _summary(self, station: Station) -> dict[str, Any]:
        return messages.summary(station.meter.summary(), station.busy, station.recording_words, station.scene_seed)

    def _send_tick(self, socket: ClientConnection, report: TickReport) -> None:
        _send(socket, messages.tick(report))
        if self._coming.is_news(report):
            _send(socket, messages.coming(report))
        for event in report.events:
            _send(socket, messages.event(event))
        proposed = report.pending if report.pending is not self._pending else None
        self._pending = report.pending
        if (chunk := report.answered or proposed) is not None:
            _send(socket, messages.chunk(chunk, report, pending=chunk is report.pending))
        if "canvas" in self._wanted and report.views is not None:
            socket.send(pack_frame("canvas", messages.jpeg(report.views.canvas())))

    def _read(self, socket: ClientConnection, station: Station, over: threading.Event) -> None:
        try:
            for frame in socket:
                self._take(socket, station, frame)
        except (OSError, WebSocketException) as error:
            log.info("server lost", words=str(error))
        finally:
            over.set()

    def _want(self, station: Station, topics: Iterable[object]) -> None:
        self._wanted = frozenset(topic for topic in topics if isinstance(topic, str))
        station.watch("canvas" in self._wanted)
        station.want_video("predicted" in self._wanted)

    def _take(self, socket: ClientConnection, station: Station, frame: str | bytes) -> None:
        number: object = None
        value, failure = None, None
        try:
            message = _object(frame)
            number = message.pop("id", None)
            if isinstance(topics := message.get("want"), list):
                self._want(station, cast("list[object]", topics))
                return
            command = parse_command(message)
            value = self._begin_to_send(command) if isinstance(command, SendFile) else station.order(command)
        except StudioError as error:
            failure = Failure.of(error).model_dump(mode="json")
        except TimeoutError:
            failure = Failure.of(StudioError("The control loop did not respond in time.")).model_dump(mode="json")
        _send(socket, {"type": "answer", "id": number, "error": failure, "value": value})

    def _begin_to_send(self, command: SendFile) -> None:
        file = find_file(command, self._recordings)
        url = self._url.removesuffix(BRIDGE_PATH) + FILES_PATH + command.ticket
        threading.Thread(target=send_file, args=(file, url, self._token), name="file", daemon=True).start()

    def _put(self, found: TickReport | Check | ForeseenClip) -> None:
        if not self._connected:
            return
        with self._news:
            self._waiting.append(found)
            if len(self._waiting) > MAX_WAITING:
                del self._waiting[min(range(len(self._waiting)), key=lambda at: _weight(self._waiting[at]))]
            self._news.notify()


def _weight(waiting: TickReport | Check | ForeseenClip) -> int:
    """Dropped first: clips and ticks in which nothing happened, then ticks with an answer, last findings and events."""
    if isinstance(waiting, TickReport):
        return 2 if waiting.events else int(waiting.answered is not None)
    return 2 if isinstance(waiting, Check) else 0


def _object(frame: str | bytes) -> dict[str, Any]:
    try:
        message = json.loads(frame)
    except ValueError:
        raise BadInput("The message is not JSON.") from None
    if not isinstance(message, dict):
        raise BadInput(f"The message is a {type(message).__name__}; expected an object.")
    return cast("dict[str, Any]", message)


def _send(socket: ClientConnection, message: dict[str, Any]) -> None:
    socket.send(json.dumps(message, allow_nan=False))


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
    index = read_episode(recordings, command.episode).summary.index
    foreseen = layout.foresight_file(VIDEO_FILE, index)
    path = recordings / (foreseen if command.view == "foreseen" else layout.video_file(VIEWS[command.view], index))
    try:
        size_bytes = path.stat().st_size
    except OSError as error:
        raise BrokenEpisode(f"{path} cannot be read: {error.strerror}.", param="episode") from None
    return FileToSend(f"episode-{command.episode}-{command.view}.mp4", "video/mp4", _file_pieces(path), size_bytes)


def send_file(file: FileToSend, url: str, token: str) -> None:
    """Send it to the address of its ticket; whatever goes wrong is in the log, and closes the connection.

    A file has a websocket of its own, so that no tick waits behind it. The server asks for one by a `send` order with a
    ticket; the bridge dials `{server}/v1/robots/files/{ticket}`, says {"name", "media_type", "size_bytes": n|null} in a
    text frame, and then the file in binary frames. It ends with a close of 1000; any other close is a file that did not
    come whole.
    """
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
