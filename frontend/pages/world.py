"""The world pages: what will be seen if this is done, what was done in a clip, and what to do now."""

from __future__ import annotations

from frontend.panel import FormPart, Panel
from frontend.places import INVERSE, POLICY, WORLD
from studio.requests import PredictActions, PredictVideo, RunPolicy

TABS = ((WORLD, "Forward"), (INVERSE, "Inverse"), (POLICY, "Policy"))
BODY = FormPart("@body", "o-body", ("embodiment", "action_width"))
FIRST = {"embodiment": "pusht"}
"""The body with the fewest values, so that the first curve is one that a person can read."""

WORLD_PANEL = Panel(
    WORLD,
    PredictVideo,
    parts=(
        FormPart("@start", "o-picture", ("start_image",)),
        BODY,
        FormPart("@actions", "o-actions", ("actions",)),
    ),
    early=("fps", "resolution"),
    first=FIRST,
    tabs=TABS,
)
INVERSE_PANEL = Panel(
    INVERSE,
    PredictActions,
    parts=(FormPart("@clip", "o-clip", ("source_video",)), BODY),
    early=("num_actions", "fps", "resolution"),
    first=FIRST,
    tabs=TABS,
)
POLICY_PANEL = Panel(
    POLICY,
    RunPolicy,
    parts=(
        FormPart("@start", "o-picture", ("start_image",)),
        BODY,
        FormPart("@state", "o-state", ("state",)),
    ),
    early=("num_actions", "fps", "resolution"),
    first=FIRST,
    tabs=TABS,
)
