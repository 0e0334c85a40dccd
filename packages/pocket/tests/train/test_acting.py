from __future__ import annotations

import dataclasses

import numpy as np
import torch

from pocket.train.acting import EMBODIMENTS_OF_POCKET, NUM_PLACES, POLICY_UNITS, is_usual, places_at
from pocket.world.episode import POLICY_SIZE
from pocket.world.policy_view import POLICY_LAYOUT
from pocket_flat_world import flat_episode
from robot.simulation.arrangement import COLOURS


def test_what_the_policy_sees_is_as_large_as_its_episodes():
    assert POLICY_LAYOUT.size == POLICY_SIZE
    assert EMBODIMENTS_OF_POCKET.of("droid_joint_position").layout == POLICY_LAYOUT


def test_its_units_put_the_home_pose_near_the_middle():
    home = torch.tensor([0.0, -0.2, 0.0, -2.4, 0.0, 2.2, 0.0, 0.0])
    assert POLICY_UNITS.known(home).abs().max() < 1.1
    assert POLICY_UNITS.known(home)[7] == 1, "an open gripper"


def test_a_joint_that_is_thrown_far_off_is_no_usual_place():
    rows = torch.tensor([[0.0, -0.2, 0.0, -2.4, 0.0, 2.2, 0.0, 0.0]] * 3)
    assert is_usual(POLICY_UNITS.known(rows))
    rows[1, 2] = -0.8
    assert not is_usual(POLICY_UNITS.known(rows))


def placed(*places: tuple[float, float, float]):
    episode = flat_episode("policy", 3)
    things = [
        dataclasses.replace(thing, poses=np.tile(np.array([*place, 1, 0, 0, 0], np.float32), (len(thing.poses), 1)))
        for thing, place in zip(episode.things, places, strict=False)
    ]
    return dataclasses.replace(episode, things=tuple(things), task=dataclasses.replace(episode.task, thing=0))


def test_places_are_of_the_named_thing_and_of_each_colour_and_nothing_lies_under_the_table():
    episode = placed((0.6, 0.1, 0.1))
    found = places_at(episode, 0)
    assert found.shape == (NUM_PLACES, 3)
    colour = 1 + list(COLOURS).index(episode.things[0].colour)
    for row in (0, colour):
        torch.testing.assert_close(found[row], torch.tensor([1.0, 1.0, 0.0]))
    assert places_at(placed((0.6, 0.1, -3.0)), 0).isnan().all()
