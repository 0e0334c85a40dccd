"""Where the exterior cameras see a place: as MuJoCo draws it."""

import numpy as np
import pytest

from robot.observation import EXTERIOR_SIZE, WRIST_SIZE
from robot.simulation.library import GRAPHICS
from robot.simulation.physics import Physics
from robot.simulation.renderer import CanvasRenderer
from robot.simulation.scene import Scene
from studio.panda.cameras import EXTERIORS


@pytest.mark.skipif(not GRAPHICS.can_draw, reason=GRAPHICS.problem or "it draws")
def test_a_thing_is_drawn_where_its_place_is_projected_to(plain_scene: Scene):
    physics = Physics(plain_scene, seed=3)
    red = next(thing for thing in physics.object_poses() if thing.name == "red cube")
    renderer = CanvasRenderer(plain_scene)
    canvas = renderer.draw(physics.snapshot()).astype(int)
    renderer.close()
    for index, camera in enumerate(EXTERIORS):
        picture = canvas[WRIST_SIZE[1] :, index * EXTERIOR_SIZE[0] : (index + 1) * EXTERIOR_SIZE[0]]
        rows, columns = np.nonzero(picture[..., 0] > 3 * picture[..., 1:].max(axis=2))
        middle = np.array([columns.mean(), rows.mean()]) + 0.5
        assert np.abs(camera.project(red.position) - middle).max() < 3


def test_nothing_is_seen_behind_a_camera_or_where_nothing_is():
    behind = np.array([[-1.0, 2.0, 1.5], [np.nan, np.nan, np.nan]])
    assert np.isnan(EXTERIORS[0].project(behind)).all()
    assert np.isfinite(EXTERIORS[0].project(np.array([0.5, 0.0, 0.0]))).all()
