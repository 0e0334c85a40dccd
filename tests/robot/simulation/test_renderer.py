import numpy as np
import pytest

from robot.faults import NotInstalled
from robot.objects import Shape
from robot.safety import HOME
from robot.simulation.arrangement import SLOTS
from robot.simulation.library import GRAPHICS, Graphics
from robot.simulation.physics import Physics
from robot.simulation.renderer import CanvasRenderer
from robot.simulation.scene import Scene

draws = pytest.mark.skipif(not GRAPHICS.can_draw, reason=GRAPHICS.problem or "it draws")


def _share_of(picture: np.ndarray, colour: tuple[float, float, float]) -> float:
    """How much of a picture has this hue."""
    pixels = picture.reshape(-1, 3).astype(float)
    lengths = np.linalg.norm(pixels, axis=1) + 1e-9
    same = pixels @ np.array(colour) / (lengths * np.linalg.norm(colour))
    return float((same > 0.995).mean())


@draws
@pytest.mark.parametrize("scene_name", ["plain_scene", "mesh_scene"])
def test_the_three_views_are_where_the_policy_expects_them(scene_name: str, request: pytest.FixtureRequest):
    scene: Scene = request.getfixturevalue(scene_name)
    physics = Physics(scene, seed=3)
    renderer = CanvasRenderer(scene)
    canvas = renderer.draw(physics.snapshot())
    renderer.close()

    assert canvas.shape == (540, 640, 3)
    assert canvas.dtype == np.uint8
    assert canvas.flags.c_contiguous
    red = (0.80, 0.09, 0.08)
    # From above the start pose the exteriors see the red cube, each from its own side.
    left, right = canvas[360:, :320], canvas[360:, 320:]
    assert _share_of(left, red) > 0.0003
    assert _share_of(right, red) > 0.0003
    assert np.abs(left.astype(int) - right[:, ::-1].astype(int)).mean() > 2


@draws
def test_the_wrist_moves_with_the_hand_and_the_exteriors_stay(plain_scene: Scene):
    physics = Physics(plain_scene, seed=3)
    renderer = CanvasRenderer(plain_scene)
    before = renderer.draw(physics.snapshot())
    physics.aim(HOME + np.array([0.2, 0, 0, 0, 0, 0, 0]), 0.0)
    for _ in range(400):
        physics.step()
    after = renderer.draw(physics.snapshot())
    renderer.close()

    changed = np.abs(after.astype(int) - before.astype(int)).max(axis=2) > 8
    # The exteriors' lower corners show nothing but the room.
    assert changed[:360].mean() > 0.02
    assert changed[520:, :60].mean() == 0


@draws
def test_another_seed_is_drawn_in_other_colours(plain_scene: Scene):
    physics = Physics(plain_scene, seed=3)
    renderer = CanvasRenderer(plain_scene)
    pictures = []
    for seed in (3, 4, 3):
        physics.reset(seed)
        pictures.append(renderer.draw(physics.snapshot()))
    renderer.close()

    assert (pictures[0] != pictures[1]).any()
    assert (pictures[0] == pictures[2]).all()


def test_without_opengl_it_says_which_package_is_missing(plain_scene: Scene, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("robot.simulation.renderer.GRAPHICS", Graphics("disable", "Install libegl1."))

    with pytest.raises(NotInstalled, match="Install libegl1"):
        CanvasRenderer(plain_scene)


def test_every_shape_of_the_table_is_known():
    shapes: set[Shape] = {"cube", "cylinder", "bowl"}

    assert set(SLOTS) == shapes
