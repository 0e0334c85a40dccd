"""How much a denoising step of a request has to do, and which requests' steps take as long."""

from __future__ import annotations

import hashlib
import json

from studio.requests import (
    ActionRequest,
    GenerateImage,
    GenerateVideo,
    PredictActions,
    PredictVideo,
    Request,
    RunPolicy,
    TransferVideo,
)
from studio.requests.frames import latent_frames
from studio.rules import canvas


def pace_key(request: Request, checkpoint: str) -> str | None:
    """A name that requests share whose steps take as long; none where that depends on a clip's length."""
    if isinstance(request, TransferVideo) and request.num_frames is None:
        return None
    said: list[object] = [request.kind, checkpoint, request.resolution, step_work(request), request.count]
    if request.sampling.step_cache:  # some of its steps take no time at all
        said.append(request.sampling.step_cache)
    return hashlib.blake2b(json.dumps(said).encode(), digest_size=16).hexdigest()


def step_work(request: Request) -> float:
    """Latent pixels that one step of one result denoises, over all its passes, in thousands of canvas pixels.

    A clip of 17 frames on 320x192 with guidance is 5 * 61.44 * 2 = 614.4.
    """
    guided = request.sampling.guidance_scale != 1
    match request:
        case GenerateImage():
            frames, passes = 1, 1 + guided
        case GenerateVideo():
            frames, passes = request.num_latent_frames, (1 + guided) * (1.1 if request.sound else 1)
        case TransferVideo():
            frames = latent_frames(request.num_frames or request.num_chunk_frames)
            controlled = request.sampling.control_guidance != 1
            passes = (1 + guided + controlled) * (1 + len(request.controls))
        case PredictVideo() | PredictActions() | RunPolicy():
            frames, passes = latent_frames(request.num_actions + 1), 1 + guided
    return frames * _pixels(request) / 1000 * passes


def _pixels(request: Request) -> int:
    """Of the canvas; actions keep their pictures' shape, so that only the tier is known."""
    if isinstance(request, ActionRequest):
        side = int(request.resolution)
        return side * side * 16 // 9
    width, height = canvas(request.resolution, request.aspect_ratio)
    return width * height
