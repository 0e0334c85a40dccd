"""Beginnings: every errand of a table from one look at it, in several choices of colours."""

import numpy as np
import pytest

from pocket.world import Episode, Settings
from pocket.world.beginnings import NUM_COLOURINGS, make_beginnings
from pocket.world.episode import POLICY_ROWS, POLICY_SIZE
from robot.simulation.library import GRAPHICS

SETTINGS = Settings(plain_arm=True)


@pytest.fixture(scope="module")
def beginnings() -> list[Episode]:
    if not GRAPHICS.can_draw:
        pytest.skip(GRAPHICS.problem)
    return make_beginnings(2, SETTINGS)


def test_each_thing_that_can_be_held_is_asked_for_in_each_colouring(beginnings: list[Episode]):
    per_colouring = len(beginnings) // NUM_COLOURINGS
    for first in range(0, len(beginnings), per_colouring):
        of_one = beginnings[first : first + per_colouring]
        small = {index for index, thing in enumerate(of_one[0].things) if thing.shape != "bowl"}
        assert len(small) > 1
        assert {episode.task.thing for episode in of_one if episode.task.skill == "pick"} == small
        for episode in of_one:
            assert episode.task.thing is not None
            assert episode.things[episode.task.thing].name in episode.task.instructions[0]


def test_errands_of_one_colouring_share_a_frame_and_a_state_and_part_from_there(beginnings: list[Episode]):
    one, other = beginnings[0], beginnings[1]
    assert (one.frames == other.frames).all()
    assert one.frames.shape == (1, POLICY_SIZE[1], POLICY_SIZE[0], 3)
    assert list(one.robot.chunk_starts) == [0]
    assert len(one.robot.expert) == len(one.things[0].poses) == POLICY_ROWS + 1
    assert np.allclose(one.robot.joint_positions[0], other.robot.joint_positions[0])
    assert np.linalg.norm(one.robot.hand_positions[-1] - other.robot.hand_positions[-1]) > 0.02


def test_another_colouring_changes_names_and_pixels_but_nothing_that_the_arm_does(beginnings: list[Episode]):
    plain, coloured = beginnings[0], beginnings[len(beginnings) // NUM_COLOURINGS]
    assert [thing.shape for thing in plain.things] == [thing.shape for thing in coloured.things]
    assert [thing.colour for thing in plain.things] != [thing.colour for thing in coloured.things]
    assert (plain.robot.expert == coloured.robot.expert).all()
    changed = (plain.frames != coloured.frames).any(axis=-1).mean()
    assert 0.001 < changed < 0.2


@pytest.mark.slow
def test_a_seed_gives_the_same_beginnings_again(beginnings: list[Episode]):
    again = make_beginnings(2, SETTINGS)
    assert [episode.task for episode in again] == [episode.task for episode in beginnings]
    assert all((one.frames == other.frames).all() for one, other in zip(again, beginnings, strict=True))
