"""A reference to something that was made or uploaded: enough to show it, fetch it and check it, never its bytes."""

from __future__ import annotations

from typing import Literal

from studio.requests import Frozen

MediaType = Literal["image", "video", "actions", "latents"]


class MediaFacts(Frozen):
    """What is known of an artefact without opening it.

    Attributes:
        id: its name in the media store: ``{job id}-{index}`` of a result, ``{job id}-{index}-actions`` and
            ``{job id}-{index}-array`` of its actions, ``{job id}-{index}-latents`` of its latents, ``u`` and the first
            16 hexadecimal digits of the sha256 of an upload.
        type: what it is; `actions` is a JSON object or a NumPy array, `latents` a safetensors file.
        mime: its content type.
        width, height: pixels, as it is shown; of pictures and clips only.
        num_frames, duration_s, has_sound: of a clip only.
        fps: frames per second of a clip, or actions per second.
        num_actions: rows of actions.
        size_bytes: length of the file.
        seed: the seed that made it; an upload has none.
        num_computed_steps: denoising steps that were computed, of a result that was made with a step cache.
        num_kept_steps: of the same, steps that took over the velocity of one before them.
        url, thumbnail_url: paths on the server that holds it; only pictures and clips have a thumbnail.
    """

    id: str
    type: MediaType
    mime: str
    width: int | None = None
    height: int | None = None
    num_frames: int | None = None
    fps: float | None = None
    duration_s: float | None = None
    has_sound: bool | None = None
    num_actions: int | None = None
    size_bytes: int
    seed: int | None = None
    num_computed_steps: int | None = None
    num_kept_steps: int | None = None
    url: str
    thumbnail_url: str | None = None


class MediaReference(MediaFacts):
    """One artefact in the media store.

    Attributes:
        action_width: values of each row of actions.
        sha256: of the file, hexadecimal.
        deleted: of a job's result that was deleted for good: this is all that is left of it.
    """

    sha256: str
    action_width: int | None = None
    deleted: bool = False
