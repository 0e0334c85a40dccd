"""An arm's questions in the worker's hands: answered one after the other, step by step, before all else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import structlog
from numpy.typing import NDArray

from backend.messages import Act, Acted, ActFailed, Foreseen
from backend.worker.server_pipe import ServerPipe
from engine import Engine, Trajectory
from studio.errors import StudioError
from studio.jobs import Failure

log = structlog.get_logger("orrery.worker")


@dataclass(eq=False)
class OpenAct:
    """A question on its way to an answer.

    Attributes:
        began_at: seconds of the monotonic clock.
        trajectory: the engine's part of it, once it has begun.
    """

    asked: Act
    began_at: float = 0.0
    trajectory: Trajectory | None = None


@dataclass(eq=False)
class OpenForesight:
    """Frames of the last answer on their way.

    Attributes:
        frames: decoded piece by piece while they are taken.
        pieces: taken so far, each uint8 [n, height, width, 3].
    """

    act_id: str
    frames: Iterator[NDArray[np.uint8]]
    pieces: list[NDArray[np.uint8]] = field(default_factory=list[NDArray[np.uint8]])


class Acting:
    """Open questions, oldest first; behind them, the foreseen frames of the last answer."""

    def __init__(self, pipe: ServerPipe) -> None:
        self._pipe = pipe
        self._open: dict[str, OpenAct] = {}
        self._kept_free = False
        self._foresight: OpenForesight | None = None

    def ask(self, asked: Act) -> None:
        """Take a question; from now on the device is kept free for more of them."""
        self._open[asked.act_id] = OpenAct(asked)
        self._kept_free = True

    def stop(self, act_id: str) -> None:
        """Drop a question, wherever it stands, and what is foreseen with it."""
        self._open.pop(act_id, None)
        if self._foresight is not None and self._foresight.act_id == act_id:
            self._foresight = None

    def keep_free(self, rest: bool) -> None:
        """Whether the device is to be kept free, for an arm that this engine or another one on it may answer."""
        self._kept_free = rest
        if not rest:  # Nobody drives any more; the engine may leave the device.
            self._foresight = None

    @property
    def holds(self) -> bool:
        """Whether jobs rest: from the first question until the server says that they may go on."""
        return self._kept_free or bool(self._open)

    @property
    def turn(self) -> OpenAct | None:
        """The question whose turn it is."""
        return next(iter(self._open.values()), None)

    @property
    def foresight(self) -> OpenForesight | None:
        """Frames whose turn it is: those of the last answer, while no question is open."""
        return None if self._open else self._foresight

    @property
    def midway(self) -> bool:
        """Whether an answer has been begun and is not there yet."""
        return self.turn is not None and self.turn.trajectory is not None

    def advance(self, engine: Engine, act: OpenAct) -> None:
        """Begin it or take its next step; after the last one, report.

        Raises:
            StudioError: as `Engine.begin`, `Engine.step` and `Engine.finish`.
        """
        if act.trajectory is None:
            act.began_at = time.monotonic()
            act.trajectory = engine.begin(act.asked.request, {"start_image": act.asked.canvas[None]})
        else:
            engine.step([act.trajectory])
        if act.trajectory.done:
            result = engine.finish(act.trajectory)
            assert result.actions is not None, "a policy's request comes to actions"
            video = np.concatenate(list(result.frames)) if act.asked.request.decode_video else None
            self.stop(act.asked.act_id)
            self._foresight = OpenForesight(act.asked.act_id, result.frames) if act.asked.foresee else None
            self._pipe.report(Acted(act.asked.act_id, result.actions, time.monotonic() - act.began_at, video))

    def foresee(self, foresight: OpenForesight) -> None:
        """Decode the next piece; after the last one, report.

        Raises:
            StudioError: as `Engine.finish`.
        """
        piece = next(foresight.frames, None)
        if piece is not None:
            foresight.pieces.append(piece)
            return
        self._foresight = None
        if foresight.pieces:
            self._pipe.report(Foreseen(foresight.act_id, np.concatenate(foresight.pieces)))

    def give_up(self, foresight: OpenForesight, error: StudioError) -> None:
        """Frames that cannot be decoded are dropped; the answer has been given."""
        log.warning("foresight_failed", code=error.code, message=error.message)
        if self._foresight is foresight:
            self._foresight = None

    def fail(self, act: OpenAct, error: StudioError) -> None:
        """End a question for a reason, unless nobody waits for it any more."""
        if self._open.pop(act.asked.act_id, None):
            self._pipe.report(ActFailed(act.asked.act_id, Failure.of(error)))
