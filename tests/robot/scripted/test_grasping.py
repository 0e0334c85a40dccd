import math
from typing import Any

import numpy as np
import pytest

from robot.objects import ObjectPose
from robot.scripted.grasping import choose_grasp, miss


def _upright(turn: float) -> np.ndarray:
    return np.array([math.cos(turn / 2), 0.0, 0.0, math.sin(turn / 2)])


def _cube(x: float = 0.5, y: float = 0.0, turn: float = 0.0, **changes: Any) -> ObjectPose:
    fields: dict[str, Any] = {
        "colour": "red",
        "shape": "cube",
        "position": np.array([x, y, 0.022]),
        "quaternion": _upright(turn),
        "half_size": np.full(3, 0.022),
    }
    return ObjectPose(**(fields | changes))


def test_a_cube_is_held_across_its_sides():
    grasp = choose_grasp(cube := _cube(turn=0.4), [cube], hand_yaw=0.0)

    assert grasp.yaw == pytest.approx(0.4)
    assert grasp.width == pytest.approx(0.044)
    assert grasp.gripper_position == pytest.approx(1 - 0.044 / 0.085)


def test_a_neighbour_in_the_way_of_a_finger_turns_the_grasp():
    cube, neighbour = _cube(), _cube(y=0.08)

    assert choose_grasp(cube, [cube], 0.0).yaw == pytest.approx(0.0)
    assert abs(choose_grasp(cube, [cube, neighbour], 0.0).yaw) == pytest.approx(math.pi / 2)


def test_the_hand_keeps_the_way_that_it_already_turned():
    cube = _cube(turn=math.pi / 4)

    assert choose_grasp(cube, [cube], hand_yaw=-0.7).yaw == pytest.approx(-math.pi / 4)
    assert choose_grasp(cube, [cube], hand_yaw=0.7).yaw == pytest.approx(math.pi / 4)


def test_a_cube_that_tumbled_is_held_by_its_level_sides():
    # A quarter turn about x, then 0.3 rad about the upright.
    tumbled = _cube(
        quaternion=np.array([math.cos(0.15), math.cos(0.15), math.sin(0.15), math.sin(0.15)]) / math.sqrt(2)
    )

    assert choose_grasp(tumbled, [tumbled], hand_yaw=0.0).yaw == pytest.approx(0.3, abs=1e-6)


def test_a_lying_cylinder_is_held_across():
    # It lies along y: fingers that close along x are a quarter turn away.
    lying = _cube(
        shape="cylinder",
        quaternion=np.array([math.cos(math.pi / 4), -math.sin(math.pi / 4), 0.0, 0.0]),
        half_size=np.array([0.022, 0.022, 0.03]),
    )

    assert abs(choose_grasp(lying, [lying], 0.0).yaw) == pytest.approx(math.pi / 2)


def test_a_bowl_is_held_by_its_rim_away_from_what_is_near():
    bowl = _cube(shape="bowl", position=np.array([0.5, 0.0, 0.024]), half_size=np.array([0.066, 0.066, 0.024]))
    neighbour = _cube(x=0.5, y=0.13)

    grasp = choose_grasp(bowl, [bowl, neighbour], hand_yaw=0.0)

    assert float(np.hypot(*(grasp.position[:2] - bowl.position[:2]))) == pytest.approx(0.063, abs=1e-6)
    assert grasp.position[1] < 0.03
    assert miss(bowl, grasp.position) < 1e-6


def test_a_miss_is_measured_from_where_the_thing_can_be_held():
    assert miss(_cube(), np.array([0.5, 0.03, 0.022])) == pytest.approx(0.03)
