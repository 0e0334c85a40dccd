import numpy as np
import pytest

from robot.simulation.arrangement import CLEARANCE_M, REGION, SLOTS, arrange


def test_a_seed_always_lays_the_same_table():
    first, again, other = arrange(7), arrange(7), arrange(8)

    assert [thing.place.tolist() for thing in first] == [thing.place.tolist() for thing in again]
    assert [thing.place.tolist() for thing in first] != [thing.place.tolist() for thing in other]


@pytest.mark.parametrize("seed", range(0, 200, 10))
def test_every_thing_has_room_for_the_fingers(seed: int):
    things = arrange(seed)

    for index, thing in enumerate(things):
        assert REGION[0][0] <= thing.place[0] <= REGION[0][1]
        assert REGION[1][0] <= thing.place[1] <= REGION[1][1]
        for other in things[:index]:
            apart = float(np.hypot(*(thing.place - other.place)))
            assert apart > CLEARANCE_M[thing.shape] + CLEARANCE_M[other.shape]


def test_a_name_names_one_thing_and_there_is_always_a_red_cube():
    for seed in range(100):
        names = [f"{thing.colour} {thing.shape}" for thing in arrange(seed)]
        assert len(set(names)) == len(SLOTS)
        assert names[0] == "red cube"
