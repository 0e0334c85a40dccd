import numpy as np
import pytest

from robot.simulation.arrangement import HALF_SIZES, Placed
from robot.simulation.physics import Physics
from robot.simulation.scene import DEFAULT_THINGS, MASSES_KG, Look, ThingKind, furnish, load_arm


def test_an_arm_stands_in_any_number_of_worlds():
    arm = load_arm(plain=True)
    ball = ThingKind("ball", HALF_SIZES["ball"], MASSES_KG["ball"], specular=0.9)

    first, second = furnish(arm, [ball], Look(table=(0.1, 0.2, 0.3))), furnish(arm)

    assert len(first.thing_names) == 1
    assert len(second.thing_names) == len(DEFAULT_THINGS)
    assert first.model.geom("table").rgba.tolist() == pytest.approx([0.1, 0.2, 0.3, 1.0])


def test_a_ball_that_was_struck_comes_to_rest():
    ball = ThingKind("ball", HALF_SIZES["ball"], MASSES_KG["ball"])
    scene = furnish(load_arm(plain=True), [ball])
    physics = Physics(scene, placed=[Placed("red", "ball", np.array([0.5, 0.0]), 0.0, ball.half_size)])
    physics.data.qvel[scene.model.jnt_dofadr[scene.model.body("thing0").jntadr[0]] + 1] = 0.1
    for _ in range(1000):
        physics.step()

    assert 0.005 < physics.object_poses()[0].position[1] < 0.2
    assert np.abs(physics.data.qvel[-6:]).max() < 0.05
