"""How much a denoising step of a request has to do, and which requests' steps take as long."""

from __future__ import annotations

import hashlib
import json

from studio.requests import Request, TransferVideo
from studio.rules import canvas_of


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
    return request.step_frames * _pixels(request) / 1000 * request.sampling.num_passes


def _pixels(request: Request) -> int:
    """Of the canvas; frames that keep their own shape have only a tier."""
    known = canvas_of(request)
    return known[0] * known[1] if known else int(request.resolution) ** 2 * 16 // 9
