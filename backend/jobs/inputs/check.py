"""What must hold of the media that a request names."""

from __future__ import annotations

from backend.jobs.inputs.named import find_clip, find_picture
from backend.jobs.inputs.transfer import check_transfer
from backend.media import MediaStore
from studio.errors import BadInput
from studio.requests import GenerateVideo, Request, TransferVideo, media_of


def check_inputs(request: Request, store: MediaStore) -> None:
    """Look at every medium that a request names. Blocks while it reads them.

    Raises:
        MediaNotFound: the store has nothing of that name.
        BadInput: it is not what it should be, too short at the request's frame rate, or does not go with another one.
    """
    if isinstance(request, TransferVideo):  # its clips lie over each other
        check_transfer(request, store)
        return
    if isinstance(request, GenerateVideo):
        _check_something_is_left(request)
    for named in media_of(request):
        if named.type == "image":
            find_picture(store, named.param, named.id)
        else:
            span = request.source_frames
            find_clip(store, named.param, named.id, span.fps).require(span.fewest)


def _check_something_is_left(request: GenerateVideo) -> None:
    if request.source_video is None or request.sound:
        return
    if len(set(request.condition_frames)) == request.num_latent_frames:
        raise BadInput(
            f"condition_frames keeps all {request.num_latent_frames} latent frames; none is left to make.",
            param="condition_frames",
            hint="Keep fewer, ask for more num_frames, or for sound.",
        )
