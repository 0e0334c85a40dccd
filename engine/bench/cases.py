"""What is timed: a small request of every mode that diffusers has too, and what is compared on a GPU.

That are the sizes and lengths that other engines publish, and a robot's chunk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.planning import Plannable
from studio.requests import Resolution, parse_request
from studio.rules import canvas

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


PROMPT_TOKENS = 512
"""Of the prompt and of the negative prompt, as far as a request has free words."""

GUIDED = {"guidance_scale": 6.0, "flow_shift": 10.0, "seed": 0}

STEP_CACHE = 0.05
"""Of the engine that the table calls cached."""

FIRST_STEP = (960, 1000)
"""Timesteps of the first step of a policy's four, and of no other."""

DROID_CANVAS = (540, 640)
"""Height and width of the picture that the DROID policy sees: one camera above two."""


@dataclass(frozen=True)
class Row:
    """One case.

    Attributes:
        num_steps: of a whole run.
        library_steps: of those that diffusers runs; the rest is extrapolated.
        repeats: whether it is short enough to be run several times.
        chunks: it is a robot's; so many are asked for one after another.
    """

    name: str
    request: Plannable
    num_steps: int
    library_steps: int
    media: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    repeats: bool = False
    chunks: int = 0

    @property
    def is_in_library(self) -> bool:
        """diffusers' ordinary pipeline has it. Only a modular one makes transfers, and it reports no steps; neither
        guides some steps and not others."""
        return self.request.kind != "transfer_video" and self.request.sampling.guidance_interval is None

    @property
    def is_picture(self) -> bool:
        """One frame is made."""
        return self.request.kind == "generate_image"


def gpu_rows(prompt: str, negative: str) -> list[Row]:
    """The cases, shortest first."""
    words = {"prompt": prompt, "negative_prompt": negative}
    wide = words | {"aspect_ratio": "16:9"}
    rows = [
        _row(
            f"t2i-{tier}-{steps}",
            wide | {"kind": "generate_image", "resolution": tier},
            steps,
            min(steps, 35),
            repeats=True,
        )
        for tier in ("256", "480", "720")
        for steps in (35, 50)
    ]
    rows += [policy_row("480", 32, chunks=100), guided_once(policy_row("480", 32, chunks=100))]
    clip = wide | {"kind": "generate_video", "num_frames": 189, "fps": 24.0}
    rows += [
        _row("t2v-256", clip | {"resolution": "256"}, 35, 35),
        _row("t2v-480", clip | {"resolution": "480"}, 35, 35),
        _row("t2v-720", clip | {"resolution": "720"}, 35, 4),
        _row("i2v-480", clip | {"resolution": "480", "start_image": MEDIA}, 35, 35, media=_still("480")),
        transfer_row("480", wide),
        world_row("480"),
    ]
    return rows


def transfer_row(tier: Resolution, wide: Mapping[str, Any], num_frames: int = 93) -> Row:
    """One chunk of a transfer with an edge control; published clips of 189 frames have two."""
    asked = {
        **wide,
        "kind": "transfer_video",
        "resolution": tier,
        "controls": _controls("edge"),
        "num_frames": num_frames,
        "num_chunk_frames": num_frames,
    }
    still = _still(tier)["start_image"]
    return _row(
        f"transfer-{tier}", asked, 35, 0, media={"edge": np.broadcast_to(still, (num_frames, *still.shape[1:]))}
    )


def world_row(tier: Resolution, num_actions: int = 60) -> Row:
    """Forward dynamics of a car, unguided: what it will see in the seconds after a picture."""
    asked = {
        "kind": "predict_video",
        "prompt": "driving along a street",
        "embodiment": "av",
        "resolution": tier,
        "start_image": MEDIA,
        "actions": np.linspace(-1, 1, num_actions * 9).reshape(num_actions, 9).tolist(),
        "sampling": {"guidance_scale": 1.0},
    }
    return _row(f"fd-{tier}", asked, 35, 35, media=_still(tier))


def _still(tier: Resolution) -> dict[str, np.ndarray]:
    """A picture of noise to start from, as wide as a clip of 16:9."""
    width, height = canvas(tier, "16:9")
    return {"start_image": np.random.default_rng(0).integers(0, 256, (1, height, width, 3), dtype=np.uint8)}


def small_rows(prompt: str, negative: str, num_steps: int = 2) -> list[Row]:
    """The same kinds at sizes that a processor makes in seconds."""
    words = {"prompt": prompt, "negative_prompt": negative}
    clip = {"kind": "generate_video", "resolution": "256", "num_frames": 5, "aspect_ratio": "16:9"}
    return [
        _row(
            f"t2i-256-{num_steps}",
            words | {"kind": "generate_image", "resolution": "256", "aspect_ratio": "16:9"},
            num_steps,
            2,
        ),
        policy_row("256", 4, chunks=2, canvas=(256, 256)),
        _row("t2v-256", words | clip, num_steps, 1),
    ]


def with_step_cache(row: Row, threshold: float | None) -> Row:
    """The same case with a step cache, or without one."""
    sampling = row.request.sampling.model_copy(update={"step_cache": threshold})
    return replace(row, request=row.request.model_copy(update={"sampling": sampling}))


def guided_once(row: Row) -> Row:
    """The same case with guidance in its first step alone, as NVIDIA documents it for Edge's policies."""
    sampling = row.request.sampling.model_copy(update={"guidance_interval": FIRST_STEP})
    return replace(row, name=f"{row.name}-once", request=row.request.model_copy(update={"sampling": sampling}))


def with_steps(row: Row, num_steps: int) -> Row:
    """The same case in so many steps."""
    sampling = row.request.sampling.model_copy(update={"num_inference_steps": num_steps})
    request = row.request.model_copy(update={"sampling": sampling})
    return replace(row, request=request, num_steps=num_steps)


def policy_row(tier: str, num_actions: int, chunks: int, canvas: tuple[int, int] = DROID_CANVAS) -> Row:
    """A DROID chunk without the arm's state, which diffusers cannot be given: four steps, guidance 3.

    Args:
        canvas: height and width of what is seen.
    """
    asked = {
        "kind": "run_policy",
        "prompt": "pick up the red cube",
        "embodiment": "droid_lerobot",
        "resolution": tier,
        "num_actions": num_actions,
        "start_image": MEDIA,
        "decode_video": False,
        "sampling": {"guidance_scale": 3.0, "flow_shift": 5.0, "seed": 0},
    }
    picture = np.random.default_rng(0).integers(0, 256, (1, *canvas, 3), dtype=np.uint8)
    return _row("policy", asked, 4, 4, media={"start_image": picture}, chunks=chunks)


def _row(name: str, asked: Mapping[str, Any], steps: int, library_steps: int, **more: Any) -> Row:
    sampling = GUIDED | dict(asked.get("sampling", {})) | {"num_inference_steps": steps}
    request = parse_request({**asked, "sampling": sampling})
    assert isinstance(request, Plannable)
    return Row(name, request, steps, library_steps, **more)
