"""Which media a kind of request has, and what must hold of them."""

from __future__ import annotations

from backend.jobs.inputs.named import find_clip, find_picture
from backend.jobs.inputs.transfer import check_transfer
from backend.media import MediaStore
from studio.errors import BadInput
from studio.requests import (
    GenerateImage,
    GenerateVideo,
    PredictActions,
    PredictVideo,
    Request,
    RunPolicy,
    TransferVideo,
)


def check_inputs(request: Request, store: MediaStore) -> None:
    """Look at every medium that a request names. Blocks while it reads them.

    Raises:
        MediaNotFound: the store has nothing of that name.
        BadInput: it is not what it should be, too short at the request's frame rate, or does not go with another one.
    """
    match request:
        case GenerateImage():
            pass
        case GenerateVideo():
            _check_generate_video(request, store)
        case TransferVideo():
            check_transfer(request, store)
        case PredictVideo() | RunPolicy():
            find_picture(store, "start_image", request.start_image)
        case PredictActions():
            _check_predict_actions(request, store)


def _check_generate_video(request: GenerateVideo, store: MediaStore) -> None:
    if request.start_image is not None:
        find_picture(store, "start_image", request.start_image)
    if request.source_video is not None:
        if len(set(request.condition_frames)) == request.num_latent_frames and not request.sound:
            raise BadInput(
                f"condition_frames keeps all {request.num_latent_frames} latent frames; none is left to make.",
                param="condition_frames",
                hint="Keep fewer, ask for more num_frames, or for sound.",
            )
        clip = find_clip(store, "source_video", request.source_video, request.fps)
        clip.require(request.num_condition_frames)


def _check_predict_actions(request: PredictActions, store: MediaStore) -> None:
    clip = find_clip(store, "source_video", request.source_video, request.fps)
    clip.require(2)  # actions lead from frame to frame; what is missing of the others the engine repeats
