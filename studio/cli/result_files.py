"""What a job made, by kind: which files there will be, and how a line about one of them reads."""

from __future__ import annotations

import re

from studio.media import MediaReference
from studio.requests import GenerateImage, Request, RunPolicy

_ID = re.compile(r"-(\d+)(?:-(actions|array|latents))?$")

_SUFFIXES = {"actions": ".json", "array": ".npy", "latents": ".safetensors"}


def index_of(reference: MediaReference) -> int:
    """Which of a job's results an artefact belongs to."""
    found = _ID.search(reference.id)
    return int(found[1]) if found else 0


def suffix_of(reference: MediaReference) -> str:
    """What its file's name ends in."""
    found = _ID.search(reference.id)
    if found and found[2]:
        return _SUFFIXES[found[2]]
    return {"image": ".png", "video": ".mp4", "actions": ".json", "latents": ".safetensors"}[reference.type]


def suffixes_of(request: Request) -> tuple[str, ...]:
    """What the files of one result end in, the most telling first."""
    kinds = {
        "generate_image": (".png",),
        "generate_video": (".mp4",),
        "transfer_video": (".mp4",),
        "predict_video": (".mp4",),
        "predict_actions": (".json", ".npy"),
        "run_policy": (".json", ".npy", ".mp4"),
    }
    found = kinds[request.kind]
    if isinstance(request, RunPolicy) and not request.decode_video:
        found = found[:2]
    saves_latents = not isinstance(request, GenerateImage) and request.save_latents
    return (*found, ".safetensors") if saves_latents else found


def described(reference: MediaReference) -> str:
    """A few words about an artefact, as in `320x192  17 frames  seed 7`."""
    if reference.num_actions is not None:
        about = f"{reference.num_actions} actions of {reference.action_width}"
    elif reference.width is None:
        about = reference.type
    else:
        about = f"{reference.width}x{reference.height}"
        about += f"  {reference.num_frames} frames" if reference.num_frames else ""
    return about if reference.seed is None else f"{about}  seed {reference.seed}"
