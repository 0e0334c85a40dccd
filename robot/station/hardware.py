"""The arm and the cameras that the settings name, connected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from robot.arms import Arm
from robot.arms.franka import FrankaArm, connect_franka, franky_errors
from robot.arms.replay import ReplayArm
from robot.cameras import AbsentCameras, Cameras
from robot.cameras.replay import ReplayCameras
from robot.clock import Clock
from robot.faults import ArmLost, CameraLost, NotInstalled
from robot.gripper.franka_hand import FrankaHand
from robot.gripper.gripper_thread import GripperThread
from robot.gripper.robotiq import Robotiq
from robot.loop.sensors import no_objects
from robot.objects import ObjectPose
from robot.recording import read_episode
from robot.settings import RobotSettings, names
from studio.errors import BadInput

BY_CONSTRUCTION = frozenset({"exterior sides", "wrist upright"})
"""Checks of the self-test that hold where the views have names and no cables."""


class SimulatedScene(Protocol):
    """A scene that is a function of its seed, and whose time may stand still."""

    @property
    def seed(self) -> int:
        """Of the scene as it is."""
        ...

    def reset(self, seed: int) -> None:
        """Another one. Raises BadInput for a seed that is none."""
        ...

    def park(self) -> None:
        """Let time stand still while nobody needs it."""
        ...

    def wake(self) -> None:
        """Let time go on."""
        ...


@dataclass(frozen=True)
class Hardware:
    """What a station works with.

    Attributes:
        objects: known poses, where a world tells them.
        confirmed: checks of the self-test that need no person.
        scene: what can be set up again and parked; none beside a real arm.
        can_self_test: whether the arm does what it is told at all.
        close: lets go of everything.
    """

    arm: Arm
    cameras: Cameras
    close: Callable[[], None]
    objects: Callable[[], Sequence[ObjectPose]] = no_objects
    confirmed: frozenset[str] = frozenset()
    scene: SimulatedScene | None = None
    can_self_test: bool = True


def connect_hardware(settings: RobotSettings, clock: Clock) -> Hardware:
    """Connect it.

    Raises:
        NotInstalled: a package is missing.
        ArmLost, CameraLost: it does not answer.
        EpisodeNotFound, BrokenEpisode: there is no such recording.
        BadInput: an address is missing.
    """
    match settings.arm:
        case "simulated":
            return _simulated(settings, clock)
        case "replay":
            return _replay(settings, clock)
        case "franka":
            return _franka(settings, clock)


def _simulated(settings: RobotSettings, clock: Clock) -> Hardware:
    from robot.arms.simulated import SimulatedArm  # MuJoCo, which no other arm needs
    from robot.cameras.simulated import SimulatedCameras
    from robot.simulation.world import World

    world = World(seed=settings.seed, clock=clock)
    world.start()
    arm = SimulatedArm(world)
    try:
        cameras: Cameras = SimulatedCameras(world, clock)
    except (NotInstalled, CameraLost) as error:
        cameras = AbsentCameras(str(error))

    def close() -> None:
        cameras.close()
        arm.close()
        world.close()

    return Hardware(arm, cameras, close, world.object_poses, BY_CONSTRUCTION, world)


def _replay(settings: RobotSettings, clock: Clock) -> Hardware:
    episode = read_episode(settings.recordings, settings.episode)
    arm, cameras = ReplayArm(episode, clock), ReplayCameras(episode, clock)
    return Hardware(arm, cameras, cameras.close, confirmed=BY_CONSTRUCTION, can_self_test=False)


def _franka(settings: RobotSettings, clock: Clock) -> Hardware:
    from robot.cameras.opencv import CameraAddress, OpenCvCameras

    views = ("wrist", "exterior_1", "exterior_2")
    for param in ("host", *views):
        if not getattr(settings, param):
            raise BadInput(f"A Franka needs --{param.replace('_', '-')}.", param=param)
    library, robot = connect_franka(settings.host, settings.realtime)
    try:
        hand = settings.gripper == "hand"
        errors = franky_errors(library)
        driver = FrankaHand(library.Gripper(settings.host), errors) if hand else Robotiq(Path(settings.gripper))
    except franky_errors(library) as error:
        raise ArmLost(f"The hand at {settings.host} refuses: {error}", param="gripper") from None
    arm = FrankaArm(library, robot, GripperThread(driver), clock, settings.following)
    turned = names(settings.upside_down)
    wrist, exterior_1, exterior_2 = (CameraAddress(getattr(settings, name), name in turned) for name in views)
    cameras = OpenCvCameras(wrist, exterior_1, exterior_2, clock)

    def close() -> None:
        cameras.close()
        arm.close()

    return Hardware(arm, cameras, close, confirmed=names(settings.confirmed))
