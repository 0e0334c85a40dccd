"""Where things are, asked of the generator beside what it makes.

Of a policy it is asked at the state's token, and at each part of the first frame.

A policy of this size that is shown actions alone lifts something, but not what was named: it is told to look. What the
state's token says goes by all of the picture at once; what a part of it says, by what is drawn there alone, which is
learnt sooner, and is what the state's token then finds.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, layer_norm, silu

from pocket.train.acting import MIDDLE_M, NUM_PLACES, PLACE_UNIT_M
from pocket.train.lessons.seeing import Naming
from pocket.world.policy_view import POLICY_LAYOUT
from robot.observation import EXTERIOR_SIZE, WRIST_SIZE
from studio.panda.cameras import EXTERIORS
from tuning.flow.error import Hidden

NUM_COLOURS = NUM_PLACES - 1

POINTING_SCALE = 0.2
"""Of the loss of where things are, in squares of 10 cm, beside that of the velocity."""

SQUARES_SCALE = 0.01
"""Of that of what covers each square of a picture, which is some forty times that of its velocity."""

SEEN_SHARE = 0.1
"""Of the error of which colours are where, a sum over the picture, against that of places, in squares of 10 cm."""

RARELY = -4.0
"""Logit of what one of fifty parts shows."""


class Pointer(nn.Module):
    """Reads places off a policy's last hidden states; no part of a checkpoint.

    Args:
        hidden: H, the generator's width.
    """

    names = ("pointing", "pointing_named", "pointing_seen")
    """Of what `error` tells."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.state = nn.Linear(hidden, NUM_PLACES * 3)
        self.parts = nn.Linear(hidden, NUM_COLOURS * 4)
        with torch.no_grad():
            # Of a mark and a place for each colour: few parts have any.
            self.parts.bias[::4] = RARELY

    def forward(self, hidden: Hidden, places: Tensor, shown: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """What a policy's loss has beside the velocity's, and what `names` are of; see `error`."""
        state, picture = hidden.out[:, -hidden.sizes[-1]], hidden.out[:, : shown.shape[1]]
        error, told = self.error(state.float(), picture.float(), places, shown)
        return POINTING_SCALE * error, told

    def error(self, state: Tensor, picture: Tensor, places: Tensor, shown: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """How wrong it is.

        Args:
            state: [B, H], the state's token.
            picture: [B, P, H], tokens of the first frame.
            places: float32 [B, NUM_PLACES, 3], as `pocket.train.acting.places_at` has them.
            shown: float32 [B, P, NUM_COLOURS], as `shown_where` has it.

        Returns:
            The loss, and without gradients what `names` are of.
        """
        said, named = pointing_error(self.state(state), places)
        seen = self._seen_error(self.parts(picture), places, shown)
        return said + seen, (said.detach(), named, seen.detach())

    def _seen_error(self, said: Tensor, places: Tensor, shown: Tensor) -> Tensor:
        marks, where = said.unflatten(2, (NUM_COLOURS, 4)).split([1, 3], 3)
        there = shown.nan_to_num()
        wrong = binary_cross_entropy_with_logits(marks[..., 0], there, reduction="none") * shown.isfinite()
        apart = (where - places[:, None, 1:].nan_to_num()).square().mean(3) * there
        return SEEN_SHARE * wrong.sum((1, 2)).mean() + apart.sum() / there.sum().clamp_min(1)


def pointing_error(said: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
    """Mean square errors of what is said [B, NUM_PLACES * 3]: of the named thing and all colours, and of the first."""
    error = (said.view_as(places) - places.nan_to_num()).square() * places.isfinite()
    named, colours = (part.sum() / 3 for part in error.split([1, NUM_COLOURS], 1))
    count_named, count_colours = (
        part.isfinite().all(2).sum().clamp_min(1) for part in places.split([1, NUM_COLOURS], 1)
    )
    return named / count_named + colours / count_colours, (named / count_named).detach()


def shown_where(places: Tensor, grid: tuple[int, int]) -> Tensor:
    """Which parts of a policy's frame the thing of each colour lies in, for either exterior camera.

    Args:
        places: as `Pointer.error` has them.
        grid: (rows, columns) of parts.

    Returns:
        float32 [B, rows * columns, NUM_COLOURS]: 1 or 0, not a number in the wrist's part of the frame. Whether the arm
        stands before a thing is not asked.
    """
    rows, columns = grid
    exteriors = POLICY_LAYOUT.views[: len(EXTERIORS)]
    end = rows * max(view.shown.top + view.shown.height for view in exteriors) // POLICY_LAYOUT.size[1]
    shown = torch.full((len(places), rows, columns, NUM_COLOURS), torch.nan)
    shown[:, :end] = 0.0
    points = places[:, 1:].cpu().double().numpy() * PLACE_UNIT_M + np.array(MIDDLE_M)
    for index, (camera, view) in enumerate(zip(EXTERIORS, exteriors, strict=True)):
        # On the robot's canvas the wrist's view is above, the exteriors side by side.
        canvas = camera.project(points) + np.array([index * EXTERIOR_SIZE[0], WRIST_SIZE[1]])
        inside = (canvas - [view.cut.left, view.cut.top]) / [view.cut.width, view.cut.height]
        pixels = np.array([view.shown.left, view.shown.top]) + inside * [view.shown.width, view.shown.height]
        part = np.floor(np.nan_to_num(pixels) / POLICY_LAYOUT.size * [columns, rows]).astype(np.int64)
        sample, colour = np.nonzero(((inside >= 0) & (inside < 1)).all(2))
        across, down = part[sample, colour].T
        shown[sample, down, across, colour] = 1.0
    return shown.flatten(1, 2)


class Squares(nn.Module):
    """What covers each square of a picture, read off tokens [B, S, H] halfway through the layers.

    It is asked at any level of noise. Which thing stands where is settled in the first steps of a sampler, at levels
    where the velocity of a shape is a small part of the loss. Asked by name, what a token will show is learnt sooner
    (docs/pocket.md). No part of a checkpoint.

    Args:
        hidden: H, the generator's width.
    """

    names = ("squares",)
    """Of what `error` tells."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.inner = nn.Linear(hidden, 2 * hidden)
        self.naming = Naming(2 * hidden)

    def forward(self, hidden: Hidden, squares: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """What a picture's loss has beside the velocity's, and what `names` are of; see `error`."""
        error, told = self.error(hidden.halfway, squares)
        return SQUARES_SCALE * error, told

    def error(self, halfway: Tensor, squares: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """How wrong it is, and the same without gradients.

        Args:
            halfway: [B, S, H], what half of the layers have come to.
            squares: int64 [B, S, MERGE * MERGE, 2].
        """
        wide = halfway.float()
        wide = layer_norm(wide, wide.shape[-1:])
        error = self.naming.error(silu(self.inner(wide)), squares)
        return error, (error.detach(),)
