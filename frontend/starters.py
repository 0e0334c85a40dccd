"""Examples of forms for checkpoints that bring none; a shipped picture or clip goes with them where one is needed."""

from __future__ import annotations

from typing import Any

SAMPLE = "sample"
"""Among an example's values: the field that takes a shipped picture or clip. No field of a request."""

SAMPLE_NAME = "sample_name"
"""Likewise: which one, a file of `frontend/static` without its ending; the usual one where nothing is said."""

_ARM = "A robot arm lowers its gripper towards a cube on a brown table and lifts it."

STARTERS: dict[str, tuple[dict[str, Any], ...]] = {
    "video": (
        {
            "title": "Yellow cube",
            "values": {
                "prompt": "The arm lowers its gripper onto the yellow cube, closes, and lifts it a hand's width above "
                "the brown table."
            },
        },
        {"title": "From an image", "values": {"prompt": _ARM, SAMPLE: "start_image"}},
        {"title": "From a video", "values": {"prompt": _ARM, SAMPLE: "source_video"}},
    ),
    "sound": (
        {
            "title": "Rain on a tin roof",
            "values": {"prompt": "Heavy rain drums on a tin roof, a gutter runs over.", "sound": True},
        },
        {
            "title": "Workshop",
            "values": {"prompt": "A hand plane moves along a board in a quiet workshop; shavings curl.", "sound": True},
        },
    ),
    "transfer": (
        {
            "title": "Outlines",
            "values": {
                "prompt": "The same arm and table, built of white porcelain, in soft daylight.",
                SAMPLE: "source_video",
                "controls": [{"hint": "edge", "weight": 1.0}],
            },
        },
        {
            "title": "Outlines and blur",
            "values": {
                "prompt": "The same scene at night under a single warm lamp.",
                SAMPLE: "source_video",
                "controls": [{"hint": "edge", "weight": 1.0}, {"hint": "blur", "strength": "high", "weight": 0.5}],
            },
        },
    ),
    "world": (
        {
            "title": "Push to the right",
            "values": {
                "prompt": "The gripper pushes the cube to the right.",
                SAMPLE: "start_image",
                "embodiment": "pusht",
                "actions": [[round(0.05 * row, 2), 0.0] for row in range(16)],
            },
        },
    ),
    "inverse": (
        {
            "title": "The arm above the table",
            "values": {
                "prompt": "The arm lowers its gripper towards the cube.",
                SAMPLE: "source_video",
                "embodiment": "droid_joint_position",
                "num_actions": 16,
            },
        },
    ),
    "policy": (
        {
            "title": "Lift the cube",
            "values": {
                "prompt": "Lift the cube.",
                SAMPLE: "start_image",
                "embodiment": "droid_joint_position",
                "state": [0.0, -0.6, 0.0, -2.5, 0.0, 1.9, 0.0, 1.0],
                "num_actions": 16,
            },
        },
    ),
}
"""By page."""
