"""Plans with actions: what will be seen (forward dynamics), what was done (inverse dynamics), what to do (policy)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from engine.planning.action_canvas import Fit, fit
from engine.planning.action_caption import action_caption
from engine.planning.action_units import ActionUnits
from engine.planning.media import Media, padded
from engine.planning.plan import Plan, Prompt
from engine.planning.segments import ActionSegment, Given, VisionSegment
from engine.planning.setting import Setting
from engine.planning.trained_strings import VIDEO_SYSTEM_PROMPT
from studio.errors import NotAllowed
from studio.requests.embodiments import EMBODIMENTS, action_width
from studio.requests.frames import latent_frames
from studio.requests.predict_actions import PredictActions
from studio.requests.predict_video import PredictVideo
from studio.requests.run_policy import RunPolicy

ActionRequest = PredictVideo | PredictActions | RunPolicy


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


def _plan(
    request: ActionRequest, setting: Setting, media: Media, *, rows: Tensor | None, num_given_frames: int
) -> Plan:
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
    caption = action_caption(request.prompt, view, request.num_actions + 1, request.fps, placed.canvas)
    columns, rows_of_cells = placed.cells(setting.pixels_per_cell)
    return Plan.under(
        (Prompt(caption, "prompt"), Prompt(request.negative_prompt, "negative_prompt")),
        segments,
        setting,
        request.sampling,
        canvas=(columns * setting.pixels_per_cell, rows_of_cells * setting.pixels_per_cell),
        system=VIDEO_SYSTEM_PROMPT if request.use_system_prompt else None,
    )


def _source(request: ActionRequest, setting: Setting, media: Media) -> np.ndarray:
    """What is seen, in the checkpoint's own layout where it is a robot's canvas and there is one."""
    frames = media.frames["source_video" if isinstance(request, PredictActions) else "start_image"]
    layout = setting.embodiments.of(request.embodiment).layout
    return frames if layout is None or not layout.takes(frames) else layout.arranged(frames)


def _vision(request: ActionRequest, setting: Setting, encoded: Tensor, placed: Fit) -> VisionSegment:
    columns, rows = placed.cells(setting.pixels_per_cell)
    given = encoded[:, :, :rows, :columns].contiguous()
    return VisionSegment(
        shape=(setting.config.latent_channel, latent_frames(request.num_actions + 1), rows, columns),
        patch=setting.config.latent_patch_size,
        fps=request.fps,
        given=Given(tuple(range(given.shape[1])), given),
    )


def _actions(request: ActionRequest, setting: Setting, rows: Tensor | None) -> ActionSegment:
    embodiment, config = EMBODIMENTS[request.embodiment], setting.config
    width = action_width(request.embodiment, request.action_width)
    if not config.action_gen or config.action_dim is None:
        raise NotAllowed("This checkpoint knows no actions.", param="kind", hint="Use another checkpoint.")
    if width > config.action_dim or embodiment.domain >= config.num_embodiment_domains:
        raise NotAllowed(
            f"This checkpoint's actions have {config.action_dim} values of {config.num_embodiment_domains} domains; "
            f"{request.embodiment} needs {width} of domain {embodiment.domain}.",
            param="embodiment",
        )
    has_state = isinstance(request, RunPolicy) and request.state is not None
    units = ActionUnits.of(embodiment, width, setting.embodiments.of(request.embodiment).units)
    given = None
    if rows is not None:
        values = torch.zeros(len(rows), config.action_dim)
        values[:, :width] = units.known(rows)
        given = Given(tuple(range(len(rows))), values)
    return ActionSegment(
        shape=(request.num_actions + has_state, config.action_dim),
        width=width,
        domain=embodiment.domain,
        per_second=request.fps,
        first=0 if has_state else 1,
        given=given,
        units=units,
    )
