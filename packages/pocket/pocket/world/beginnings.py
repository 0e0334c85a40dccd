"""Beginnings: one look at a table, and of every errand that it allows what the arm does first.

A whole run shows one table and one errand; most of its moments follow from where the arm already goes. What a policy
has to learn from pictures alone, where the thing is that was named, it learns from tables: a beginning costs a quarter
of a run, and gives each table an errand for every thing on it, in several choices of colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pocket.world.episode import POLICY_FPS, POLICY_ROWS, Episode
from pocket.world.errands import drawn_errand, start_pose
from pocket.world.making import USUAL, Settings, arm_of
from pocket.world.measuring import tell_robot, tell_surroundings, tell_task, tell_things
from pocket.world.policy_view import POLICY_LAYOUT
from pocket.world.run import SNAPSHOTS_PER_SECOND, Run, perform
from pocket.world.skills import Errand
from pocket.world.staging import Stage, set_stage
from robot.objects import ObjectPose
from robot.simulation.arrangement import COLOURS, Placed
from robot.simulation.physics import Physics
from robot.simulation.renderer import CanvasRenderer
from robot.simulation.scene import furnish

SEED_NUMBER = 4
"""Part of the seed, as those of `pocket.world.making` are."""

NUM_COLOURINGS = 4
"""Drawing a table anew takes a sixth of what performing its errands does; what the arm does stays the same."""


def make_beginnings(seed: int, settings: Settings = USUAL) -> list[Episode]:
    """The beginnings of a table: always the same on one machine.

    Returns:
        Glances of ``POLICY_ROWS`` + 1 ticks whose one frame is the first: of each of ``NUM_COLOURINGS`` one for every
        thing that can be picked up, and one more where an errand of another kind was drawn. Those of one colouring
        share their frame. None where the simulation lost its balance.

    Raises:
        NotInstalled: there is no OpenGL that draws without a screen.
    """
    generator = np.random.default_rng([seed, SEED_NUMBER])
    stage = set_stage("policy", generator)
    physics = Physics(furnish(arm_of(settings), stage.kinds, stage.look), placed=stage.placed)
    pose = start_pose("policy", generator)
    physics.lay(stage.placed, pose)
    objects = physics.object_poses()
    runs = [_begin(physics, stage, pose, errand, generator) for errand in _errands(objects, generator)]
    steady = [run for run in runs if run is not None]
    if not steady:
        return []
    renderer = CanvasRenderer(physics.scene)
    try:
        return [
            episode
            for placed in _colourings(stage.placed, generator)
            for episode in _drawn(seed, replace(stage, placed=placed), physics, steady, renderer, generator)
        ]
    finally:
        renderer.close()


def _errands(objects: Sequence[ObjectPose], generator: np.random.Generator) -> list[Errand]:
    found = [Errand("pick", index) for index, thing in enumerate(objects) if thing.shape != "bowl"]
    other = drawn_errand("policy", objects, generator)
    return found if other.skill == "pick" else [*found, other]


def _begin(
    physics: Physics, stage: Stage, pose: NDArray[np.float64], errand: Errand, generator: np.random.Generator
) -> Run | None:
    physics.lay(stage.placed, pose)
    return perform(
        physics,
        errand,
        generator,
        is_done=lambda objects, now: False,
        linger_s=0.0,
        limit_s=POLICY_ROWS / POLICY_FPS,
        measures_steps=False,
    )


def _colourings(placed: Sequence[Placed], generator: np.random.Generator) -> Iterator[tuple[Placed, ...]]:
    """As the things are, then in any colours."""
    yield tuple(placed)
    for _ in range(NUM_COLOURINGS - 1):
        colours = generator.permutation(list(COLOURS))[: len(placed)]
        yield tuple(replace(lies, colour=str(colour)) for lies, colour in zip(placed, colours, strict=True))


def _drawn(
    seed: int,
    stage: Stage,
    physics: Physics,
    runs: Sequence[Run],
    renderer: CanvasRenderer,
    generator: np.random.Generator,
) -> Iterator[Episode]:
    # Laying things gives them their colours too; where everything was is what a snapshot holds.
    physics.lay(stage.placed)
    objects = physics.object_poses()
    frame = POLICY_LAYOUT.arranged(renderer.draw(runs[0].snapshots[0])[None])
    every = SNAPSHOTS_PER_SECOND // POLICY_FPS
    for run in runs:
        yield Episode(
            seed=seed,
            view="glance",
            fps=POLICY_FPS,
            frames=frame,
            depth=None,
            segmentation=None,
            sound=None,
            things=tell_things(stage, run.poses[::every], None),
            robot=replace(
                tell_robot(list(run.snapshots[::every]), run.targets[::every], run.expert[::every]),
                chunk_starts=np.zeros(1, np.int64),
            ),
            camera=None,
            task=tell_task(run, objects, (), generator),
            surroundings=tell_surroundings(stage),
        )
