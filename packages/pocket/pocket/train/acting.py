"""How the pocket knows the arm: units of its own for joints, its own layout of the cameras, and where things are."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from engine.planning.embodiments import ActionUnits, OwnEmbodiment, OwnEmbodiments, OwnUnits
from pocket.world.episode import Episode
from pocket.world.policy_view import POLICY_LAYOUT
from robot.simulation.arrangement import COLOURS
from studio.requests.embodiments import EMBODIMENTS, EmbodimentName

JOINTS: EmbodimentName = "droid_joint_position"

_UNITS = OwnUnits(
    middle=(0.0, 0.0, 0.0, -2.2, 0.0, 2.3, 0.0, 0.5),
    unit=(0.2, 0.3, 0.15, 0.25, 0.1, 0.25, 0.25, 0.5),
)
"""The middle of what the expert does, and how far its rows are from where the arm is (root mean square).

In rad as they are, an error of a hundredth is a hundredth of the noise that a model has to take away, and of two runs
of 600 steps on made-up joints the one in such units came to 0.012 rad where the other came to 0.034.
"""

EMBODIMENTS_OF_POCKET = OwnEmbodiments({JOINTS: OwnEmbodiment(units=_UNITS, layout=POLICY_LAYOUT)})
"""What the checkpoint says of its bodies."""

POLICY_UNITS = ActionUnits.of(EMBODIMENTS[JOINTS], len(_UNITS.middle), _UNITS)

NUM_PLACES = 1 + len(COLOURS)
"""What training asks besides: where the named thing is, and where the thing of each colour."""

MIDDLE_M = (0.5, 0.0, 0.1)
PLACE_UNIT_M = 0.1
_FARTHEST = 4.0
"""What fell off the table is soon metres away, and one such thing outweighs all others of a batch."""

_FARTHEST_UNITS = 5.0
"""A moment with a joint farther from its middle is not learnt from. A burst of noise leaves some runs in postures that
no task needs, up to 19 units away: of 10,261 moments of 240 runs these are 9.6 %, with 47 % of all rows' squares."""


def is_usual(rows: Tensor) -> bool:
    """Whether an arm that does a task comes by here: rows [n, width], in the pocket's units."""
    return bool(rows.abs().max() <= _FARTHEST_UNITS)


def places_at(episode: Episode, frame: int) -> Tensor:
    """Where the named thing of a policy's episode is, and the thing of each colour.

    Returns:
        float32 [NUM_PLACES, 3], in units of 10 cm from the middle of the table; not a number where there is none, or
        where it fell off.
    """
    found = np.full((NUM_PLACES, 3), np.nan, np.float32)
    colours = list(COLOURS)
    for index, thing in enumerate(episode.things):
        place = (thing.poses[frame, :3] - MIDDLE_M) / PLACE_UNIT_M
        if np.abs(place).max() > _FARTHEST:
            continue
        found[1 + colours.index(thing.colour)] = place
        if index == episode.task.thing:
            found[0] = place
    return torch.from_numpy(found)
