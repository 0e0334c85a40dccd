"""What people may tell the loop: it obeys at the beginning of a tick, and to a stop at once."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from robot.run import Run


@dataclass(frozen=True)
class Ready:
    """The self-test passed."""


@dataclass(frozen=True)
class Start:
    """Begin a run.

    Attributes:
        rows: float64 [n, 8], what to replay.
    """

    run: Run
    rows: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Instruct:
    """Another instruction."""

    prompt: str


@dataclass(frozen=True)
class Hold:
    """Wait."""


@dataclass(frozen=True)
class Resume:
    """Go on. After a stop the arm must have been recovered."""


@dataclass(frozen=True)
class Stop:
    """Stop at once."""


@dataclass(frozen=True)
class Finish:
    """The run is over."""


@dataclass(frozen=True)
class Recovered:
    """The arm's faults were cleared."""


@dataclass(frozen=True)
class Approve:
    """Play the chunk that is shown."""


@dataclass(frozen=True)
class Reject:
    """Ask again instead."""


@dataclass(frozen=True)
class StepOnce:
    """Play one row."""


@dataclass(frozen=True)
class Heartbeat:
    """The page in control is there."""


@dataclass(frozen=True)
class Release:
    """The page in control gave it back."""


Command = (
    Ready
    | Start
    | Instruct
    | Hold
    | Resume
    | Stop
    | Finish
    | Recovered
    | Approve
    | Reject
    | StepOnce
    | Heartbeat
    | Release
)


@dataclass(frozen=True)
class Told:
    """A command on its way; the future is done when it was obeyed, or holds the StudioError that says why not."""

    command: Command
    done: Future[None] = field(default_factory=Future[None])
