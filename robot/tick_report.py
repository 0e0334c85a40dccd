"""What happened in one tick: what is recorded, measured and shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from robot.chunk import ActionChunk
from robot.clock import Tick
from robot.commands import Run
from robot.faults import StopReason
from robot.foresight.watcher import Foreseen
from robot.observation import ArmState, Views
from robot.playing import Rung, Splice
from robot.policy.policy import PolicyStatus
from robot.safety import Executed

State = Literal["idle", "ready", "running", "holding", "stopped", "fault"]
"""idle has not passed its self-test; ready may start; a stopped arm goes on when a person says so; at fault it must be
recovered first."""

HoldReason = Literal["person", "policy", "connection", "approval", "step", "divergence"]
"""What a holding arm waits for: a person's word, rows, the server, a yes to the shown chunk, the next press,
or a person's word after what was seen differed too much from what was foreseen."""


@dataclass(frozen=True)
class SessionView:
    """Where a session stands.

    Attributes:
        epoch: goes up with every stop, hold and change of the instruction; what was asked in an old one never counts.
        hold: what a holding arm waits for.
        stop: why a stopped one was stopped.
        words: the last thing that went wrong, for the operator.
    """

    state: State
    epoch: int
    run: Run | None = None
    hold: HoldReason | None = None
    stop: StopReason | None = None
    words: str = ""


@dataclass(frozen=True)
class Event:
    """Something that a person should read.

    Attributes:
        code: a state's, a stop's or an error's name.
        words: one sentence.
    """

    at_s: float
    code: str
    words: str


@dataclass(frozen=True)
class TickReport:
    """One tick of the loop.

    Attributes:
        state, views: what was seen; none where the arm or a camera was lost.
        rung: what the ladder said; none where no run is on.
        wanted: float64 [8], the row that was to be played.
        executed: what was done instead; nothing is sent to the arm in shadow mode.
        coming: float64 [ticks, 8], what will be played next.
        pending: a chunk that waits for a person's yes.
        answered: the chunk that came in this tick, and `splice` how it took over.
        latency_s: from its observation to its arrival.
        foreseen: what was foreseen for a moment not long ago, and how far from it things were.
        busy_s: how long the tick took, without its listeners.
    """

    tick: Tick
    session: SessionView
    policy: PolicyStatus
    state: ArmState | None = None
    views: Views | None = None
    rung: Rung | None = None
    wanted: NDArray[np.float64] | None = None
    executed: Executed | None = None
    coming: NDArray[np.float64] | None = None
    pending: ActionChunk | None = None
    answered: ActionChunk | None = None
    splice: Splice | None = None
    latency_s: float | None = None
    foreseen: Foreseen | None = None
    busy_s: float = 0.0
    events: tuple[Event, ...] = ()
