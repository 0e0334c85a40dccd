"""The sound page: the video form with its sound on, for whoever listens first."""

from __future__ import annotations

from frontend.pages.video import START
from frontend.panel import Panel
from frontend.places import SOUND
from studio.requests import GenerateVideo

SOUND_PANEL = Panel(
    SOUND,
    GenerateVideo,
    parts=(START,),
    early=("sound", "num_frames", "aspect_ratio", "resolution"),
    rare=("fps",),
    first={"sound": True},
)
