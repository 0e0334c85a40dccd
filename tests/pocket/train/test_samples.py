from __future__ import annotations

import dataclasses

import pytest

from pocket.train.codecs import fresh_vae
from pocket.train.samples import Encoder, draw
from pocket.train.shape import TOY
from pocket_flat_world import flat_episode


def moments_of(first_thrown: int, end_thrown: int) -> list[int]:
    """At which frames the moments of a run begin whose first joint is thrown off for some frames."""
    episode = flat_episode("policy", 0)
    robot = episode.robot
    expert = robot.expert.copy()
    # A hundredth more at each frame: so rows tell when they were.
    expert[:, 6] = [index / 100 for index in range(len(expert))]
    expert[first_thrown:end_thrown, 0] = 2.0
    thrown = dataclasses.replace(episode, robot=dataclasses.replace(robot, expert=expert))
    encoder = Encoder(fresh_vae(TOY).eval(), None, "cpu")
    return sorted(round(float(sample.actions[0, 6] * 25)) for sample in encoder.samples(draw(thrown)))


@pytest.mark.parametrize(("thrown", "kept"), [((0, 0), list(range(8))), ((2, 3), [3, 4, 5, 6, 7]), ((20, 21), [])])
def test_moments_in_which_the_arm_is_thrown_off_are_left_out(thrown, kept):
    assert moments_of(*thrown) == kept
