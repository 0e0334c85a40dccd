"""What a file turned out to be, and how it is referred to."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from studio.media import MediaReference
from studio.requests import ActionRequest, Request


@dataclass(frozen=True)
class MediaFacts:
    """What decoding a file showed.

    Attributes:
        width, height: pixels as it is shown, after rotation.
        num_frames, fps, duration_s: of a clip; fps is the mean where the rate varies.
        rotation: degrees clockwise, 0 to 270, that stored pixels are turned before they are shown.
    """

    type: Literal["image", "video"]
    mime: str
    width: int
    height: int
    num_frames: int | None = None
    fps: float | None = None
    duration_s: float | None = None
    has_sound: bool = False
    rotation: int = 0


def reference_of(name: str, path: Path, facts: MediaFacts, seed: int | None) -> MediaReference:
    """A finished picture or clip."""
    return MediaReference(
        id=name,
        type=facts.type,
        mime=facts.mime,
        width=facts.width,
        height=facts.height,
        num_frames=facts.num_frames,
        fps=facts.fps,
        duration_s=facts.duration_s,
        has_sound=facts.has_sound if facts.type == "video" else None,
        size_bytes=path.stat().st_size,
        sha256=sha256_of(path),
        seed=seed,
        url=_url(name),
        thumbnail_url=f"{_url(name)}/thumbnail",
    )


def reference_of_latents(name: str, path: Path, mime: str) -> MediaReference:
    """Finished latents."""
    return MediaReference(
        id=name, type="latents", mime=mime, size_bytes=path.stat().st_size, sha256=sha256_of(path), url=_url(name)
    )


def reference_of_actions(
    name: str, path: Path, mime: str, actions: NDArray[np.float32], request: Request
) -> MediaReference:
    """Finished actions, float32 [n, width], in either form."""
    assert isinstance(request, ActionRequest)
    num_actions, action_width = actions.shape
    return MediaReference(
        id=name,
        type="actions",
        mime=mime,
        num_actions=num_actions,
        action_width=action_width,
        fps=request.fps,
        size_bytes=path.stat().st_size,
        sha256=sha256_of(path),
        seed=request.sampling.seed,
        url=_url(name),
    )


def sha256_of(path: Path) -> str:
    """Of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _url(name: str) -> str:
    return f"/v1/media/{name}"
