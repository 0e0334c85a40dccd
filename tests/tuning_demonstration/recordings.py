"""Ten recordings in which the shipped policy fails at first and a person, here the scripted policy, takes over.

Each is recorded by the Robot page's own writer while the robot's loop runs on a simulated clock. What came before the
correction is recorded too, and left out of the training by `meta/keep_ranges.json`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import Engine
from robot.cameras.simulated import SteppedCameras
from robot.evaluation.late_policy import LatePolicy, TurnedClock
from robot.evaluation.scenes import FIRST_SCENE, INSTRUCTIONS, NUM_NAMED, TableTask
from robot.evaluation.stepped import drive_stepped
from robot.evaluation.watch import HELD_TICKS, Watch
from robot.observation import Observation
from robot.recording import Dataset
from robot.recording.features import VIDEOS, Frame
from robot.scripted.policy import plan
from robot.simulation.arrangement import arrange
from robot.simulation.world import World
from robot.tick_report import TickReport
from tuning.policy.trying import ANSWERS_AFTER_S, EnginePolicy
from tuning_demonstration.setting import NEW

NUM_RECORDINGS = 10
FIRST_RECORDED = 900_000_000
"""Seed of the tables that are recorded; those that are tried begin at ``FIRST_SCENE``."""

TAKEN_OVER_AT = (4, 8, 12)
"""Ticks at which a person has seen enough, in turn."""

HELD_AFTERWARDS = 26
"""Ticks that the lifted thing is held, so that there are windows of 33 frames that show how it is lifted."""

DEFAULTS: dict[str, Any] = {
    "resolution": "256",
    "sampling": {"num_inference_steps": 4, "guidance_scale": 1.0, "flow_shift": 5.0},
}
"""Of a policy's requests, as the pocket's preset has them."""


def tasks(num: int, first: int, *, is_new: bool) -> list[TableTask]:
    """Tables with a thing of the new colour, which is asked for; or without it, any thing of which is."""
    found: list[TableTask] = []
    for scene in count(first):
        placed = arrange(scene)[:NUM_NAMED]
        new = [index for index, lies in enumerate(placed) if lies.colour == NEW]
        if len(found) == num:
            break
        if bool(new) == is_new:
            thing = new[0] if new else int(np.random.default_rng(scene).integers(NUM_NAMED))
            lies = placed[thing]
            words = INSTRUCTIONS["default"].format(colour=lies.colour, shape=lies.shape)
            found.append(TableTask(scene, thing, words))
    return found


def held_out(num: int, *, is_new: bool) -> list[TableTask]:
    """Tables that nobody has recorded."""
    return tasks(num, FIRST_SCENE, is_new=is_new)


class Corrected:
    """Decides as the shipped policy does, until a person takes over.

    Attributes:
        taken_over: at this tick.
    """

    def __init__(self, shipped: EnginePolicy, cameras: SteppedCameras, taken_over: int) -> None:
        self._shipped, self._cameras, self.taken_over = shipped, cameras, taken_over

    def __call__(self, seen: Observation) -> NDArray[np.float64]:
        """Rows for what is seen."""
        if seen.tick >= self.taken_over:
            return plan(seen.state.joint_positions, seen.state.gripper_position, seen.prompt, seen.objects)
        return self._shipped.decide(replace(seen, views=self._cameras.views()))


def write_recordings(folder: Path, checkpoint: Path) -> int:
    """Record, and say which frames are kept; returns how many tables it took to come to ten that end well."""
    clock = TurnedClock()
    world = World(clock=clock)
    cameras = SteppedCameras(world)
    shipped = EnginePolicy(Engine.load(checkpoint, device="cpu"), DEFAULTS)
    keeps: dict[str, list[tuple[int, int]]] = {}
    num_tables = 0
    try:
        with Dataset(folder, "panda") as dataset:
            for task in tasks(4 * NUM_RECORDINGS, FIRST_RECORDED, is_new=True):
                num_tables += 1
                shipped.begin()
                decide = Corrected(shipped, cameras, TAKEN_OVER_AT[num_tables % len(TAKEN_OVER_AT)])
                frames, kept_from, is_lifted = _record(world, clock, cameras, task, decide)
                if not is_lifted:
                    continue
                writer = dataset.begin(task.instruction)
                for frame in frames:
                    writer.add(frame)
                notes = {"ended": "ready", "success": True, "run": {"mode": "live"}, "events": []}
                keeps[str(dataset.commit(writer, task.instruction, notes))] = [(kept_from, len(frames))]
                if len(keeps) == NUM_RECORDINGS:
                    break
    finally:
        cameras.close()
    (folder / "meta" / "keep_ranges.json").write_text(json.dumps(keeps))
    return num_tables


def _record(
    world: World, clock: TurnedClock, cameras: SteppedCameras, task: TableTask, decide: Corrected
) -> tuple[list[Frame], int, bool]:
    """Frames, the first that is the person's, and whether the thing was lifted in the end."""
    world.reset(task.scene)
    watch = Watch(world.object_poses(), task.thing, HELD_TICKS + HELD_AFTERWARDS)
    frames: list[Frame] = []
    begun_s = clock.now()
    corrected_at: list[int] = []

    def note(report: TickReport) -> None:
        if report.answered is not None and report.answered.tick >= decide.taken_over and not corrected_at:
            corrected_at.append(len(frames))
        if report.state is None or report.executed is None or report.executed.stop is not None:
            return
        views = cameras.views()
        frames.append(
            Frame(
                at_s=report.tick.began_s - begun_s,
                lateness_s=0.0,
                epoch=report.session.epoch,
                state=np.append(report.state.joint_positions, report.state.gripper_position),
                action=report.executed.row,
                wanted=report.wanted if report.wanted is not None else report.executed.row,
                clamped=report.executed.clamps.joints,
                views=dict(zip(VIDEOS, (views.wrist, views.exterior_1, views.exterior_2), strict=True)),
            )
        )

    late = LatePolicy(clock, decide, ANSWERS_AFTER_S)
    drive_stepped(world, clock, late, task.instruction, watch, listeners=[note])
    return frames, corrected_at[0] if corrected_at else 0, watch.lifted and not watch.wrong_lifted
