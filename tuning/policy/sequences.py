"""From windows to batches: the words, frames and rows of a policy's request, with what of them is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.planning import Setting, VisionSegment
from engine.planning.action import action_caption, model_width
from engine.planning.embodiments import ActionUnits
from studio.requests.embodiments import EMBODIMENTS, EmbodimentName
from studio.requests.frames import latent_frames
from tuning.flow.actions import action_run
from tuning.flow.batch import Batch, TokenRun
from tuning.policy.windows import PolicyWindow


@dataclass(frozen=True)
class PolicyDraw:
    """One sequence of a step.

    Attributes:
        dropped: it is learnt without its text.
    """

    window: PolicyWindow
    dropped: bool


class PolicySequences:
    """A checkpoint's tokens of windows.

    Args:
        width: values of an action.
        units: in which the model knows them.

    Raises:
        NotAllowed: the checkpoint does not know so many values of this embodiment.
    """

    def __init__(self, setting: Setting, name: EmbodimentName, width: int, units: ActionUnits) -> None:
        self._setting, self._body, self._units = setting, EMBODIMENTS[name], units
        self._model_width = model_width(setting.config, name, width)
        self._cut = cache(self._encode)

    def text(self, window: PolicyWindow, *, dropped: bool = False) -> str:
        """The prompt as a request has it; dropped, what the other branch of a guided run reads."""
        if dropped:
            return ""
        num_frames = len(window.actions) + 1
        return action_caption(window.text, self._body.view, num_frames, window.fps, window.fitted.canvas)

    def prompt(self, window: PolicyWindow, *, dropped: bool = False) -> NDArray[np.int64]:
        """Its tokens. Raises PromptTooLong."""
        return self._cut(self.text(window, dropped=dropped))

    def words(self, window: PolicyWindow) -> str:
        """The text with the chat template around it, as it is read."""
        return str(self._setting.prompts.tokenizer.decode(self.prompt(window).tolist()))

    def num_denoised(self, window: PolicyWindow) -> int:
        """Tokens of its frames, actions and state."""
        return self._vision(window).num_tokens + len(window.actions) + (window.state is not None)

    def num_tokens(self, window: PolicyWindow) -> int:
        """Of the prompt too."""
        return len(self.prompt(window)) + self.num_denoised(window)

    def known(self, rows: NDArray[np.float64]) -> Tensor:
        """Rows [..., width] of the body in the model's units, float32."""
        return self._units.known(torch.from_numpy(rows.astype(np.float32)))

    def batches(self, draws: Sequence[PolicyDraw], latents: Sequence[Tensor]) -> list[tuple[list[int], Batch]]:
        """Those of one size side by side; with each batch the places of its draws."""
        groups: dict[object, list[int]] = {}
        for place, draw in enumerate(draws):
            groups.setdefault(draw.window.fitted, []).append(place)
        return [
            (places, self._batch([draws[at] for at in places], [latents[at] for at in places]))
            for places in groups.values()
        ]

    def _batch(self, draws: Sequence[PolicyDraw], latents: Sequence[Tensor]) -> Batch:
        windows = [draw.window for draw in draws]
        states = [self.known(window.state)[None] for window in windows if window.state is not None]
        given = torch.zeros(latents[0].shape[1], dtype=torch.bool)
        given[0] = True
        actions = action_run(
            torch.stack([self.known(window.actions) for window in windows]),
            torch.stack(states) if states else None,
            domain=self._body.domain,
            model_width=self._model_width,
            per_second=windows[0].fps,
            num_known=1 if states else 0,
        )
        vision = TokenRun(self._vision(windows[0]), torch.stack([*latents]), given)
        prompts = tuple(self.prompt(draw.window, dropped=draw.dropped) for draw in draws)
        return Batch("policy", prompts, (vision, actions))

    def _vision(self, window: PolicyWindow) -> VisionSegment:
        columns, rows = window.fitted.cells(self._setting.pixels_per_cell)
        length = latent_frames(len(window.actions) + 1)
        shape = (self._setting.config.latent_channel, length, rows, columns)
        return VisionSegment(shape=shape, patch=self._setting.config.latent_patch_size, fps=window.fps)

    def _encode(self, text: str) -> NDArray[np.int64]:
        return np.array(self._setting.prompts.encode(text, system=None, param="prompt"))
