"""What a robot is said to be, and the runs that it has recorded; these answers are its own, passed on."""

from __future__ import annotations

from typing import Any

from backend.robots.hello import Hello

_HOME = [0.0, -0.6283, 0.0, -2.5133, 0.0, 1.885, 0.0, 0.5]
_MOVED = [0.01, -0.6283, 0.0, -2.5133, 0.0, 1.885, 0.0, 0.5]
_HELLO = Hello(
    name="simulated",
    arm="simulated",
    model="panda",
    policy="ws://127.0.0.1:7860/v1/policy",
    limits={"soft_min": [-2.8] * 7, "soft_max": [2.8] * 7, "velocity": [2.0] * 7},
)
_RUN = {"index": 0, "task": "Lift the red cube.", "num_frames": 2, "ended": "ready", "success": True}

ANSWERS: dict[str, Any] = {
    "GET /v1/robots": {
        "robots": [
            {
                **_HELLO.model_dump(),
                "connected": True,
                "session": None,
                "summary": None,
                "watchers": 0,
                "controlled": False,
            }
        ],
        "problem": "",
    },
    "GET /v1/robots/{name}/episodes": {
        "episodes": [_RUN],
        "num_judged": 1,
        "num_successes": 1,
        "success_interval": [0.207, 1.0],
    },
    "GET /v1/robots/{name}/episodes/{episode}": {
        **_RUN,
        "frames_per_second": 15,
        "stride": 1,
        "states": [_HOME, _MOVED],
        "actions": [_MOVED, _MOVED],
        "clamped": [[], [2]],
        "run": {"prompt": "Lift the red cube."},
        "events": [],
    },
}
"""By method and path."""
