"""The places with a form: which request each makes, and what stands in it."""

from __future__ import annotations

from frontend.panel import FormPart, Panel
from frontend.places import IMAGE, INVERSE, POLICY, SOUND, TRANSFER, VIDEO, WORLD
from studio.requests import GenerateImage, GenerateVideo, PredictActions, PredictVideo, RunPolicy, TransferVideo

IMAGE_PANEL = Panel(IMAGE, GenerateImage)
"""A picture from a prompt."""

START = FormPart("@start", "o-start", ("start_image", "source_video", "condition_frames", "condition_end"))
"""What a clip starts from: one form for all three, which follows what is dropped in."""

VIDEO_PANEL = Panel(
    VIDEO,
    GenerateVideo,
    parts=(START,),
    early=("aspect_ratio", "resolution", "num_frames", "sound"),
    rare=("fps",),
)
"""A clip from a prompt, from a prompt and a first picture, or from a prompt and another clip."""

SOUND_PANEL = Panel(
    SOUND,
    GenerateVideo,
    parts=(START,),
    early=("sound", "num_frames", "aspect_ratio", "resolution"),
    rare=("fps",),
    first={"sound": True},
)
"""The same with its sound on, for whoever listens first."""

TRANSFER_PANEL = Panel(
    TRANSFER,
    TransferVideo,
    parts=(FormPart("@controls", "o-controls", ("source_video", "controls", "num_source_frames")),),
    early=("aspect_ratio", "resolution", "num_frames", "num_chunk_frames"),
    rare=("fps",),
)
"""A clip that follows the outlines, the blur or the depth of another one."""

TABS = ((WORLD, "Forward dynamics"), (INVERSE, "Inverse dynamics"), (POLICY, "Policy"))
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
        FormPart("@round_trip", "o-round-trip", (), below="fps"),
    ),
    early=("fps", "resolution"),
    first=FIRST,
    tabs=TABS,
)
"""What will be seen if this is done."""

INVERSE_PANEL = Panel(
    INVERSE,
    PredictActions,
    parts=(FormPart("@clip", "o-clip", ("source_video",)), BODY),
    early=("num_actions", "fps", "resolution"),
    first=FIRST,
    tabs=TABS,
)
"""What was done in a clip."""

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
    tools=("o-fan", "o-rollout"),
)
"""What to do now."""

PANELS = (IMAGE_PANEL, VIDEO_PANEL, SOUND_PANEL, TRANSFER_PANEL, WORLD_PANEL, INVERSE_PANEL, POLICY_PANEL)
