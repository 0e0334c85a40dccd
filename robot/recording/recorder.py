"""Listens to the loop's ticks and writes episodes, on a thread of its own."""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import structlog

from robot.observation import NUM_JOINTS
from robot.recording.dataset import Dataset
from robot.recording.episode_writer import EpisodeWriter
from robot.recording.features import VIDEOS, Frame
from robot.tick_report import TickReport
from studio.errors import StudioError

log = structlog.get_logger("orrery.robot.recorder")

MAX_WAITING = 60
"""Ticks that may wait to be written: four seconds, 60 MB of pictures."""


@dataclass
class _Open:
    writer: EpisodeWriter
    task: str
    began_s: float
    notes: dict[str, Any]


class Recorder:
    """An episode begins with a run that asks for it, and ends with that run. Ticks at rest are left out.

    A tick that finds no room is dropped and counted: the loop never waits for a disk.

    Attributes:
        words: what went wrong last; empty while nothing did.
    """

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._reports: queue.Queue[TickReport | None] = queue.Queue(MAX_WAITING)
        self._num_dropped = 0
        self._recording = False
        self.words = ""
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def __call__(self, report: TickReport) -> None:
        """One tick of the loop; returns at once."""
        run = report.session.run
        records = run is not None and run.record and report.session.state in ("running", "holding")
        happened = report.executed is not None or report.events
        if not (records and happened) and (records or not self._recording):
            return
        try:
            self._reports.put_nowait(report)
            self._recording = records
        except queue.Full:  # The tick that ends an episode is tried again at the next one.
            self._num_dropped += 1

    def close(self, timeout_s: float = 30.0) -> None:
        """Finish the episode in hand, and end."""
        self._reports.put(None, timeout=timeout_s)
        self._thread.join(timeout_s)
        self._dataset.close()

    def _run(self) -> None:
        episode: _Open | None = None
        while (report := self._reports.get()) is not None:
            try:
                episode = self._take(episode, report)
            except StudioError as error:
                log.warning("recording failed", words=str(error))
                self.words, episode = str(error), None
        if episode is not None:
            self._finish(episode, "closed")

    def _take(self, episode: _Open | None, report: TickReport) -> _Open | None:
        run = report.session.run
        engaged = report.session.state in ("running", "holding")
        if episode is None and engaged and run is not None:
            notes: dict[str, Any] = {"run": run.model_dump(mode="json"), "policy": report.policy.server, "events": []}
            episode = _Open(self._dataset.begin(run.prompt), run.prompt, report.tick.began_s, notes)
        if episode is None:
            return None
        episode.notes["events"] += [
            {"at_s": round(event.at_s - episode.began_s, 3), "code": event.code, "words": event.words}
            for event in report.events
        ]
        if (frame := _frame(report, episode.began_s)) is not None:
            episode.writer.add(frame)
        if engaged:
            return episode
        self._finish(episode, report.session.stop.value if report.session.stop else report.session.state)
        return None

    def _finish(self, episode: _Open, ended: str) -> None:
        if not episode.writer.num_frames:
            self._dataset.abandon(episode.writer)
            return
        notes = episode.notes | {"ended": ended, "success": None, "num_dropped": self._num_dropped}
        self._num_dropped = 0
        self._dataset.commit(episode.writer, episode.task, notes)


def _frame(report: TickReport, began_s: float) -> Frame | None:
    """The tick as a frame; none for one in which nothing was done or not everything was seen."""
    state, views, executed = report.state, report.views, report.executed
    if state is None or views is None or executed is None or executed.stop is not None:
        return None
    measured = np.append(state.joint_positions, state.gripper_position)
    in_shadow = report.session.run is not None and report.session.run.mode == "shadow"
    assert len(executed.row) == NUM_JOINTS + 1
    return Frame(
        at_s=report.tick.began_s - began_s,
        lateness_s=report.tick.lateness_s,
        epoch=report.session.epoch,
        state=measured,
        action=measured if in_shadow else executed.row,
        wanted=report.wanted if report.wanted is not None else executed.row,
        clamped=executed.clamps.joints,
        views=dict(zip(VIDEOS, (views.wrist, views.exterior_1, views.exterior_2), strict=True)),
        tick=report.tick.number,
        foreseen=report.foreseen,
    )
