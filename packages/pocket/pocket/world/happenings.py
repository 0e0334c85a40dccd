"""What happened in a run, read off what was measured: grasps, lifts, pushes, drops, impacts, each with its time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pocket.world.episode import Event, EventKind
from pocket.world.run import LEFT_FINGER, RIGHT_FINGER, SNAPSHOTS_PER_SECOND, Run
from robot.evaluation.watch import LIFT_BEGINS_M, LIFTED_M, NEAR_M
from robot.simulation.scene import STEP_S, ThingKind
from studio.panda.kinematics import locate_hand

FAR_M = 0.12
"""Between pads and thing: from where on a reach is told."""

DROPPED_M = 0.03
"""Less is put down; into a bowl or onto another thing everything is."""
MOVES_AT = 0.025
"""m/s: a thing that is pushed."""
RESTS_AT = 0.015
"""m/s."""
PUSHED_M = 0.015
"""How far, at least, so that it is worth telling."""
SILENT_NS = 0.0012
"""N·s: an impact that is weaker is not heard."""
TOPPLED = np.cos(np.pi / 4)

HOLDS_BELOW = 0.85
"""Of the gripper's way to closed: 13 mm and more between the pads."""

_APART_S = 0.03
"""Two contacts of one pair with less between them are one."""
_SETTLES_S = 0.024


def happenings(run: Run, kinds: Sequence[ThingKind]) -> tuple[Event, ...]:
    """Everything of a run, by its start; times in s of the run.

    Args:
        run: what was measured.
        kinds: of the things.
    """
    events: list[Event] = []
    for thing in range(run.things.shape[1]):
        left, right = _touching(run, LEFT_FINGER, thing), _touching(run, RIGHT_FINGER, thing)
        held = stretches(left & right & ~_closed(run), shortest=75, longest_gap=40)
        for first, end in held:
            events += _holding(run, thing, first, end, left | right)
        events += _pushes(run, thing, left | right, held)
        if kinds[thing].shape != "ball":
            events += _topples(run, thing)
    events += _reaches(run)
    events += _misses(run, [event for event in events if event.kind == "grasp"])
    events += impacts(run, kinds)
    return tuple(sorted(events, key=lambda event: (event.start_s, event.kind)))


def within(events: Sequence[Event], start_s: float, duration_s: float) -> tuple[Event, ...]:
    """The events of a window, in its own time and cut to it. An end is kept only where it is seen: what is cut off
    ends with the window."""
    seen: list[Event] = []
    for event in events:
        if event.end_s >= start_s and event.start_s < start_s + duration_s:
            begins = max(0.0, event.start_s - start_s)
            ends = min(duration_s, event.end_s - start_s)
            seen.append(replace(event, start_s=float(begins), end_s=float(ends)))
    return tuple(seen)


def stretches(mask: NDArray[np.bool_], shortest: int, longest_gap: int) -> list[tuple[int, int]]:
    """First and one past the last index of every stretch, over gaps; `[0,1,1,0,1]` without gaps is (1, 3), (4, 5)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    found: list[tuple[int, int]] = []
    for first, end in zip(edges[::2], edges[1::2], strict=True):
        if found and first - found[-1][1] <= longest_gap:
            found[-1] = (found[-1][0], int(end))
        else:
            found.append((int(first), int(end)))
    return [(first, end) for first, end in found if end - first >= shortest]


def impacts(run: Run, kinds: Sequence[ThingKind]) -> list[Event]:
    """What struck what. The strength is the thing's change of momentum, what gravity did left out."""
    touches, found = run.touches, []
    num_steps = len(run.things)
    apart, settles = round(_APART_S / STEP_S), round(_SETTLES_S / STEP_S)
    for pair in np.unique(touches.owners, axis=0) if len(touches.owners) else []:
        thing = int(pair[1])
        if thing < 0:
            continue
        steps = np.unique(touches.steps[(touches.owners == pair).all(axis=1)])
        begins = steps[np.diff(steps, prepend=-apart - 1) > apart]
        for step in begins:
            before, after = max(0, step - 1), min(num_steps - 1, step + settles)
            change = run.things[after, thing, 3:6] - run.things[before, thing, 3:6]
            strength = kinds[thing].mass_kg * float(np.linalg.norm(change))
            if strength > SILENT_NS:
                others = (int(pair[0]),) if pair[0] >= 0 else ()
                at_s = float(step * STEP_S)
                found.append(Event("impact", at_s, at_s, (thing, *others), strength))
    return found


def _closed(run: Run) -> NDArray[np.bool_]:
    """bool [s]: whether the fingers are together, as for a push: what both touch then is not held."""
    at_s = np.arange(len(run.snapshots)) / SNAPSHOTS_PER_SECOND
    gripper = [snapshot.gripper_position for snapshot in run.snapshots]
    return np.interp(np.arange(len(run.things)) * STEP_S, at_s, gripper) > HOLDS_BELOW


def _touching(run: Run, one: int, other: int) -> NDArray[np.bool_]:
    """bool [s]."""
    touched = np.zeros(len(run.things), bool)
    if len(run.touches.owners):
        touched[run.touches.steps[(run.touches.owners == sorted((one, other))).all(axis=1)]] = True
    return touched


def _holding(run: Run, thing: int, first: int, end: int, touched: NDArray[np.bool_]) -> list[Event]:
    """Grasp, lift and what became of it, of one stretch in which both fingers touch a thing."""
    before = np.flatnonzero(~touched[max(0, first - 150) : first])
    closes = max(0, first - 150) + int(before[-1]) if len(before) else first
    events = [_event("grasp", closes, first + 40, thing)]
    heights = run.things[:, thing, 2]
    above = heights[first:end] - heights[first]
    if above.max() > LIFTED_M:
        begins = first + int(np.argmax(above > LIFT_BEGINS_M))
        events.append(_event("lift", begins, first + int(np.argmax(above > LIFTED_M)), thing))
    if end >= len(heights) - 10:
        return events
    last = len(heights) - 1
    rested = np.flatnonzero(np.linalg.norm(run.things[end:, thing, 3:6], axis=1) < RESTS_AT)
    rest = end + int(rested[0]) if len(rested) else None
    below = None if rest is None else _below(run, thing, min(rest + 5, last))
    struck = _first_support(run, thing, end)
    landed = last if struck is None else struck
    if heights[end] - heights[landed] > DROPPED_M and below is None:
        return [*events, _event("drop", end, landed, thing)]
    events.append(_event("release", max(0, end - 30), end, thing))
    if above.max() > LIFTED_M and rest is not None:
        kind = "stack" if below is not None and run.errand.skill == "stack" else "place"
        # From the way down on.
        put = _event(kind, max(first, end - 200), rest, thing)
        events.append(put if below is None else replace(put, things=(thing, below)))
    return events


def _first_support(run: Run, thing: int, step: int) -> int | None:
    """The first step from ``step`` on at which table or another thing touches it."""
    touches = run.touches
    mine = (touches.owners == thing).any(axis=1) & (touches.steps >= step)
    by_fingers = np.isin(touches.owners, (LEFT_FINGER, RIGHT_FINGER)).any(axis=1)
    found = touches.steps[mine & ~by_fingers]
    return int(found[0]) if len(found) else None


def _below(run: Run, thing: int, step: int) -> int | None:
    """The other thing that it touches then and that is lower."""
    touches = run.touches
    around = (touches.steps >= step - 10) & (touches.steps <= step + 10)
    for pair in touches.owners[around & (touches.owners == thing).any(axis=1)]:
        other = int(pair[0] if pair[1] == thing else pair[1])
        if other >= 0 and run.things[step, other, 2] < run.things[step, thing, 2] + 0.01:
            return other
    return None


def _pushes(run: Run, thing: int, touched: NDArray[np.bool_], held: list[tuple[int, int]]) -> list[Event]:
    free = np.ones(len(touched), bool)
    for first, end in held:
        free[max(0, first - 200) : end + 100] = False
    moves = np.linalg.norm(run.things[:, thing, 3:5], axis=1) > MOVES_AT
    found: list[Event] = []
    for first, end in stretches(touched & moves & free, shortest=10, longest_gap=100):
        way = run.things[end - 1, thing, :2] - run.things[first, thing, :2]
        if float(np.hypot(*way)) > PUSHED_M:
            found.append(_event("push", first, end - 1, thing))
    return found


def _topples(run: Run, thing: int) -> list[Event]:
    """A thing whose upright axis was upright and lies."""
    x, y = run.poses[:, thing, 4], run.poses[:, thing, 5]
    upright = 1 - 2 * (x * x + y * y)
    fell = np.flatnonzero(upright < TOPPLED)
    if not len(fell) or upright[0] < TOPPLED:
        return []
    at_s = float(fell[0] / SNAPSHOTS_PER_SECOND)
    return [Event("topple", max(0.0, at_s - 0.15), at_s + 0.1, (thing,))]


def _reaches(run: Run) -> list[Event]:
    """Of the errand's thing: from far to near, the last time before it first was near."""
    if run.errand.skill == "none" or not run.things.shape[1]:
        return []
    hands = np.array([locate_hand(snapshot.joint_positions)[0] for snapshot in run.snapshots])
    apart = np.linalg.norm(hands - run.poses[:, run.errand.thing, :3], axis=1)
    near = np.flatnonzero(apart < NEAR_M)
    if not len(near):
        return []
    far = np.flatnonzero(apart[: near[0]] > FAR_M)
    start = far[-1] if len(far) else 0
    return [
        Event("reach", float(start / SNAPSHOTS_PER_SECOND), float(near[0] / SNAPSHOTS_PER_SECOND), (run.errand.thing,))
    ]


def _misses(run: Run, grasps: Sequence[Event]) -> list[Event]:
    """The fingers go from open to closed and nothing is between them; a push begins with closed fingers on purpose."""
    if run.errand.skill == "push":
        return []
    closed = np.array([snapshot.gripper_position for snapshot in run.snapshots])
    found: list[Event] = []
    for index in np.flatnonzero((closed[:-1] < 0.85) & (closed[1:] >= 0.85)):
        opened = np.flatnonzero(closed[:index] < 0.1)
        start = float((opened[-1] if len(opened) else index) / SNAPSHOTS_PER_SECOND)
        end = float((index + 1) / SNAPSHOTS_PER_SECOND)
        if not any(event.start_s < end and event.end_s > start - 0.2 for event in grasps):
            found.append(Event("miss", start, end, (run.errand.thing,)))
    return found


def _event(kind: EventKind, first: int, last: int, thing: int) -> Event:
    return Event(kind, first * STEP_S, max(first, last) * STEP_S, (thing,))
