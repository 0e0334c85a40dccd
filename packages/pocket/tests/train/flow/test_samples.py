from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from pocket.train.codecs import fresh_vae
from pocket.train.flow.samples import Encoder, draw
from pocket.train.shape import TOY
from pocket.world.episode import View
from pocket_flat_world import flat_episode


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    torch.manual_seed(0)
    return Encoder(fresh_vae(TOY).eval(), None, "cpu")


def moments_of(encoder: Encoder, view: View, first_thrown: int, end_thrown: int) -> list[int]:
    """At which frames the moments of a run begin whose first joint is thrown off for some frames."""
    episode = flat_episode(view, 0)
    robot = episode.robot
    expert = robot.expert.copy()
    # A hundredth more at each frame: so rows tell when they were.
    expert[:, 6] = [index / 100 for index in range(len(expert))]
    expert[first_thrown:end_thrown, 0] = 2.0
    thrown = dataclasses.replace(episode, robot=dataclasses.replace(robot, expert=expert))
    return sorted(round(float(sample.actions[0, 6] * 25)) for sample in encoder.samples(draw(thrown)))


@pytest.mark.parametrize(("thrown", "kept"), [((0, 0), list(range(8))), ((2, 3), [3, 4, 5, 6, 7]), ((20, 21), [])])
@pytest.mark.parametrize("view", ["policy", "glance"])
def test_moments_in_which_the_arm_is_thrown_off_are_left_out(encoder, view, thrown, kept):
    assert moments_of(encoder, view, *thrown) == kept


def test_a_glance_is_seen_as_its_frame_alone_and_has_all_rows_of_its_chunk(encoder):
    episode = flat_episode("glance", 0)
    last = dataclasses.replace(
        episode, frames=episode.frames[-1:], robot=dataclasses.replace(episode.robot, chunk_starts=np.array([7]))
    )
    samples, (alone,) = encoder.samples(draw(episode)), encoder.samples(draw(last))
    assert len(samples) == len(episode.frames)
    assert {sample.kind for sample in samples} == {"glance"}
    assert alone.vision.shape[:2] == (TOY.latent_channels, 1)
    assert alone.actions.shape == (32, 8)
    same = [torch.equal(sample.actions, alone.actions) for sample in samples]
    assert same.count(True) == 1
    torch.testing.assert_close(samples[same.index(True)].vision, alone.vision, atol=0.02, rtol=0)
