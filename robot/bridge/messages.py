"""What a station says: JSON text frames, each an object with `type`.

- `hello` {name, arm: simulated|franka|replay, model: fr3|panda, policy: URL, limits: {soft_min[7], soft_max[7],
  velocity[7]}}: first, after every dialling; then `session`
- `session` {state, epoch, hold, stop, words, run}: at every change. state is idle, ready, running, holding, stopped or
  fault; hold is person, policy, connection, approval, step or divergence; stop is a StopReason and words its sentence
- `tick` {tick, at_s, state, hold, epoch, joints[7] rad, gripper, wanted[8]|null, executed[8]|null, clamped: joints
  counted from 0, rung: play|coast|rest|stop|null, num_coming, policy: disconnected|connecting|ready|refused,
  policy_words, policy_predicts, foreseen: {label, tick, frame, psnr_db[3], motion[3]}|null, has_views, lateness_ms,
  busy_ms}: fifteen a second. `foreseen` compares what was seen at its own tick, of a moment ago
- `chunk` {tick, epoch, pending, rows[n][8], skipped_rows, jump_rad, latency_s, inference_s, has_video}: when rows came;
  pending ones wait for `approve` or `reject`; those that a person proposed come too, and a shadow run's rows
- `coming` {tick, epoch, num_coming, rows[≤ 48][8]}: what will be played next, stretched and faded as it will be: when
  rows took over or a replay began, and once a second
- `event` {at_s, code, words}: something that a person should read
- `check` {name, outcome: passed|failed|ask, words}: findings of a self-test, and what went wrong with home and recover
- `summary` {busy, recording_words, scene_seed|null, and the fields of robot.station.telemetry.Summary}: once a second
- `answer` {id, error: {code, message, type, param, hint}|null, value}: to an order
Times are seconds of this machine's monotonic clock.

Binary frames (studio.wire.frames) come of the topics that were asked for: `canvas`, a JPEG of exactly what the
policy sees, fifteen a second; `predicted/{epoch}-{tick}/{i}`, JPEGs of what the policy foresees with the chunk of
that epoch and tick, when they come: frame 0 is what it was asked about, frame i what it expects after row i.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from robot.chunk import ActionChunk
from robot.foresight import Foreseen, label_of
from robot.observation import NUM_JOINTS, ROWS_PER_SECOND
from robot.safety import LIMITS, ArmModel
from robot.station.self_test import Check
from robot.station.telemetry import Summary
from robot.tick_report import Event, SessionView, TickReport

MAX_COMING = 48
"""Rows of a `coming` message: the 32 that are drawn, and a second more until the next one."""

JPEG_QUALITY = 80
"""About 30 KB and 1 ms for a canvas of 540 x 640."""


class ComingRows:
    """When a page has to be told anew what will be played: it can count down itself, but not guess.

    Follows the ticks of a loop, some of which may be missing.
    """

    def __init__(self) -> None:
        self._epoch: int = -1
        self._num_left = 0
        self._told_at_tick = 0

    def is_news(self, report: TickReport) -> bool:
        """Whether rows took over since the last tick, or it is a second since they were told."""
        num_left = len(report.coming) if report.coming is not None else 0
        grew = num_left > self._num_left or report.session.epoch != self._epoch or report.splice is not None
        self._epoch, self._num_left = report.session.epoch, num_left
        if not num_left or not (grew or report.tick.number - self._told_at_tick >= ROWS_PER_SECOND):
            return False
        self._told_at_tick = report.tick.number
        return True


def hello(name: str, arm: str, model: ArmModel, policy: str) -> dict[str, Any]:
    """The first message."""
    limits = LIMITS[model]
    return {
        "type": "hello",
        "name": name,
        "arm": arm,
        "model": model,
        "policy": policy,
        "limits": {
            "soft_min": limits.soft_min.tolist(),
            "soft_max": limits.soft_max.tolist(),
            "velocity": limits.velocity.tolist(),
        },
    }


def tick(report: TickReport) -> dict[str, Any]:
    """One tick, without its pictures."""
    executed = report.executed
    return {
        "type": "tick",
        "tick": report.tick.number,
        "at_s": round(report.tick.began_s, 4),
        "state": report.session.state,
        "hold": report.session.hold,
        "epoch": report.session.epoch,
        "joints": _rounded(report.state.joint_positions) if report.state is not None else None,
        "gripper": round(report.state.gripper_position, 3) if report.state is not None else None,
        "wanted": _rounded(report.wanted),
        "executed": _rounded(executed.row) if executed is not None else None,
        "clamped": np.flatnonzero(executed.clamps.joints).tolist() if executed is not None else [],
        "rung": report.rung.value if report.rung is not None else None,
        "num_coming": len(report.coming) if report.coming is not None else 0,
        "policy": report.policy.connection,
        "policy_words": report.policy.words,
        "policy_predicts": report.policy.predicts,
        "foreseen": _foreseen(report.foreseen) if report.foreseen is not None else None,
        "has_views": report.views is not None,
        "lateness_ms": round(1e3 * report.tick.lateness_s, 3),
        "busy_ms": round(1e3 * report.busy_s, 3),
    }


def _foreseen(found: Foreseen) -> dict[str, Any]:
    """Which frame of which clip stands beside which tick, and how far they diverge: see `robot.foresight`."""
    return {
        "label": label_of(found.moment.epoch, found.moment.chunk_tick),
        "tick": found.moment.tick,
        "frame": found.frame,
        "psnr_db": list(found.divergence.psnr_db),
        "motion": list(found.divergence.motion),
    }


def session(view: SessionView) -> dict[str, Any]:
    """Where it stands, whenever that changed."""
    return {
        "type": "session",
        "state": view.state,
        "epoch": view.epoch,
        "hold": view.hold,
        "stop": view.stop.value if view.stop is not None else None,
        "words": view.words,
        "run": view.run.model_dump(mode="json") if view.run is not None else None,
    }


def chunk(found: ActionChunk, report: TickReport, *, pending: bool) -> dict[str, Any]:
    """Rows that came; those that wait for a yes are pending."""
    return {
        "type": "chunk",
        "tick": found.tick,
        "epoch": found.epoch,
        "pending": pending,
        "rows": [_rounded(row) for row in found.rows],
        "skipped_rows": report.splice.skipped_rows if report.splice is not None else None,
        "jump_rad": round(report.splice.jump_rad, 4) if report.splice is not None else None,
        "latency_s": report.latency_s,
        "inference_s": found.inference_s,
        "has_video": found.foresees,
    }


def coming(report: TickReport) -> dict[str, Any]:
    """What will be played next; it follows from it and the later ticks' `num_coming` what is left of it."""
    assert report.coming is not None
    return {
        "type": "coming",
        "tick": report.tick.number,
        "epoch": report.session.epoch,
        "num_coming": len(report.coming),
        "rows": [_rounded(row) for row in report.coming[:MAX_COMING]],
    }


def event(found: Event) -> dict[str, Any]:
    """Something that a person should read."""
    return {"type": "event", "at_s": round(found.at_s, 4), "code": found.code, "words": found.words}


def check(found: Check) -> dict[str, Any]:
    """A finding of the self-test."""
    return {"type": "check", "name": found.name, "outcome": found.outcome, "words": found.words}


def summary(found: Summary, busy: str, recording_words: str, scene_seed: int | None = None) -> dict[str, Any]:
    """Once a second."""
    about = {"busy": busy, "recording_words": recording_words, "scene_seed": scene_seed}
    return {"type": "summary", **about, **found.to_json()}


def jpeg(picture: NDArray[np.uint8]) -> bytes:
    """A picture, uint8 [height, width, 3] RGB, for a browser."""
    done, coded = cv2.imencode(".jpg", picture[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    assert done
    return coded.tobytes()


def _rounded(values: NDArray[np.float64] | None) -> list[float] | None:
    """To a tenth of a milliradian; what is not finite becomes 0, which JSON can say (a stop was its answer)."""
    if values is None:
        return None
    assert values.size in (NUM_JOINTS, NUM_JOINTS + 1)
    return np.round(np.nan_to_num(values, posinf=0.0, neginf=0.0), 4).tolist()
