"""What is told of things, arm, camera and task at the frames of an episode."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pocket.world.episode import FIRST_THING_ID, Camera, Event, Robot, Surroundings, Task, Thing
from pocket.world.errands import judge
from pocket.world.instructing import instruct
from pocket.world.run import Run
from pocket.world.staging import Stage
from pocket.world.viewpoint import Viewpoint, intrinsics
from robot.objects import ObjectPose
from robot.observation import NUM_JOINTS
from robot.simulation.physics import Snapshot
from studio.panda.kinematics import locate_hand


def tell_things(stage: Stage, poses: NDArray[np.float64], segmentation: NDArray[np.uint8] | None) -> tuple[Thing, ...]:
    """The things of frames with these poses [T, N, 7], and their boxes where there is a segmentation."""
    num_frames = len(poses)
    found: list[Thing] = []
    for index, (lies, material) in enumerate(zip(stage.placed, stage.materials, strict=True)):
        boxes, visible = np.zeros((num_frames, 4), np.float32), np.zeros(num_frames, np.float32)
        if segmentation is not None:
            for frame, parts in enumerate(segmentation):
                boxes[frame], visible[frame] = _box(parts == FIRST_THING_ID + index)
        found.append(
            Thing(
                colour=lies.colour,
                shape=lies.shape,
                material=material,
                half_size=np.array(lies.half_size, np.float32),
                poses=poses[:, index].astype(np.float32),
                boxes=boxes,
                visible=visible,
            )
        )
    return tuple(found)


def _box(mask: NDArray[np.bool_]) -> tuple[NDArray[np.float32], float]:
    """x1 y1 x2 y2 on the grid of 0 to 1000, and the share of the picture."""
    columns, rows = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
    if not len(columns):
        return np.zeros(4, np.float32), 0.0
    height, width = mask.shape
    box = [columns[0] / width, rows[0] / height, (columns[-1] + 1) / width, (rows[-1] + 1) / height]
    return np.array(box, np.float32) * 1000, float(mask.mean())


def tell_robot(snapshots: list[Snapshot], targets: NDArray[np.float64], expert: NDArray[np.float64]) -> Robot:
    """The arm at these moments, and its rows [T, 8]."""
    hands = [locate_hand(snapshot.joint_positions) for snapshot in snapshots]
    assert targets.shape[1] == NUM_JOINTS + 1
    return Robot(
        joint_positions=np.array([snapshot.joint_positions for snapshot in snapshots], np.float32),
        joint_velocities=np.array([snapshot.joint_velocities for snapshot in snapshots], np.float32),
        gripper=np.array([snapshot.gripper_position for snapshot in snapshots], np.float32),
        hand_positions=np.array([hand[0] for hand in hands], np.float32),
        hand_axes=np.array([hand[1] for hand in hands], np.float32),
        targets=targets.astype(np.float32),
        expert=expert.astype(np.float32),
        chunk_starts=np.zeros(0, np.int64),
    )


def tell_camera(viewpoints: list[Viewpoint], size: tuple[int, int]) -> Camera:
    """The free camera, a viewpoint a frame."""
    return Camera(
        intrinsics=intrinsics(size).astype(np.float32),
        from_world=np.array([viewpoint.from_world for viewpoint in viewpoints], np.float32),
        motion=viewpoints[0].motion,
    )


def tell_surroundings(stage: Stage) -> Surroundings:
    """Table and light by name."""
    return Surroundings(stage.table, stage.lighting, stage.light_from)


def tell_task(
    run: Run, objects: tuple[ObjectPose, ...], events: tuple[Event, ...], generator: np.random.Generator
) -> Task:
    """What was asked for, in words, and how it ended."""
    errand = run.errand
    if errand.skill == "none":
        return Task("none", "none")
    return Task(
        errand.skill,
        judge(run, objects, events),
        errand.thing,
        errand.destination,
        instruct(errand.skill, objects, errand.thing, errand.destination, generator),
    )
