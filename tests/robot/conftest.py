"""Both arms of the simulated world, compiled once; a test makes its own world of them."""

import pytest

from robot.simulation.scene import Scene, build_scene


@pytest.fixture(scope="session")
def plain_scene() -> Scene:
    return build_scene(plain=True)


@pytest.fixture(scope="session")
def mesh_scene() -> Scene:
    return build_scene()
