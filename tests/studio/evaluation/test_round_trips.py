import pytest

from cli.verbs.round_trip import table
from studio.errors import BadInput
from studio.evaluation.round_trips import round_trip
from studio.requests.actions import PredictVideo

GIVEN = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]


def predicted() -> PredictVideo:
    return PredictVideo.model_validate(
        {"prompt": "Push it.", "embodiment": "pusht", "start_image": "u0123456789abcdef", "actions": GIVEN}
    )


def test_errors_are_estimated_less_given_by_step_and_value():
    found = round_trip(predicted(), ((0.0, 0.0), (1.5, 0.0), (1.0, 1.0), (0.0, 0.0)))

    assert found.errors == ((0, 0), (0.5, 0), (0, 0), (0, -1))
    assert found.column_mse == pytest.approx((0.0625, 0.25))
    assert found.mse == pytest.approx(0.15625)
    assert len(found.columns) == 2


def test_as_many_actions_are_compared_as_were_given():
    with pytest.raises(BadInput, match="shape"):
        round_trip(predicted(), ((0.0, 0.0),))


def test_the_table_has_a_line_for_each_step_and_one_for_all():
    lines = table(round_trip(predicted(), tuple(tuple(row) for row in GIVEN))).splitlines()

    assert [line.split()[0] for line in lines] == ["step", "1", "2", "3", "4", "rms", "mean"]
