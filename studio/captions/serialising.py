"""A caption as the generator reads it."""

from __future__ import annotations

import json

from studio.captions.image_caption import ImageCaption
from studio.captions.video_caption import VideoCaption

Caption = ImageCaption | VideoCaption


def serialise(caption: Caption) -> str:
    """One line of JSON, as in training: `json.dumps` with its defaults, so that 中 is written `\\u4e2d`.

    Fields that were never said are left out.
    """
    return json.dumps(caption.model_dump(mode="json", exclude_unset=True))
