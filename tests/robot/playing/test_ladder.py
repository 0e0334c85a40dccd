import pytest

from robot.playing import Rung, rung


@pytest.mark.parametrize(
    ("has_row", "without_rows_s", "disconnected_s", "expected"),
    [
        (True, 0.0, 0.0, Rung.PLAY),
        (True, 0.0, 0.9, Rung.PLAY),
        (False, 0.0, 0.0, Rung.COAST),
        (False, 1.0, 0.0, Rung.COAST),
        (False, 1.1, 0.0, Rung.REST),
        (True, 0.0, 1.1, Rung.REST),
        (False, 4.9, 0.0, Rung.REST),
        (False, 5.1, 0.0, Rung.STOP),
        (True, 0.0, 5.1, Rung.STOP),
    ],
)
def test_the_ladder(has_row: bool, without_rows_s: float, disconnected_s: float, expected: Rung):
    assert rung(has_row=has_row, without_rows_s=without_rows_s, disconnected_s=disconnected_s) is expected
