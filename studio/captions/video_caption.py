"""The structured caption of a clip (technical report, appendix A.3): the still scene and how it changes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from studio.captions.scene import (
    LABEL,
    MAX_COUNT,
    MAX_SUBJECTS,
    MAX_TEXTS,
    NARRATIVE,
    PARAGRAPH,
    PHRASE,
    Aesthetics,
    Cinematography,
    Lighting,
    PixelSize,
    Subject,
    TextElement,
)
from studio.captions.timing import TIMING
from studio.requests import Frozen

MAX_ACTIONS = 12
MAX_SEGMENTS = 6
MAX_TRANSITIONS = 6

Timing = Annotated[str, Field(pattern=TIMING, max_length=13)]


class MovingSubject(Subject):
    """A subject and what it does."""

    action: str = Field(default="", max_length=PHRASE, description="what it does")
    state_changes: str = Field(default="", max_length=PHRASE, description="how it or its state changes")


class MovingCamera(Cinematography):
    """The camera of a clip."""

    camera_motion: str = Field(default="", max_length=PHRASE, description="static, pan, tilt, zoom, tracking …")


class TimedText(TextElement):
    """Writing, and when it can be seen."""

    spatial_temporal: str = Field(default="", max_length=PHRASE, description="where it is, and when")


class Action(Frozen):
    """Something that happens."""

    time: Timing = Field(description="M:SS-M:SS")
    description: str = Field(min_length=1, max_length=PARAGRAPH, description="what happens")


class Segment(Frozen):
    """A stretch of the clip that holds together."""

    segment_index: int = Field(ge=0, le=MAX_COUNT, description="0, 1, 2 …")
    time_range: Timing = Field(description="M:SS-M:SS")
    description: str = Field(min_length=1, max_length=PARAGRAPH, description="what it shows")
    key_changes: str = Field(default="", max_length=PHRASE, description="what is different at its end")
    camera: str = Field(default="", max_length=PHRASE, description="what the camera does")


class VideoCaption(Frozen):
    """A clip in words, in the order in which the model was trained to read it."""

    subjects: tuple[MovingSubject, ...] = Field(max_length=MAX_SUBJECTS)
    background_setting: str = Field(min_length=1, max_length=PARAGRAPH, description="the place and what surrounds it")
    lighting: Lighting
    aesthetics: Aesthetics
    cinematography: MovingCamera
    style_medium: str = Field(max_length=PHRASE, description="live footage, rendering, animation …")
    artistic_style: str = Field(max_length=PHRASE, description="genre or manner")
    context: str = Field(max_length=PARAGRAPH, description="what the scene is about, or for")
    actions: tuple[Action, ...] = Field(min_length=1, max_length=MAX_ACTIONS)
    text_and_signage_elements: tuple[TimedText, ...] = Field(default=(), max_length=MAX_TEXTS)
    segments: tuple[Segment, ...] = Field(min_length=1, max_length=MAX_SEGMENTS)
    transitions: tuple[Annotated[str, Field(max_length=PHRASE, description="from what to what")], ...] = Field(
        default=(), max_length=MAX_TRANSITIONS
    )
    temporal_caption: str = Field(
        min_length=1, max_length=NARRATIVE, description="the whole clip as dense prose, in the order it plays"
    )
    audio_description: str = Field(default="", max_length=PARAGRAPH, description="what is heard")
    resolution: PixelSize | None = None
    aspect_ratio: str | None = Field(default=None, max_length=LABEL)
    duration: str | None = Field(default=None, max_length=LABEL)
    fps: int | float | None = Field(default=None, gt=0, le=1000)
