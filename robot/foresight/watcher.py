"""Compares, tick by tick, what is seen with what was foreseen for that moment, on a thread of its own."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import structlog
from numpy.typing import NDArray

from robot.faults import PolicyLost
from robot.foresight.clip import ForeseenClip, label_of
from robot.foresight.divergence import Divergence, diverged
from robot.observation import Views
from robot.process import lower_priority

log = structlog.get_logger("orrery.robot.foresight")

MAX_CLIPS = 4
"""The chunk that is played, the one that comes, and two that were overtaken; about 2 MB each."""


@dataclass(frozen=True)
class Moment:
    """One tick of the loop, as foresight counts it.

    Attributes:
        tick, epoch: of the loop.
        chunk_tick: the tick whose observation the chunk in play answers.
        row: how many of its rows have been played since that observation; frame `row` is what should be seen now.
        views: what is seen.
    """

    tick: int
    epoch: int
    chunk_tick: int
    row: float
    views: Views


@dataclass(frozen=True)
class Foreseen:
    """What was foreseen for a moment, and how far from it things are.

    Attributes:
        frame: its index in the clip.
        picture: uint8 [540, 640, 3].
    """

    moment: Moment
    frame: int
    picture: NDArray[np.uint8]
    divergence: Divergence


class Foresight(Protocol):
    """What the loop needs of it: never waits, never raises."""

    def look(self, moment: Moment) -> Foreseen | None:
        """Hand in a moment, and take the newest comparison that is done: of an earlier tick, or none."""
        ...

    def forget(self) -> None:
        """Nothing is played: what was compared is over."""
        ...


class NoForesight:
    """Where nothing foresees."""

    def look(self, moment: Moment) -> None:
        """Nothing to compare with."""

    def forget(self) -> None:
        """There is nothing."""


class Watcher:
    """A `Foresight`. A moment that comes while the last one is compared takes its place in the queue of one.

    Args:
        on_clip: told of every clip, on the thread that received it.
    """

    def __init__(self, on_clip: Callable[[ForeseenClip], None] = lambda _: None) -> None:
        self._on_clip = on_clip
        self._clips: OrderedDict[str, ForeseenClip] = OrderedDict()
        self._lock = threading.Lock()
        self._next: Moment | None = None
        self._done: Foreseen | None = None
        self._wake = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="foresight", daemon=True)
        self._thread.start()

    def take(self, clip: ForeseenClip) -> None:
        """A clip has come; the oldest gives way."""
        with self._lock:
            self._clips[clip.label] = clip
            while len(self._clips) > MAX_CLIPS:
                self._clips.popitem(last=False)
        self._on_clip(clip)

    def look(self, moment: Moment) -> Foreseen | None:
        """See `Foresight`."""
        self._next = moment
        self._wake.set()
        found = self._done
        return found if found is not None and _matches(found.moment, moment) else None

    def forget(self) -> None:
        """See `Foresight`."""
        self._next = self._done = None

    def close(self) -> None:
        """End the thread."""
        self._ended.set()
        self._wake.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        lower_priority()
        while not self._ended.is_set():
            self._wake.wait()
            self._wake.clear()
            moment, self._next = self._next, None
            if moment is not None:
                self._compare(moment)

    def _compare(self, moment: Moment) -> None:
        label = label_of(moment.epoch, moment.chunk_tick)
        with self._lock:
            clip = self._clips.get(label)
        frame = round(moment.row)
        if clip is None or not 0 < frame < len(clip.frames):
            return
        try:
            before, foreseen = clip.picture(0), clip.picture(frame)
        except PolicyLost as error:
            log.info("foreseen frames dropped", label=label, words=str(error))
            with self._lock:
                if self._clips.get(label) is clip:  # else a good one has come meanwhile
                    del self._clips[label]
            return
        seen = moment.views.canvas()
        self._done = Foreseen(moment, frame, foreseen, diverged(before, foreseen, seen, clip.views))


def _matches(found: Moment, now: Moment) -> bool:
    """Whether a comparison still says something of now: of this chunk or the one before, and at most a second old."""
    return found.epoch == now.epoch and 0 <= now.tick - found.tick <= MAX_AGE_TICKS


MAX_AGE_TICKS = 15
