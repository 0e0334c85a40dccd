"""The media that a request names, looked at before it is queued: what cannot start is refused at once."""

from __future__ import annotations

from backend.media import MediaStore, require_frames
from studio.errors import BadInput, MediaNotFound
from studio.requests import GenerateImage, GenerateVideo
from studio.requests.frames import TEMPORAL_STRIDE


def check_inputs(request: GenerateImage | GenerateVideo, store: MediaStore) -> None:
    """Blocks while it decodes.

    Raises:
        MediaNotFound: the store has nothing of that name.
        BadInput: it is not what it should be, or too short at the request's frame rate.
    """
    if isinstance(request, GenerateImage):
        return
    for param, name, wanted in (
        ("start_image", request.start_image, "image"),
        ("source_video", request.source_video, "video"),
    ):
        if name is None:
            continue
        try:
            found = store.facts(name).type
        except MediaNotFound as error:
            raise MediaNotFound(error.message, param=param, hint="Send it first: POST /v1/media.") from None
        if found != wanted:
            raise BadInput(f"{param} is {name}, a file of type {found}; {wanted} is expected.", param=param)
    if request.source_video is not None:
        kept = max(request.condition_frames) * TEMPORAL_STRIDE + 1
        require_frames(store.file(request.source_video), fps=request.fps, num_frames=kept, param="source_video")
