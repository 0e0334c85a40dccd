"""What a job made, by kind: which files there will be, and how a line about one of them reads."""

from __future__ import annotations

import re

from studio.media import MediaReference
from studio.requests import SUFFIXES

_ID = re.compile(r"-(\d+)(?:-(actions|array|latents))?$")

_ARRAY = "array"
"""Actions a second time, for programs."""


def index_of(reference: MediaReference) -> int:
    """Which of a job's results an artefact belongs to."""
    found = _ID.search(reference.id)
    return int(found[1]) if found else 0


def suffix_of(reference: MediaReference) -> str:
    """What its file's name ends in."""
    found = _ID.search(reference.id)
    return SUFFIXES[reference.type][1 if found and found[2] == _ARRAY else 0]


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
