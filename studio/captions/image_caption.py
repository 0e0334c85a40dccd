"""The structured caption of an image (technical report, appendix A.2)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from studio.captions.scene import (
    LABEL,
    MAX_SUBJECTS,
    MAX_TEXTS,
    NARRATIVE,
    PARAGRAPH,
    PHRASE,
    Aesthetics,
    Cinematography,
    Lighting,
    PixelSize,
    QuadrantScan,
    Subject,
    TextElement,
)
from studio.requests import Frozen

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
