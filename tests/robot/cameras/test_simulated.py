import pytest

from robot.cameras import simulated
from robot.cameras.simulated import SimulatedCameras, SteppedCameras
from robot.faults import CameraLost, NotInstalled
from robot.safety import HOME
from robot.simulation.library import GRAPHICS, Graphics
from robot.simulation.scene import Scene
from robot.simulation.world import World
from robot_fakes import FakeClock, StillClock

draws = pytest.mark.skipif(not GRAPHICS.can_draw, reason=GRAPHICS.problem or "it draws")


@draws
def test_stepped_cameras_draw_the_moment_that_is(plain_scene: Scene):
    clock = FakeClock()
    world = World(plain_scene, clock=clock)
    cameras = SteppedCameras(world)
    first = cameras.views()
    world.aim(HOME + 0.2, 0.0)
    world.advance(0.5)
    second = cameras.views()
    cameras.close()

    assert first.wrist.shape == (360, 640, 3)
    assert first.exterior_1.shape == first.exterior_2.shape == (180, 320, 3)
    assert first.canvas().shape == (540, 640, 3)
    assert second.captured_at_s - first.captured_at_s == pytest.approx(0.5)
    assert (first.wrist != second.wrist).any()


@draws
def test_cameras_of_their_own_thread_always_have_a_picture_and_say_when_it_is_old(plain_scene: Scene):
    clock = StillClock()
    world = World(plain_scene, clock=clock)
    cameras = SimulatedCameras(world, clock)
    views = cameras.views()
    cameras.close()

    assert views.wrist.std() > 10
    clock.now_s += 5
    with pytest.raises(CameraLost, match="old"):
        cameras.views()


def test_without_opengl_there_are_no_cameras_and_the_package_is_named(
    plain_scene: Scene, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(simulated, "GRAPHICS", Graphics("disable", "Install libegl1."))

    with pytest.raises(NotInstalled, match="Install libegl1"):
        SimulatedCameras(World(plain_scene, clock=FakeClock()))
