"""Which errand a run gets, from where the arm begins, what disturbs it, when it is done and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pocket.world.episode import Event, Outcome, Skill, View
from pocket.world.run import Disturbance, Run
from pocket.world.skills import Errand, choose_errand
from robot.kinematics import pointing_down, reach
from robot.objects import ObjectPose
from robot.observation import NUM_JOINTS
from robot.safety.limits import HOME
from robot.simulation.physics import Snapshot
from studio.panda.kinematics import locate_hand

CLIP_SKILLS: dict[Skill, float] = {"pick": 0.34, "place": 0.2, "stack": 0.14, "push": 0.18, "reach": 0.08, "none": 0.06}
POLICY_SKILLS: dict[Skill, float] = {"pick": 0.8, "place": 0.12, "reach": 0.08}

LIFTED_M = 0.1
"""Above where it lay: a thing that was picked up."""
AWAY_M = 0.15
"""Above the table: a hand that left."""
TUCKED_RAD = 1.45
"""How far the arm turns aside for a still that shall not show it."""


def drawn_errand(view: View, objects: Sequence[ObjectPose], generator: np.random.Generator) -> Errand:
    """An errand for a table."""
    shares = POLICY_SKILLS if view == "policy" else CLIP_SKILLS
    skill: Skill = list(shares)[int(generator.choice(len(shares), p=list(shares.values())))]
    return choose_errand(skill, objects, generator, may_fail=view == "clip")


def start_pose(view: View, generator: np.random.Generator) -> NDArray[np.float64]:
    """float64 [7], rad: at home, or somewhere above the table; beside it for most stills."""
    pose = HOME + generator.normal(0, 0.02, NUM_JOINTS)
    if view == "still":
        if generator.random() < 0.6:
            pose[0] += TUCKED_RAD * (1 if generator.random() < 0.5 else -1)
        return pose
    if generator.random() < (0.5 if view == "policy" else 0.3):
        return pose
    lowest = 0.12 if view == "policy" else 0.17
    place = generator.uniform((0.36, -0.25, lowest), (0.62, 0.25, 0.42))
    return reach(HOME, place, pointing_down(generator.uniform(-0.6, 0.6)), num_iterations=40)


def disturb(generator: np.random.Generator) -> Disturbance:
    """Some noise always, and for many runs a burst of a few ticks that throws the arm off.

    Not for most: no chunk overlaps a burst, so that of a run with an early one nothing is left of its beginning.
    """
    if generator.random() < 0.6:
        return Disturbance(noise_rad=0.006)
    first = int(generator.integers(2, 30))
    return Disturbance(
        noise_rad=0.006,
        first_tick=first,
        end_tick=first + int(generator.integers(3, 8)),
        offset_rad=generator.normal(0, 0.12, NUM_JOINTS),
        flips_gripper=bool(generator.random() < 0.25),
    )


def finish(errand: Errand, before: Sequence[ObjectPose]) -> Callable[[tuple[ObjectPose, ...], Snapshot], bool]:
    """When an errand is done, or has failed for good.

    Args:
        before: the things as they lay.
    """

    def is_done(objects: tuple[ObjectPose, ...], now: Snapshot) -> bool:
        if errand.skill == "none":
            return now.time_s > 1.5
        hand = locate_hand(now.joint_positions)[0]
        thing, lay = objects[errand.thing], before[errand.thing]
        if errand.skill == "reach":
            return float(np.linalg.norm(hand - thing.position)) < 0.03
        if errand.skill == "push":
            return _went(thing, lay) > 0.4 * errand.push_m and hand[2] > AWAY_M
        if errand.beside_m is not None:
            return now.gripper_position > 0.85 and hand[2] > AWAY_M
        rises = thing.position[2] - lay.position[2]
        if errand.drops:
            return now.gripper_position < 0.3 and rises < 0.02 and hand[2] > AWAY_M and _went(thing, lay) > 0.002
        if errand.destination is not None:
            return _is_at(thing, objects[errand.destination]) and now.gripper_position < 0.3 and hand[2] > AWAY_M
        return rises > LIFTED_M

    return is_done


def judge(run: Run, before: Sequence[ObjectPose], events: Sequence[Event]) -> Outcome:
    """How an errand ended."""
    errand = run.errand
    if errand.beside_m is not None:
        return "missed" if any(event.kind == "miss" for event in events) else "unfinished"
    mine = [event for event in events if event.things[:1] == (errand.thing,)]
    if any(event.kind == "drop" for event in mine) and errand.destination is None:
        return "dropped"
    if errand.drops:
        return "dropped" if any(event.kind == "drop" for event in mine) else "unfinished"
    was, now = before[errand.thing].position, run.poses[-1, errand.thing, :3]
    if errand.skill == "reach":
        done = any(event.kind == "reach" for event in mine)
    elif errand.skill == "push":
        done = any(event.kind == "push" for event in mine)
    elif errand.destination is not None:
        place = run.poses[-1, errand.destination, :3]
        half = before[errand.destination].half_size
        is_bowl = before[errand.destination].shape == "bowl"
        beside = float(np.hypot(*(now - place)[:2]))
        done = beside < half[0] and (is_bowl or now[2] - place[2] > half[2])
    else:
        done = now[2] - was[2] > LIFTED_M / 2
    return "succeeded" if done else "unfinished"


def _went(thing: ObjectPose, lay: ObjectPose) -> float:
    return float(np.hypot(*(thing.position - lay.position)[:2]))


def _is_at(thing: ObjectPose, place: ObjectPose) -> bool:
    return float(np.hypot(*(thing.position - place.position)[:2])) < float(place.half_size[0])
