"""Plans with actions: what will be seen (forward dynamics), what was done (inverse dynamics), what to do (policy).

All three fit frames of any size into a tier's canvas, and tell the model of task and camera in a structured caption.
Source: diffusers 0.42, `Cosmos3OmniPipeline`, `_prepare_action_video_conditioning` and `_build_action_json_prompt`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import interpolate, pad

from engine.planning.embodiments import ActionUnits
from engine.planning.plan import BranchPrompt, Plan
from engine.planning.segments import ActionSegment, Given, VisionSegment
from engine.planning.setting import Media, Setting, padded
from engine.planning.trained_strings import FRAMING, VIDEO_SYSTEM_PROMPT
from engine.weights import ModelConfig
from studio.errors import NotAllowed
from studio.requests import AspectRatio
from studio.requests.actions import PredictActions, PredictVideo, RunPolicy
from studio.requests.embodiments import EMBODIMENTS, EmbodimentName, ViewName, action_width
from studio.requests.frames import latent_frames
from studio.rules.canvas import CANVASES

_Request = PredictVideo | PredictActions | RunPolicy

SHAPES: tuple[AspectRatio, ...] = ("1:1", "4:3", "3:4", "16:9", "9:16")

CANVASES_704 = ((960, 960), (1088, 832), (832, 1088), (1280, 704), (704, 1280))
"""(width, height) of the tier that only actions have; the others have the canvases of pictures."""

RATIOS = ("1,1", "4,3", "3,4", "16,9", "9,16")


def plan_predict_video(request: PredictVideo, setting: Setting, media: Media) -> Plan:
    """The first frame and all actions are given, the frames that follow are denoised.

    Args:
        media: "start_image" of any size.

    Raises:
        PromptTooLong: the prompt or the negative prompt has too many tokens.
        NotAllowed: the checkpoint knows no actions, or not this embodiment's.
    """
    rows = torch.tensor(request.actions, dtype=torch.float32)
    return _plan(request, setting, media, rows=rows, num_given_frames=1)


def plan_predict_actions(request: PredictActions, setting: Setting, media: Media) -> Plan:
    """All frames are given, the actions between them are denoised.

    Args:
        media: "source_video" of any size; of a clip that is too short the last frame is repeated.

    Raises:
        PromptTooLong: see `plan_predict_video`; so NotAllowed.
    """
    return _plan(request, setting, media, rows=None, num_given_frames=request.num_actions + 1)


def plan_policy(request: RunPolicy, setting: Setting, media: Media) -> Plan:
    """The first frame is given, and the state where the embodiment has one; actions and later frames are denoised.

    Args:
        media: "start_image" of any size.

    Raises:
        PromptTooLong: see `plan_predict_video`; so NotAllowed.
    """
    rows = None
    if request.state is not None:
        rows = torch.tensor([request.state], dtype=torch.float32)
    return _plan(request, setting, media, rows=rows, num_given_frames=1)


def _plan(request: _Request, setting: Setting, media: Media, *, rows: Tensor | None, num_given_frames: int) -> Plan:
    """Any of the three.

    Args:
        rows: actions that are given, from the first one on [n, width].
        num_given_frames: frames of the source that are given, 4k+1.
    """
    assert request.count == 1
    frames = _source(request, setting, media)
    placed = fit(request.resolution, frames.shape[2], frames.shape[1])
    vision = _vision(request, setting, media.encode(padded(frames, num_given_frames), placed), placed)
    segments = (vision, _actions(request, setting, rows))
    view = request.view or EMBODIMENTS[request.embodiment].view
    idle_frames = None if isinstance(request, PredictActions) else request.idle_frames
    caption = action_caption(request.prompt, view, request.num_actions + 1, request.fps, placed.canvas, idle_frames)
    columns, rows_of_cells = placed.cells(setting.pixels_per_cell)
    return Plan.under(
        (BranchPrompt(caption, "prompt"), BranchPrompt(request.negative_prompt, "negative_prompt")),
        segments,
        setting,
        request.sampling,
        canvas=(columns * setting.pixels_per_cell, rows_of_cells * setting.pixels_per_cell),
        system=VIDEO_SYSTEM_PROMPT if request.use_system_prompt else None,
    )


def _source(request: _Request, setting: Setting, media: Media) -> np.ndarray:
    """What is seen, in the checkpoint's own layout where it is a robot's canvas and there is one."""
    frames = media.frames["source_video" if isinstance(request, PredictActions) else "start_image"]
    layout = setting.embodiments.of(request.embodiment).layout
    return frames if layout is None or not layout.takes(frames) else layout.arranged(frames)


def _vision(request: _Request, setting: Setting, encoded: Tensor, placed: Fit) -> VisionSegment:
    columns, rows = placed.cells(setting.pixels_per_cell)
    given = encoded[:, :, :rows, :columns].contiguous()
    return VisionSegment(
        shape=(setting.config.latent_channel, latent_frames(request.num_actions + 1), rows, columns),
        patch=setting.config.latent_patch_size,
        fps=request.fps,
        given=Given(tuple(range(given.shape[1])), given),
    )


def model_width(config: ModelConfig, name: EmbodimentName, width: int) -> int:
    """Values that a checkpoint has for an action; a body with fewer leaves the others at 0.

    Raises:
        NotAllowed: the checkpoint knows no actions, or not this embodiment's of so many values.
    """
    domain = EMBODIMENTS[name].domain
    if not config.action_gen or config.action_dim is None:
        raise NotAllowed("This checkpoint does not support actions.", param="kind", hint="Use another checkpoint.")
    if width > config.action_dim or domain >= config.num_embodiment_domains:
        raise NotAllowed(
            f"This checkpoint's actions have {config.action_dim} values of {config.num_embodiment_domains} domains; "
            f"{name} needs {width} of domain {domain}.",
            param="embodiment",
        )
    return config.action_dim


def _actions(request: _Request, setting: Setting, rows: Tensor | None) -> ActionSegment:
    embodiment = EMBODIMENTS[request.embodiment]
    width = action_width(request.embodiment, request.action_width)
    whole_width = model_width(setting.config, request.embodiment, width)
    has_state = isinstance(request, RunPolicy) and request.state is not None
    units = ActionUnits.of(embodiment, width, setting.embodiments.of(request.embodiment).units)
    given = None
    if rows is not None:
        values = torch.zeros(len(rows), whole_width)
        values[:, :width] = units.known(rows)
        given = Given(tuple(range(len(rows))), values)
    return ActionSegment(
        shape=(request.num_actions + has_state, whole_width),
        width=width,
        domain=embodiment.domain,
        per_second=request.fps,
        first=0 if has_state else 1,
        given=given,
        units=units,
    )


@dataclass(frozen=True)
class Fit:
    """A canvas and what of it a frame covers, from the upper left corner: shrunk to fit, never enlarged, and padded.

    The padding is encoded, for the VAE to see what training showed it, and then cut off the latents.

    Attributes:
        canvas: (width, height) that is encoded, and that the caption names.
        content: (width, height) of the shrunk frame.
    """

    canvas: tuple[int, int]
    content: tuple[int, int]

    def __call__(self, pixels: Tensor) -> Tensor:
        """pixels [T, 3, height, width] in -1..1 of the source's size → the canvas's size."""
        width, height = self.content
        if pixels.shape[2:] != (height, width):
            pixels = interpolate(pixels, (height, width), mode="bicubic", align_corners=False, antialias=True)
        right, below = self.canvas[0] - width, self.canvas[1] - height
        if not right and not below:
            return pixels
        mode = "replicate" if right >= width or below >= height else "reflect"
        return pad(pixels, (0, right, 0, below), mode=mode)

    def cells(self, pixels_per_cell: int) -> tuple[int, int]:
        """(columns, rows) of latent cells that are kept: whole ones, and at least one."""
        return max(self.content[0] // pixels_per_cell, 1), max(self.content[1] // pixels_per_cell, 1)


def fit(tier: Literal["256", "480", "704", "720"], width: int, height: int) -> Fit:
    """The tier's canvas whose shape is nearest, and how a frame lies in it.

    480p and 640x540 are Fit((736, 544), (640, 540)).
    """
    canvases = CANVASES_704 if tier == "704" else tuple(CANVASES[tier][shape] for shape in SHAPES)
    canvas = min(canvases, key=lambda size: abs(size[1] / size[0] - height / width))
    scale = min(canvas[0] / width, canvas[1] / height, 1.0)
    return Fit(canvas, (max(1, int(scale * width + 0.5)), max(1, int(scale * height + 0.5))))


def action_caption(
    task: str,
    view: ViewName,
    num_frames: int,
    fps: float,
    canvas: tuple[int, int],
    idle_frames: int | None = None,
) -> str:
    """JSON of the task, the camera and the clip, with names, order, rounding and spacing of training.

    Args:
        canvas: (width, height) of the padded canvas.
        idle_frames: in how many of the frames after the first the body does not move: "3 out of 32."; none leaves the
            line out, as for inverse dynamics (github.com/nvidia-cosmos/cosmos-framework).
    """
    width, height = canvas
    duration_s = num_frames / fps
    minutes, seconds = divmod(round(duration_s), 60)
    task = task.strip()
    if task and task[-1] not in ".!?":
        task += "."
    idle = {} if idle_frames is None else {"idle_frame": f"{idle_frames} out of {num_frames - 1}."}
    caption = {
        "cinematography": {"framing": FRAMING[view]},
        "actions": [{"time": f"0:00-{minutes}:{seconds:02d}", "description": task, **idle}],
        "duration": f"{int(duration_s)}s",
        "fps": float(fps),
        "resolution": {"H": height, "W": width},
        "aspect_ratio": min(RATIOS, key=lambda ratio: abs(_number(ratio) - width / height)),
    }
    return json.dumps(caption)


def _number(ratio: str) -> float:
    across, down = ratio.split(",")
    return int(across) / int(down)
