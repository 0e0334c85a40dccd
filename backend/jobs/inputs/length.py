"""How long a request's result is, where that is decided by the clips that it names."""

from __future__ import annotations

from backend.jobs.inputs.named import find_clip
from backend.media import MediaStore
from studio.requests import Request, TransferVideo


def with_length(request: Request, store: MediaStore) -> Request:
    """The request with its length said: a transfer without one is as long as its controls. Blocks while it reads one.

    Raises:
        MediaNotFound: the clip is not in the store.
        BadInput: it is none.
    """
    if not isinstance(request, TransferVideo) or request.num_frames is not None:
        return request
    param, name = "controls.0.video", request.controls[0].video
    if name is None:
        assert request.source_video is not None, "a request with a computed control has a source"
        param, name = "source_video", request.source_video
    return request.model_copy(update={"num_frames": find_clip(store, param, name, request.fps).num_frames})
