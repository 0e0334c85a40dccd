"""Actions as JSON: the rows, what their values mean, how fast they follow each other, and the recipe of it all."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from backend.media.recipe import recipe_of
from studio.errors import EngineError
from studio.requests import ActionRequest, Request
from studio.requests.embodiments import EMBODIMENTS, EmbodimentName

UNITS: dict[EmbodimentName, str] = {"droid_joint_position": "rad; gripper 0 open to 1 closed"}

MODEL_UNITS = "the model's own, as its data set is normalised"


def actions_text(actions: NDArray[np.float32], request: Request, checkpoint: str) -> str:
    """`{"recipe", "embodiment", "fps", "columns", "units", "actions"}` in ASCII.

    Args:
        actions: float32 [n, width]; each number is written as short as it can be read back exactly.
        request: of this result alone.
        checkpoint: what made it.

    Raises:
        EngineError: a value is not finite, which JSON has no word for.
    """
    assert isinstance(request, ActionRequest)
    if not np.isfinite(actions).all():
        raise EngineError(
            "The model returned actions that are not finite numbers.",
            hint="Use other sampling settings, or another adapter.",
        )
    return json.dumps(
        {
            "recipe": recipe_of(request, checkpoint),
            "embodiment": request.embodiment,
            "fps": request.fps,
            "columns": EMBODIMENTS[request.embodiment].columns or None,
            "units": UNITS.get(request.embodiment, MODEL_UNITS),
            "actions": [[float(str(value)) for value in row] for row in actions.astype(np.float32)],
        }
    )
