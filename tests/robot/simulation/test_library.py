import sys

import pytest

from robot.simulation.library import find_graphics

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems bring their own OpenGL")


def test_egl_comes_first():
    found = find_graphics({}, has_egl=lambda: True, has_osmesa=lambda: True)

    assert found.library == "egl"
    assert found.can_draw


def test_osmesa_draws_where_egl_has_no_device():
    assert find_graphics({}, has_egl=lambda: False, has_osmesa=lambda: True).library == "osmesa"


def test_without_either_the_cameras_are_off_and_the_packages_are_named():
    found = find_graphics({}, has_egl=lambda: False, has_osmesa=lambda: False)

    assert found.library == "disable"
    assert not found.can_draw
    assert "libegl1 libegl-mesa0 libgl1-mesa-dri" in found.problem
    assert "libosmesa6" in found.problem


def test_what_the_environment_asks_for_is_taken():
    assert find_graphics({"MUJOCO_GL": "OSMesa"}, has_egl=lambda: True).library == "osmesa"


@pytest.mark.parametrize("word", ["disable", "off", "0"])
def test_the_environment_may_turn_drawing_off(word: str):
    found = find_graphics({"MUJOCO_GL": word}, has_egl=lambda: True)

    assert not found.can_draw
    assert "MUJOCO_GL" in found.problem


def test_a_word_that_mujoco_does_not_know_turns_drawing_off():
    found = find_graphics({"MUJOCO_GL": "vulkan"}, has_egl=lambda: True)

    assert found.library == "disable"
    assert "vulkan" in found.problem
