"""The media that a request names, as arrays on its canvas and at its frame rate: the engine never opens a file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backend.media import MediaStore, read_clip, read_picture
from studio.requests import GenerateImage, GenerateVideo
from studio.requests.frames import TEMPORAL_STRIDE
from studio.rules import canvas


def read_inputs(request: GenerateImage | GenerateVideo, store: MediaStore) -> dict[str, NDArray[np.uint8]]:
    """By field name, uint8 [frames, height, width, 3]; of a source clip only the frames that are kept.

    Raises:
        MediaNotFound: a file is gone.
        BadInput: it cannot be read, or is too short.
    """
    if isinstance(request, GenerateImage):
        return {}
    width, height = canvas(request.resolution, request.aspect_ratio)
    inputs: dict[str, NDArray[np.uint8]] = {}
    if request.start_image is not None:
        inputs["start_image"] = read_picture(store.file(request.start_image), width, height)[None]
    if request.source_video is not None:
        inputs["source_video"] = read_clip(
            store.file(request.source_video),
            width=width,
            height=height,
            fps=request.fps,
            num_frames=max(request.condition_frames) * TEMPORAL_STRIDE + 1,
            end=request.condition_end,
            param="source_video",
        )
    return inputs
