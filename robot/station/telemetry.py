"""How well a loop keeps its time, and how much of what a policy wants is held back."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from robot.observation import NUM_JOINTS, ROWS_PER_SECOND
from robot.playing import largest_gapless_horizon
from robot.tick_report import TickReport

WINDOW_TICKS = 60 * ROWS_PER_SECOND
LATE_S = 0.01
"""A tick later than this is counted as late."""


@dataclass(frozen=True)
class Summary:
    """The last minute, unless it says otherwise.

    Attributes:
        rate_hz: ticks a second.
        num_late: ticks more than 10 ms late; num_missed: deadlines that passed unused. Both since the start.
        lateness_p50_ms, lateness_p99_ms, lateness_max_ms: after the deadline.
        busy_p50_ms, busy_p99_ms: of a tick's own work.
        latency_p50_s, latency_p95_s: from an observation to its rows; none while nothing was asked.
        inference_p50_s: what the server says of it.
        largest_gapless_horizon: with that latency.
        jump_last_rad, jump_max_rad: between an old chunk and a new one where it took over; the largest joint.
        num_clamped_soft, num_clamped_lead, num_clamped_step, num_clamped_acceleration: ticks by joint, since the start;
            see safety's Clamps.
        clamped_share: of the played ticks, those with any joint clamped.
        num_played, num_gaps: ticks of a run with a row, and without one, since the start.
    """

    num_ticks: int = 0
    rate_hz: float = 0.0
    num_late: int = 0
    num_missed: int = 0
    lateness_p50_ms: float = 0.0
    lateness_p99_ms: float = 0.0
    lateness_max_ms: float = 0.0
    busy_p50_ms: float = 0.0
    busy_p99_ms: float = 0.0
    latency_p50_s: float | None = None
    latency_p95_s: float | None = None
    inference_p50_s: float | None = None
    largest_gapless_horizon: int | None = None
    jump_last_rad: float | None = None
    jump_max_rad: float | None = None
    num_clamped_soft: tuple[int, ...] = (0,) * NUM_JOINTS
    num_clamped_lead: tuple[int, ...] = (0,) * NUM_JOINTS
    num_clamped_step: tuple[int, ...] = (0,) * NUM_JOINTS
    num_clamped_acceleration: tuple[int, ...] = (0,) * NUM_JOINTS
    clamped_share: float = 0.0
    num_played: int = 0
    num_gaps: int = 0

    def to_json(self) -> dict[str, Any]:
        """Plain values, by the names above."""
        return asdict(self)


class Meter:
    """Listens to the loop's ticks; `summary` may be asked from another thread."""

    def __init__(self) -> None:
        self._began_s: deque[float] = deque(maxlen=WINDOW_TICKS)
        self._lateness_s: deque[float] = deque(maxlen=WINDOW_TICKS)
        self._busy_s: deque[float] = deque(maxlen=WINDOW_TICKS)
        self._latency_s: deque[float] = deque(maxlen=100)
        self._inference_s: deque[float] = deque(maxlen=100)
        self._jumps_rad: deque[float] = deque(maxlen=100)
        self._clamped = np.zeros((4, NUM_JOINTS), np.int64)
        self._num_ticks = self._num_late = self._num_missed = 0
        self._num_played = self._num_clamped = self._num_gaps = 0

    def __call__(self, report: TickReport) -> None:
        """One tick."""
        tick = report.tick
        self._num_ticks += 1
        self._num_missed += tick.num_missed
        self._num_late += tick.lateness_s > LATE_S
        self._began_s.append(tick.began_s)
        self._lateness_s.append(tick.lateness_s)
        self._busy_s.append(report.busy_s)
        if report.latency_s is not None:
            self._latency_s.append(report.latency_s)
        if report.answered is not None and report.answered.inference_s is not None:
            self._inference_s.append(report.answered.inference_s)
        if report.splice is not None:
            self._jumps_rad.append(report.splice.jump_rad)
        if report.rung is not None and report.wanted is None:
            self._num_gaps += 1
        if report.executed is not None and report.wanted is not None:
            clamps = report.executed.clamps
            self._clamped += np.stack([clamps.soft, clamps.lead, clamps.step, clamps.acceleration])
            self._num_played += 1
            self._num_clamped += bool(clamps.joints.any())

    def add_latency(self, seconds: float) -> None:
        """An answer of the policy that no tick tells of, as those that a self-test times."""
        self._latency_s.append(seconds)

    def summary(self) -> Summary:
        """As it stands."""
        began_s, jumps = list(self._began_s), list(self._jumps_rad)
        span_s = began_s[-1] - began_s[0] if len(began_s) > 1 else 0.0
        latency_p95_s = _percentile(self._latency_s, 95)
        soft, lead, step, acceleration = (tuple(int(count) for count in row) for row in self._clamped)
        return Summary(
            num_ticks=self._num_ticks,
            rate_hz=(len(began_s) - 1) / span_s if span_s > 0 else 0.0,
            num_late=self._num_late,
            num_missed=self._num_missed,
            lateness_p50_ms=1e3 * (_percentile(self._lateness_s, 50) or 0.0),
            lateness_p99_ms=1e3 * (_percentile(self._lateness_s, 99) or 0.0),
            lateness_max_ms=1e3 * max(self._lateness_s, default=0.0),
            busy_p50_ms=1e3 * (_percentile(self._busy_s, 50) or 0.0),
            busy_p99_ms=1e3 * (_percentile(self._busy_s, 99) or 0.0),
            latency_p50_s=_percentile(self._latency_s, 50),
            latency_p95_s=latency_p95_s,
            inference_p50_s=_percentile(self._inference_s, 50),
            largest_gapless_horizon=largest_gapless_horizon(latency_p95_s) if latency_p95_s is not None else None,
            jump_last_rad=jumps[-1] if jumps else None,
            jump_max_rad=max(jumps) if jumps else None,
            num_clamped_soft=soft,
            num_clamped_lead=lead,
            num_clamped_step=step,
            num_clamped_acceleration=acceleration,
            clamped_share=self._num_clamped / self._num_played if self._num_played else 0.0,
            num_played=self._num_played,
            num_gaps=self._num_gaps,
        )


def _percentile(values: Iterable[float], percent: float) -> float | None:
    kept = list(values)
    return float(np.percentile(kept, percent)) if kept else None
