"""Round trips: actions, the video that is predicted from them, and the actions that are estimated from that video."""

from __future__ import annotations

import numpy as np
from pydantic import BaseModel, ConfigDict

from studio.evaluation.action_figures import squared_errors
from studio.requests.actions import PredictVideo
from studio.requests.embodiments import EMBODIMENTS

METRIC = "round_trip_mse"

Rows = tuple[tuple[float, ...], ...]


class RoundTrip(BaseModel):
    """What became of actions on their way there and back.

    Attributes:
        columns: names of an action's values.
        given, estimated: a row for each step, in the body's units: rad of a joint.
        errors: of each step and value, estimated less given.
        mse: mean squared error over everything, the metric of evaluations.
        column_mse: of each value.
    """

    model_config = ConfigDict(frozen=True)

    columns: tuple[str, ...]
    given: Rows
    estimated: Rows
    errors: Rows
    mse: float
    column_mse: tuple[float, ...]


def round_trip(predicted: PredictVideo, estimated: Rows) -> RoundTrip:
    """Compare.

    Args:
        predicted: what made the video.
        estimated: the actions found in it.

    Raises:
        BadInput: they are not as many, or of another width.
    """
    given = np.asarray(predicted.actions, np.float64)
    found = np.asarray(estimated, np.float64)
    figures = squared_errors(METRIC, found, given)
    named = EMBODIMENTS[predicted.embodiment].columns
    width = given.shape[1]
    columns = named if len(named) == width else tuple(f"value_{number}" for number in range(1, width + 1))
    return RoundTrip(
        columns=columns,
        given=predicted.actions,
        estimated=estimated,
        errors=tuple(tuple(float(value) for value in row) for row in found - given),
        mse=figures.values[METRIC],
        column_mse=figures.series[METRIC],
    )
