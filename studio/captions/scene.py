"""What a still scene is made of: the parts that image and video captions share.

Names and order: technical report, appendix A.2; `facial_features` is from B.2. Every text and list is bounded, so that
an answer that must match the schema always ends.
"""

from __future__ import annotations

from pydantic import Field

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
