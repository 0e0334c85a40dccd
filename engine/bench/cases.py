"""What is timed: one small request of every mode that diffusers has too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.planning import Plannable
from studio.requests import parse_request

SIDE = 256
"""Pixels; the square canvas of the smallest tier."""

NUM_FRAMES = 9

MEDIA = "u0123456789abcdef"
"""A name where a request wants one; the frames are handed over beside it."""

PROMPT = "A robot arm above a red cube on a wooden table, soft daylight from the left."


@dataclass(frozen=True)
class Case:
    """A request and the frames that go with it.

    Attributes:
        media: see `Engine.begin`.
        distilled: it is made on the folder as a distilled checkpoint would describe it.
    """

    name: str
    request: Plannable
    media: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    distilled: bool = False


def all_cases(num_steps: int) -> list[Case]:
    """Every mode, with so many steps; the distilled ones have four."""
    clip, picture = _frames(NUM_FRAMES), _frames(1)
    rows = np.linspace(-1, 1, 8 * 10).reshape(8, 10).tolist()
    acting = {"embodiment": "droid_lerobot", "resolution": "256", "num_actions": 8}
    four = {"num_inference_steps": 4, "guidance_scale": 1.0}
    make = _Maker(num_steps)
    return [
        Case("image", make("generate_image")),
        Case("words to clip", make("generate_video")),
        Case("picture to clip", make("generate_video", start_image=MEDIA), {"start_image": picture}),
        Case("clip to clip", make("generate_video", source_video=MEDIA), {"source_video": clip}),
        Case("clip with sound", make("generate_video", sound=True)),
        Case("transfer, one control", make("transfer_video", controls=_controls("edge")), {"edge": clip}),
        Case(
            "transfer, two controls",
            make("transfer_video", controls=_controls("edge", "depth"), control_attention="joint"),
            {"edge": clip, "depth": _frames(NUM_FRAMES, seed=1)},
        ),
        Case(
            "forward dynamics",
            make("predict_video", start_image=MEDIA, actions=rows, **_without(acting, "num_actions")),
            {"start_image": picture},
        ),
        Case("inverse dynamics", make("predict_actions", source_video=MEDIA, **acting), {"source_video": clip}),
        Case("policy", make("run_policy", start_image=MEDIA, **acting), {"start_image": picture}),
        Case("distilled image", make("generate_image", sampling=four), distilled=True),
        Case(
            "distilled picture to clip",
            make("generate_video", start_image=MEDIA, sampling=four),
            {"start_image": picture},
            distilled=True,
        ),
    ]


@dataclass(frozen=True)
class _Maker:
    """Requests of a size and a number of steps."""

    num_steps: int

    def __call__(self, kind: str, *, sampling: Mapping[str, Any] | None = None, **fields: Any) -> Plannable:
        asked: dict[str, Any] = {"kind": kind, "prompt": PROMPT}
        if kind in ("generate_image", "generate_video", "transfer_video"):
            asked |= {"resolution": "256", "aspect_ratio": "1:1"}
        if kind in ("generate_video", "transfer_video"):
            asked |= {"num_frames": NUM_FRAMES}
        if kind == "transfer_video":
            asked |= {"num_chunk_frames": NUM_FRAMES}
        how = {"num_inference_steps": self.num_steps, "guidance_scale": 4.0, "seed": 0}
        request = parse_request(asked | fields | {"sampling": how | dict(sampling or {})})
        assert isinstance(request, Plannable)
        return request


def _controls(*hints: str) -> list[dict[str, str]]:
    return [{"hint": hint, "video": MEDIA} for hint in hints]


def _without(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key != name}


def _frames(num_frames: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (num_frames, SIDE, SIDE, 3), dtype=np.uint8)
