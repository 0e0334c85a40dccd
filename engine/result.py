"""What comes out of the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from engine.planning import ActionSegment, Segment, SoundSegment, VisionSegment, is_denoised
from studio.errors import EngineError


@dataclass(frozen=True)
class Result:
    """What a request came to.

    Attributes:
        frames: uint8 [n, height, width, 3], piece after piece: those of a clip are decoded as they are asked for,
            once; a picture is a single frame. A piece may raise OutOfMemory.
        sound: float32 [2, samples] in -1..1 at 48 kHz, at most 40 ms longer than the frames; none without sound.
        actions: float32 [n, width], where they were asked for; in the body's units: joint positions in rad.
        latents: what was decoded, float32, by modality: "vision" [C, T, rows, columns], "sound" [C, T],
            "action" [T, D], a given state first; of a clip in chunks "vision_0", "vision_1" …
        stopped_at_step: steps done, where they were fewer than asked for; else none.
    """

    frames: Iterator[np.ndarray]
    sound: np.ndarray | None = None
    actions: np.ndarray | None = None
    latents: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    stopped_at_step: int | None = None
    _picture: np.ndarray | None = None

    @classmethod
    def of_picture(cls, image: np.ndarray, stopped_at_step: int | None) -> Result:
        """A picture, uint8 [height, width, 3]."""
        return cls(iter([image[None]]), stopped_at_step=stopped_at_step, _picture=image)

    @property
    def image(self) -> np.ndarray:
        """uint8 [height, width, 3], of a result that is a picture."""
        assert self._picture is not None
        return self._picture


def read_actions(segment: ActionSegment, latents: Tensor) -> np.ndarray | None:
    """Latents [T, D] → the actions that were denoised, float32 [n, width]; none where all were given."""
    if not is_denoised(segment):
        return None
    start = len(segment.given.steps) if segment.given is not None else 0
    actions = latents[start:, : segment.width]
    return (actions if segment.units is None else segment.units.done(actions)).cpu().numpy()


def check_finite(segments: Sequence[Segment], estimates: Sequence[Tensor], finished: Sequence[Tensor] = ()) -> None:
    """Raises EngineError where latents are not finite, and names what they are of.

    A picture has a level for every value: without this, what is not a number would be shown as black.

    Args:
        estimates: of each segment, any shape.
        finished: latents of the chunks before.
    """
    parts = [*finished, *estimates]
    # One answer from the device for all of them.
    are_finite = torch.stack([part.isfinite().all() for part in parts]).tolist()
    if all(are_finite):
        return
    names = ["vision"] * len(finished) + [_MODALITIES[type(segment)] for segment in segments]
    broken = dict.fromkeys(name for name, is_finite in zip(names, are_finite, strict=True) if not is_finite)
    raise EngineError(
        f"The model came to values that are not finite ({', '.join(broken)}).",
        hint="Lower the adapter's scale or take another adapter, or take other sampling settings: "
        "a lower guidance scale, more steps.",
    )


_MODALITIES = {VisionSegment: "vision", SoundSegment: "sound", ActionSegment: "action"}
"""As `Result` calls them."""
