"""The video page: a clip from a prompt, from a prompt and a first picture, or from a prompt and another clip."""

from __future__ import annotations

from frontend.panel import FormPart, Panel
from frontend.places import VIDEO
from studio.requests import GenerateVideo

START = FormPart("@start", "o-start", ("start_image", "source_video", "condition_frames", "condition_end"))
"""What a clip starts from: one form for all three, which follows what is dropped in."""

VIDEO_PANEL = Panel(
    VIDEO,
    GenerateVideo,
    parts=(START,),
    early=("aspect_ratio", "resolution", "num_frames", "sound"),
    rare=("fps",),
)
