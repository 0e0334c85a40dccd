"""An episode of a seed: the table laid, the errand run, the window drawn, heard and put into words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from pocket.world.asking import ask
from pocket.world.captioning import word_episode
from pocket.world.critiquing import criticise
from pocket.world.drawing import TableArtist
from pocket.world.episode import (
    CLIP_FPS,
    CLIP_FRAMES,
    FIRST_THING_ID,
    IMAGE_SIZE,
    POLICY_FPS,
    POLICY_ROWS,
    POLICY_SIZE,
    SAMPLES_PER_SECOND,
    Episode,
    Event,
    Task,
    View,
)
from pocket.world.errands import disturb, drawn_errand, finish, start_pose
from pocket.world.happenings import happenings, impacts, within
from pocket.world.measuring import tell_camera, tell_robot, tell_surroundings, tell_task, tell_things
from pocket.world.moments import telling_shares
from pocket.world.policy_view import POLICY_LAYOUT
from pocket.world.run import SNAPSHOTS_PER_SECOND, STEADY, Run, perform
from pocket.world.sounding import Ear, hear
from pocket.world.staging import Stage, set_stage
from pocket.world.viewpoint import Viewpoint, choose_viewpoint
from robot.objects import ObjectPose
from robot.simulation.arm_parts import ArmParts
from robot.simulation.physics import Physics, Snapshot
from robot.simulation.renderer import CanvasRenderer
from robot.simulation.scene import Scene, furnish, load_arm

VIEW_NUMBERS: dict[View, int] = {"still": 0, "clip": 1, "policy": 2, "glance": 3}
"""Part of the seed: one number gives four unlike episodes."""

NUM_GLANCES = 12
"""Of a run, of those in which most is still to be done: neighbours look much alike."""

FPS_SHARES = (0.6, 0.3, 0.1)
LIMIT_S = {"clip": 8.0, "policy": 8.0}
LINGER_S = {"clip": 0.9, "policy": (POLICY_ROWS + 2) / POLICY_FPS}
LEAST_S = {"clip": 0.0, "policy": 5.6}
_MAX_LOOKS = 8
"""Tries for a camera that shows a whole still; then the last one stays, as it may in life."""

_TOLD = ("reach", "grasp", "lift", "place", "stack", "push", "drop", "miss", "release", "topple")


@dataclass(frozen=True)
class Settings:
    """How episodes are made.

    Attributes:
        size: (width, height) of stills and clips, at most (320, 270).
        num_frames: of clips.
        fps: of clips; None draws one of ``CLIP_FPS`` for each.
        plain_arm: use the arm of plain shapes, as a machine without the meshes has it.
    """

    size: tuple[int, int] = IMAGE_SIZE
    num_frames: int = CLIP_FRAMES
    fps: int | None = None
    plain_arm: bool = False


USUAL = Settings()


def make_episode(view: View, seed: int, settings: Settings = USUAL) -> Episode:
    """The episode of a seed: always the same on one machine; pixels may differ by a shade between OpenGL drivers.

    Raises:
        NotInstalled: there is no OpenGL that draws without a screen.
    """
    generator = np.random.default_rng([seed, VIEW_NUMBERS[view]])
    world: View = "policy" if view == "glance" else view
    while True:
        stage = set_stage(world, generator)
        scene = furnish(arm_of(settings), stage.kinds, stage.look)
        physics = Physics(scene, placed=stage.placed)
        if view == "still":
            return _still(seed, stage, scene, physics, settings, generator)
        physics.lay(stage.placed, start_pose(world, generator))
        objects = physics.object_poses()
        errand = drawn_errand(world, objects, generator)
        run = perform(
            physics,
            errand,
            generator,
            is_done=finish(errand, objects),
            linger_s=LINGER_S[world],
            limit_s=LIMIT_S[world],
            least_s=LEAST_S[world],
            disturbance=disturb(generator) if world == "policy" else STEADY,
        )
        if run is None:
            continue
        if view == "clip":
            return _clip(seed, stage, scene, run, objects, settings, generator)
        return _policy(seed, stage, scene, run, objects, generator, glances=view == "glance")


def arm_of(settings: Settings) -> ArmParts:
    """The arm of these settings, read once."""
    return _arm(settings.plain_arm)


@lru_cache(maxsize=2)
def _arm(plain: bool) -> ArmParts:
    return load_arm(plain=plain)


def _still(
    seed: int, stage: Stage, scene: Scene, physics: Physics, settings: Settings, generator: np.random.Generator
) -> Episode:
    physics.lay(stage.placed, start_pose("still", generator))
    snapshot = physics.snapshot()
    viewpoint, frame, depth, segmentation = _look_at_all(stage, scene, snapshot, settings, generator)
    poses = np.array([[*thing.position, *thing.quaternion] for thing in physics.object_poses()])
    row = np.array([[*snapshot.joint_positions, 0.0]])
    episode = Episode(
        seed=seed,
        view="still",
        fps=0,
        frames=frame[None],
        depth=depth[None],
        segmentation=segmentation[None],
        sound=None,
        things=tell_things(stage, poses[None], segmentation[None]),
        robot=tell_robot([snapshot], row, row),
        camera=tell_camera([viewpoint], settings.size),
        task=Task("none", "none"),
        surroundings=tell_surroundings(stage),
    )
    return _worded(episode, generator)


def _look_at_all(
    stage: Stage, scene: Scene, snapshot: Snapshot, settings: Settings, generator: np.random.Generator
) -> tuple[Viewpoint, NDArray[np.uint8], NDArray[np.float16], NDArray[np.uint8]]:
    """A camera that shows the whole table, its picture, depth and segmentation."""
    artist = TableArtist(scene, settings.size)
    try:
        num_looks = 0
        while True:
            num_looks += 1
            viewpoint = _viewpoint("still", stage, generator)
            depth, segmentation = artist.measure(snapshot, viewpoint)
            if _shows_all(segmentation, stage) or num_looks == _MAX_LOOKS:
                return viewpoint, artist.draw(snapshot, viewpoint), depth, segmentation
    finally:
        artist.close()


def _clip(
    seed: int,
    stage: Stage,
    scene: Scene,
    run: Run,
    objects: tuple[ObjectPose, ...],
    settings: Settings,
    generator: np.random.Generator,
) -> Episode:
    events = happenings(run, stage.kinds)
    fps = settings.fps or int(generator.choice(CLIP_FPS, p=FPS_SHARES))
    duration_s = settings.num_frames / fps
    first = round(_choose_start(run, events, duration_s, generator) * SNAPSHOTS_PER_SECOND)
    chosen = first + np.arange(settings.num_frames) * (SNAPSHOTS_PER_SECOND // fps)
    chosen = np.minimum(chosen, len(run.snapshots) - 1)
    start_s = first / SNAPSHOTS_PER_SECOND
    snapshots = [run.snapshots[index] for index in chosen]
    begins = _viewpoint("clip", stage, generator)
    viewpoints = [begins.after(index / fps) for index in range(settings.num_frames)]
    artist = TableArtist(scene, settings.size)
    try:
        drawn = [artist.draw(snapshot, at) for snapshot, at in zip(snapshots, viewpoints, strict=True)]
        measured = [artist.measure(snapshot, at) for snapshot, at in zip(snapshots, viewpoints, strict=True)]
    finally:
        artist.close()
    segmentation = np.stack([parts for _, parts in measured])
    num_samples = round(duration_s * SAMPLES_PER_SECOND)
    episode = Episode(
        seed=seed,
        view="clip",
        fps=fps,
        frames=np.stack(drawn),
        depth=np.stack([depth for depth, _ in measured]),
        segmentation=segmentation,
        sound=hear(
            run, stage.placed, stage.materials, impacts(run, stage.kinds), Ear(begins), start_s, num_samples, generator
        ),
        things=tell_things(stage, run.poses[chosen], segmentation),
        robot=tell_robot(snapshots, run.targets[chosen], run.targets[chosen]),
        camera=tell_camera(viewpoints, settings.size),
        task=tell_task(run, objects, events, generator),
        events=within(events, start_s, duration_s),
        surroundings=tell_surroundings(stage),
    )
    return _worded(episode, generator)


def _policy(
    seed: int,
    stage: Stage,
    scene: Scene,
    run: Run,
    objects: tuple[ObjectPose, ...],
    generator: np.random.Generator,
    *,
    glances: bool,
) -> Episode:
    chosen = np.arange(0, len(run.snapshots), SNAPSHOTS_PER_SECOND // POLICY_FPS)
    snapshots = [run.snapshots[index] for index in chosen]
    disturbed = run.disturbed[chosen]
    clear = [start for start in range(len(chosen) - POLICY_ROWS) if not disturbed[start : start + POLICY_ROWS].any()]
    robot = tell_robot(snapshots, run.targets[chosen], run.expert[chosen])
    if glances and clear:
        count = min(NUM_GLANCES, len(clear))
        clear = sorted(generator.choice(clear, count, replace=False, p=telling_shares(robot, clear)).tolist())
    renderer = CanvasRenderer(scene)
    try:
        drawn = [snapshots[index] for index in clear] if glances else snapshots
        frames = [POLICY_LAYOUT.arranged(renderer.draw(snapshot)[None])[0] for snapshot in drawn]
    finally:
        renderer.close()
    events = happenings(run, stage.kinds)
    return Episode(
        seed=seed,
        view="glance" if glances else "policy",
        fps=POLICY_FPS,
        frames=np.array(frames, np.uint8).reshape(-1, *POLICY_SIZE[::-1], 3),
        depth=None,
        segmentation=None,
        sound=None,
        things=tell_things(stage, run.poses[chosen], None),
        robot=replace(robot, chunk_starts=np.array(clear, np.int64)),
        camera=None,
        task=tell_task(run, objects, events, generator),
        events=within(events, 0.0, len(chosen) / POLICY_FPS),
        surroundings=tell_surroundings(stage),
    )


def _choose_start(run: Run, events: tuple[Event, ...], duration_s: float, generator: np.random.Generator) -> float:
    """Where a window begins; three of four show something that is worth telling."""
    last = max(0.0, run.duration_s - duration_s)
    told = [event for event in events if event.kind in _TOLD]
    if told and generator.random() < 0.75:
        event = told[int(generator.integers(len(told)))]
        middle = (event.start_s + min(event.end_s, event.start_s + duration_s)) / 2
        return float(np.clip(middle - duration_s * generator.uniform(0.3, 0.7), 0.0, last))
    return float(generator.uniform(0.0, last))


def _worded(episode: Episode, generator: np.random.Generator) -> Episode:
    return replace(
        episode,
        wordings=word_episode(episode, generator),
        questions=ask(episode, generator),
        critiques=criticise(episode, generator),
    )


def _viewpoint(view: View, stage: Stage, generator: np.random.Generator) -> Viewpoint:
    places = np.array([lies.place for lies in stage.placed])
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    spread = max(float(np.hypot(*(lies.place - middle))) + lies.half_size[0] for lies in stage.placed)
    return choose_viewpoint(view, middle, spread, generator)


def _shows_all(segmentation: NDArray[np.uint8], stage: Stage) -> bool:
    """Whether every thing is there, none is cut by the picture's edge, and none touches another of its colour."""
    edge = np.concatenate([segmentation[0], segmentation[-1], segmentation[:, 0], segmentation[:, -1]])
    masks = [(segmentation == FIRST_THING_ID + index).astype(np.uint8) for index in range(len(stage.placed))]
    if edge.max() >= FIRST_THING_ID or not all(mask.any() for mask in masks):
        return False
    grown = [cv2.dilate(mask, np.ones((5, 5), np.uint8)) for mask in masks]
    return not any(
        (grown[one] & masks[other]).any()
        for other in range(len(masks))
        for one in range(other)
        if stage.placed[one].colour == stage.placed[other].colour
    )
