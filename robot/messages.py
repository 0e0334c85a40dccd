"""What a station says, as JSON: the shapes are written down in `robot.bridge`."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from robot.chunk import ActionChunk
from robot.observation import NUM_JOINTS
from robot.safety import LIMITS, ArmModel
from robot.self_test import Check
from robot.telemetry import Summary
from robot.turn import Event, SessionView, Turn

MAX_COMING = 48
"""Rows of a `coming` message: the 32 that are drawn, and a second more until the next one."""

JPEG_QUALITY = 80
"""About 30 KB and 1 ms for a canvas of 540 x 640."""


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


def tick(turn: Turn) -> dict[str, Any]:
    """One turn, without its pictures."""
    executed = turn.executed
    return {
        "type": "tick",
        "tick": turn.tick.number,
        "at_s": round(turn.tick.began_s, 4),
        "state": turn.session.state,
        "hold": turn.session.hold,
        "epoch": turn.session.epoch,
        "joints": _rounded(turn.state.joint_positions) if turn.state is not None else None,
        "gripper": round(turn.state.gripper_position, 3) if turn.state is not None else None,
        "wanted": _rounded(turn.wanted),
        "executed": _rounded(executed.row) if executed is not None else None,
        "clamped": np.flatnonzero(executed.clamps.joints).tolist() if executed is not None else [],
        "rung": turn.rung.value if turn.rung is not None else None,
        "num_coming": len(turn.coming) if turn.coming is not None else 0,
        "policy": turn.policy.connection,
        "policy_words": turn.policy.words,
        "policy_predicts": turn.policy.predicts,
        "has_views": turn.views is not None,
        "lateness_ms": round(1e3 * turn.tick.lateness_s, 3),
        "busy_ms": round(1e3 * turn.busy_s, 3),
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


def chunk(found: ActionChunk, turn: Turn, *, pending: bool) -> dict[str, Any]:
    """Rows that came; those that wait for a yes are pending."""
    return {
        "type": "chunk",
        "tick": found.tick,
        "epoch": found.epoch,
        "pending": pending,
        "rows": [_rounded(row) for row in found.rows],
        "skipped_rows": turn.splice.skipped_rows if turn.splice is not None else None,
        "jump_rad": round(turn.splice.jump_rad, 4) if turn.splice is not None else None,
        "latency_s": turn.latency_s,
        "inference_s": found.inference_s,
        "has_video": found.video is not None,
    }


def coming(turn: Turn) -> dict[str, Any]:
    """What will be played next; it follows from it and the later ticks' `num_coming` what is left of it."""
    assert turn.coming is not None
    return {
        "type": "coming",
        "tick": turn.tick.number,
        "epoch": turn.session.epoch,
        "num_coming": len(turn.coming),
        "rows": [_rounded(row) for row in turn.coming[:MAX_COMING]],
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
