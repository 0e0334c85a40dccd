"""The structured captions of images (technical report, appendix A.2) and clips (A.3), and how the generator reads them.

Names and order are the report's; `facial_features` is from B.2. Every text and list is bounded, so that an answer that
must match the schema always ends.
"""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import Field

from studio.captions.timing import TIMING
from studio.requests import Frozen

LABEL = 80
"""Characters of a name or a category."""
PHRASE = 200
"""Characters of one attribute."""
PARAGRAPH = 600
"""Characters of a setting, an event or a whole-scene remark."""
NARRATIVE = 3000
"""Characters of a dense caption: about 500 words, where 80 to 200 are asked for (report, B.1)."""
MAX_COUNT = 999
MAX_SUBJECTS = 6
MAX_TEXTS = 6


def _phrase(says: str) -> str:
    return Field(default="", max_length=PHRASE, description=says)


def _count(says: str) -> int:
    return Field(default=0, ge=0, le=MAX_COUNT, description=says)


class Paragraph(Frozen):
    """What Cosmos3-Super-Image2Video was trained on in place of a structured caption (report, B.3)."""

    temporal_caption: str = Field(min_length=1, max_length=NARRATIVE, description="the clip in the order of time")


class Subject(Frozen):
    """One subject, or one group of like subjects. Fields that do not apply are "" or 0."""

    description: str = Field(min_length=1, max_length=PARAGRAPH, description="who or what it is, as it looks")
    appearance_details: str = _phrase("material, texture, marks and other details")
    relationship: str = _phrase("how it stands to the other subjects and to the place")
    location: str = _phrase("where in the frame")
    relative_size: str = _phrase("how much of the frame it takes")
    orientation: str = _phrase("which way it faces, seen from the camera")
    pose: str = _phrase("posture or configuration")
    clothing: str = _phrase("people only")
    expression: str = _phrase("people only")
    gender: str = _phrase("people only")
    age: str = _phrase("people only: an age group")
    skin_tone_and_texture: str = _phrase("people only")
    facial_features: str = _phrase("people only, where the face is seen")
    number_of_subjects: int = _count("how many the group has")
    number_of_arms: int = _count("of each, 0 where it has none")
    number_of_hands: int = _count("of each, 0 where it has none")
    number_of_fingers: int = _count("of each, 0 where it has none")
    number_of_legs: int = _count("of each, 0 where it has none")


class Lighting(Frozen):
    """How the scene is lit."""

    conditions: str = _phrase("kind and quality of the light")
    direction: str = _phrase("where it comes from")
    shadows: str = _phrase("how they fall, how hard they are")
    illumination_effect: str = _phrase("what the light does to the scene")


class Aesthetics(Frozen):
    """Composition and mood."""

    composition: str = _phrase("how the picture is arranged")
    color_scheme: str = _phrase("the palette")
    mood_atmosphere: str = _phrase("the mood, in few words")
    patterns: str = _phrase("what repeats")


class Cinematography(Frozen):
    """The camera of a still."""

    framing: str = _phrase("the shot, from close-up to wide")
    camera_angle: str = _phrase("how high and how tilted")
    depth_of_field: str = _phrase("shallow or deep")
    focus: str = _phrase("what is sharp")
    lens_focal_length: str = _phrase("the lens, in words or millimetres")


class TextElement(Frozen):
    """Writing that can be seen."""

    text: str = Field(min_length=1, max_length=PHRASE, description="the writing, letter by letter")
    category: str = Field(default="", max_length=LABEL, description="a sign, a label, a logo, a screen …")
    appearance: str = _phrase("lettering, colour, size")
    spatial: str = _phrase("where in the frame")
    context: str = _phrase("what it is there for")


class QuadrantScan(Frozen):
    """The picture, region by region."""

    top_left: str = _phrase("what this region shows")
    top_right: str = _phrase("what this region shows")
    bottom_left: str = _phrase("what this region shows")
    bottom_right: str = _phrase("what this region shows")
    absolute_center: str = _phrase("what the middle shows")


class PixelSize(Frozen):
    """A canvas in pixels, under the names that the captions have."""

    H: int = Field(ge=1, le=65_535)
    W: int = Field(ge=1, le=65_535)


MAX_DETAILS = 5

DETAIL_NAME = r"^[a-z][a-z0-9_]{0,39}$"

DetailName = Annotated[str, Field(pattern=DETAIL_NAME)]
DetailText = Annotated[str, Field(max_length=PHRASE)]


class ImageCaption(Frozen):
    """A picture in words, in the order in which the model was trained to read it."""

    subjects: tuple[Subject, ...] = Field(max_length=MAX_SUBJECTS)
    subject_details: dict[DetailName, DetailText] = Field(
        default_factory=dict,
        max_length=MAX_DETAILS,
        description="attributes of this picture that fit nowhere else, by snake_case name",
    )
    background_setting: str = Field(min_length=1, max_length=PARAGRAPH, description="the place and what surrounds it")
    lighting: Lighting
    aesthetics: Aesthetics
    cinematography: Cinematography
    style_medium: str = Field(max_length=PHRASE, description="photograph, rendering, drawing …")
    artistic_style: str = Field(max_length=PHRASE, description="genre or manner")
    context: str = Field(max_length=PARAGRAPH, description="what the scene is about, or for")
    text_and_signage_elements: tuple[TextElement, ...] = Field(default=(), max_length=MAX_TEXTS)
    quadrant_scan: QuadrantScan
    comprehensive_t2i_caption: str = Field(
        min_length=1, max_length=NARRATIVE, description="the whole picture as dense prose"
    )
    resolution: PixelSize | None = None
    aspect_ratio: str | None = Field(default=None, max_length=LABEL)


MAX_ACTIONS = 12
MAX_SEGMENTS = 6
MAX_TRANSITIONS = 6

Timing = Annotated[str, Field(pattern=TIMING, max_length=13)]


class MovingSubject(Subject):
    """A subject and what it does."""

    action: str = _phrase("what it does")
    state_changes: str = _phrase("how it or its state changes")


class MovingCamera(Cinematography):
    """The camera of a clip."""

    camera_motion: str = _phrase("static, pan, tilt, zoom, tracking …")


class TimedText(TextElement):
    """Writing, and when it can be seen."""

    spatial_temporal: str = _phrase("where it is, and when")


class Action(Frozen):
    """Something that happens."""

    time: Timing = Field(description="M:SS-M:SS")
    description: str = Field(min_length=1, max_length=PARAGRAPH, description="what happens")


class Segment(Frozen):
    """A stretch of the clip that holds together."""

    segment_index: int = Field(ge=0, le=MAX_COUNT, description="0, 1, 2 …")
    time_range: Timing = Field(description="M:SS-M:SS")
    description: str = Field(min_length=1, max_length=PARAGRAPH, description="what it shows")
    key_changes: str = _phrase("what is different at its end")
    camera: str = _phrase("what the camera does")


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


Caption = ImageCaption | VideoCaption


def serialise(caption: Caption) -> str:
    """One line of JSON, as in training: `json.dumps` with its defaults, so that 中 is written `\\u4e2d`.

    Fields that were never said are left out.
    """
    return json.dumps(caption.model_dump(mode="json", exclude_unset=True))
