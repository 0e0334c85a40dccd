"""The websocket to a policy's server, on a thread of its own. A late answer can never be taken for the next one's."""

from __future__ import annotations

import queue
import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import structlog
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.protocol import State
from websockets.sync.client import ClientConnection, connect

from robot.chunk import ActionChunk
from robot.clock import Clock
from robot.faults import PolicyLost, PolicyRefused
from robot.foresight.clip import ForeseenClip, clip_of_video, label_of
from robot.observation import Observation
from robot.policy.contract import Declared, check_contract
from robot.policy.dialects import Dialect, DialectName, detect, read_message
from robot.policy.policy import PolicyStatus
from studio.errors import StudioError
from studio.wire.arrays import pack_message

log = structlog.get_logger("orrery.robot.policy")

MAX_FRAME_BYTES = 1 << 20
"""32 rows are a few kilobytes in any spelling. A megabyte of numbers is taken apart within some 30 ms, in which no tick
of the loop can begin."""

MAX_FORESEEN_BYTES = 64 << 20
"""Of an answer whose foreseen frames were asked for: 33 of 544 x 736 are 40 MB, in one array."""

HELLO_TIMEOUT_S = 10.0
BACKOFF_S = (0.2, 0.5, 1.0, 2.0, 5.0)
PING_EVERY_S, PING_TIMEOUT_S = 60.0, 600.0
"""A server that computes in its own event loop does not answer pings meanwhile (openpi issue 717): a cold start takes
minutes. Our own deadline of each answer is what finds a dead one."""


@dataclass(frozen=True)
class PolicyAddress:
    """Where a policy is and what is known of it.

    Attributes:
        url: `ws://host:port/path`, or wss.
        token: sent as a bearer.
        declared: what a person says its actions are, where the server does not.
        reply_timeout_s: an answer that takes longer closes the connection.
        max_frame_bytes: a larger frame closes it before it is read, unless foreseen frames were asked for.
    """

    url: str
    token: str = ""
    dialect: DialectName = "auto"
    declared: Declared = "undeclared"
    reply_timeout_s: float = 5.0
    max_frame_bytes: int = MAX_FRAME_BYTES


@dataclass(frozen=True)
class _Question:
    seen: Observation
    timeout_s: float


class PolicyConnection:
    """A Policy behind a websocket; it connects by itself, and again whenever it is lost.

    Args:
        take_clip: told, on the connection's thread, of frames that came as part of an answer.

    Attributes:
        wants_video: whether somebody looks at what it foresees. Where the server sends that behind its answers (see
            `robot.foresight.link`), these take no longer.
    """

    def __init__(
        self, address: PolicyAddress, clock: Clock, take_clip: Callable[[ForeseenClip], None] = lambda _: None
    ) -> None:
        self._address = address
        self._take_clip = take_clip
        self._clock = clock
        self._session = uuid.uuid4().hex[:12]
        self._status = PolicyStatus("connecting", address.url)
        self._questions: queue.SimpleQueue[_Question | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[ActionChunk | StudioError] = queue.SimpleQueue()
        self._busy = False
        self._replying = threading.Lock()
        self.wants_video = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="policy", daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether a question is on its way."""
        return self._busy

    def status(self) -> PolicyStatus:
        """How it stands."""
        return self._status

    def ask(self, observation: Observation, timeout_s: float | None = None) -> None:
        """Send a question; `timeout_s` is for a warm-up, which may take minutes."""
        assert not self._busy
        self._busy = True
        self._questions.put(_Question(observation, timeout_s or self._address.reply_timeout_s))

    def take(self) -> ActionChunk | StudioError | None:
        """The answer, or what went wrong, once; from then on the next question may be asked."""
        with self._replying:
            try:
                return self._answers.get_nowait()
            except queue.Empty:
                return None

    def close(self) -> None:
        """End the thread; a question on its way is given up."""
        self._ended.set()
        self._questions.put(None)
        self._thread.join(timeout=2)

    def _run(self) -> None:
        failures = 0
        while not self._ended.is_set():
            connection = "disconnected"
            try:
                with self._open() as socket:
                    dialect = self._greet(socket)
                    failures = 0
                    self._status = replace(self._status, connection="ready", words="")
                    self._serve(socket, dialect)
                    words = "The connection was closed."
            except PolicyRefused as error:
                connection, words = "refused", str(error)
            except StudioError as error:
                words = str(error)
            except (OSError, WebSocketException, ValueError) as error:
                words = _said(error)
            self._status = PolicyStatus(connection, self._address.url, self._status.dialect, words)
            self._refuse_questions(PolicyLost(f"The policy server cannot be reached: {words}"))
            log.info("policy lost", url=self._address.url, words=words)
            self._ended.wait(BACKOFF_S[min(failures, len(BACKOFF_S) - 1)])
            failures += 1

    def _open(self) -> ClientConnection:
        address = self._address
        headers = {"Authorization": f"Bearer {address.token}"} if address.token else {}
        return connect(
            address.url,
            additional_headers=headers,
            compression=None,
            proxy=None,  # a policy is beside the robot; openpi issue 579 has what a proxy of the environment does
            max_size=address.max_frame_bytes,
            open_timeout=HELLO_TIMEOUT_S,
            close_timeout=0.5,
            ping_interval=PING_EVERY_S,
            ping_timeout=PING_TIMEOUT_S,
        )

    def _greet(self, socket: ClientConnection) -> Dialect:
        try:
            hello = read_message(socket.recv(timeout=HELLO_TIMEOUT_S))
        except TimeoutError:
            raise PolicyLost("The policy server sent no metadata.", hint="Check that it is a policy server.") from None
        if not isinstance(hello, Mapping):
            raise PolicyLost(f"The policy server first sent a {type(hello).__name__}; expected a map.")
        metadata = cast("Mapping[Any, Any]", hello)
        dialect = detect(self._address.dialect, self._address.url, metadata, self._session)
        predicts = metadata.get("predicts_video") is True
        path = metadata.get("foresight")
        foresight = path if isinstance(path, str) else ""
        self._status = replace(self._status, dialect=dialect.name, predicts=predicts, foresight=foresight)
        check_contract(metadata, self._address.declared)
        return dialect

    def _serve(self, socket: ClientConnection, dialect: Dialect) -> None:
        epoch: int | None = None
        while not self._ended.is_set() and socket.protocol.state is State.OPEN:
            try:
                question = self._questions.get(timeout=0.1)
            except queue.Empty:
                continue
            if question is None:
                return
            try:
                if question.seen.epoch != epoch and (reset := dialect.reset(question.seen.epoch)) is not None:
                    _exchange(socket, reset, question.timeout_s)
                epoch = question.seen.epoch
                message = dialect.question(question.seen)
                foresees = self.wants_video and self._status.predicts
                inside = foresees and not self._status.foresight
                if inside:
                    message["decode_video"] = True
                elif foresees:
                    message["foresee"] = label_of(question.seen.epoch, question.seen.tick)
                socket.protocol.max_message_size = MAX_FORESEEN_BYTES if inside else self._address.max_frame_bytes
                answer = dialect.answer(_exchange(socket, message, question.timeout_s))
            except PolicyRefused as error:
                self._reply(error)  # it said so in an orderly way: a server that goes on is talked to further
                continue
            except (StudioError, ConnectionClosed) as error:
                lost = (
                    error
                    if isinstance(error, StudioError)
                    else PolicyLost(f"The policy closed the connection: {_said(error)}")
                )
                self._status = replace(self._status, connection="disconnected", words=str(lost))
                self._reply(lost)
                raise lost from None
            seen = question.seen
            self._reply(
                ActionChunk(
                    tick=seen.tick,
                    epoch=seen.epoch,
                    observed_at_s=min(seen.state.measured_at_s, seen.views.captured_at_s),
                    received_at_s=self._clock.now(),
                    rows=answer.rows,
                    inference_s=answer.inference_s,
                    foresees=foresees,
                )
            )
            if answer.video is not None:
                self._take_clip(clip_of_video(label_of(seen.epoch, seen.tick), answer.video))

    def _reply(self, answer: ActionChunk | StudioError) -> None:
        with self._replying:
            self._answers.put(answer)
            self._busy = False

    def _refuse_questions(self, error: PolicyLost) -> None:
        while True:
            try:
                question = self._questions.get_nowait()
            except queue.Empty:
                return
            if question is not None:
                self._reply(error)


def _exchange(socket: ClientConnection, message: dict[str, Any], timeout_s: float) -> Any:
    """One question and its answer. Raises PolicyLost when there is none in time, or one that nobody asked for."""
    try:
        socket.recv(timeout=0)
    except TimeoutError:
        pass
    else:
        raise PolicyLost("The policy server sent an unexpected frame.")
    socket.send(pack_message(message))
    try:
        frame = socket.recv(timeout=timeout_s)
    except TimeoutError:
        raise PolicyLost(f"The policy did not answer within {timeout_s:g} s.", hint="The robot reconnects.") from None
    return read_message(frame)


def _said(error: Exception) -> str:
    if isinstance(error, InvalidStatus):
        status = error.response.status_code
        return f"the server answered {status}." + (" Check the token." if status in (401, 403) else "")
    return f"{str(error).rstrip('.') or type(error).__name__}."
