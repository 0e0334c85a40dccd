"""What an FR3 would have refused: looked for in what was commanded and done, by a table and formulas of its own.

Franka Robotics, "Robot specifications: limits for the Franka Research 3" and "FCI: requirements", written down here a
second time on purpose: nothing of `robot` is imported.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LOWEST = np.array([-2.9007, -1.8361, -2.9007, -3.0770, -2.8763, 0.4398, -3.0508])
HIGHEST = np.array([2.9007, 1.8361, 2.9007, -0.1169, 2.8763, 4.6216, 3.0508])
FASTEST = np.array([2.62, 2.62, 2.62, 2.62, 5.26, 4.18, 5.26])
BRAKE_OFFSET = np.array([0.6599, 0.2517, 0.2, 0.3533, 0.5757, 0.4878, 0.4628])
BRAKE_TWICE = np.array([12.0, 5.17, 7.0, 8.0, 34.0, 11.0, 34.0])
"""FR3: upwards v <= min(fastest, -offset + sqrt(twice x (highest - q))), and mirrored."""

ACCELERATION = 10.0
"""rad/s2, every joint."""

TORQUE = np.array([87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0])
TORQUE_RATE = 1.0
"""Nm in a millisecond."""

SMOOTHED = 20
"""Commands, over which velocities and accelerations of planned motions are taken."""

MAX_LOST = 20
"""Packets in a row; then the arm stops with a communication error."""

LEAD = 0.6
"""rad, that a target may be ahead of the arm: the loop's own promise."""

PERIOD_S = 1 / 15

CAME, ANSWERS, ENDS, POSITIONS, TORQUES = 0, 1, 2, slice(3, 10), slice(10, 17)
"""Columns of a drive's commands."""


@dataclass(frozen=True)
class Drive:
    """What a simulation noted: see franka_simulation.Notes."""

    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    moving: NDArray[np.bool_]
    commands: NDArray[np.float64]

    @classmethod
    def read(cls, path: Path) -> "Drive":
        with np.load(path) as notes:
            return cls(notes["positions"], notes["velocities"], notes["moving"], notes["commands"])


def fastest_at(positions: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Down and up, positive."""
    down = np.sqrt(BRAKE_TWICE * np.maximum(positions - LOWEST, 0)) - BRAKE_OFFSET
    up = np.sqrt(BRAKE_TWICE * np.maximum(HIGHEST - positions, 0)) - BRAKE_OFFSET
    return np.clip(down, 0, FASTEST), np.clip(up, 0, FASTEST)


def judge_drive(drive: Drive) -> list[str]:
    """What was wrong, a line each; the milliseconds are the simulation's."""
    found: list[str] = []
    down, up = fastest_at(drive.positions)
    beyond = (drive.positions < LOWEST) | (drive.positions > HIGHEST)
    fast = (drive.velocities > up) | (drive.velocities < -down)
    found += [f"position beyond its limit at {ms} ms" for ms in _first(beyond.any(axis=1))]
    found += [f"velocity beyond its limit at {ms} ms" for ms in _first(fast.any(axis=1))]
    found += [f"{lost} packets lost at {ms} ms" for ms, lost in _gaps(drive) if lost > MAX_LOST]
    for motion in _motions(drive):
        found += _judge_torques(motion) if motion[:, TORQUES].any() else _judge_positions(motion)
    return found


def largest_gap(drive: Drive) -> int:
    """Packets lost in a row."""
    return max((lost for _, lost in _gaps(drive)), default=0)


def judge_targets(ticks: list[dict[str, object]]) -> list[str]:
    """The rows of fifteen a second that reached the arm, as the station told them."""
    found: list[str] = []
    last: NDArray[np.float64] | None = None
    for tick in ticks:
        if tick["executed"] is None or tick["state"] not in ("running", "holding"):
            last = None  # what moves it next begins where the arm is
            continue
        row, measured = np.array(tick["executed"])[:7], np.array(tick["joints"])
        at_s = float(str(tick["at_s"]))
        if not np.isfinite(row).all() or ((row < LOWEST) | (row > HIGHEST)).any():
            found.append(f"target beyond a limit at {at_s:.2f} s")
        if np.abs(row - measured).max() > LEAD:
            found.append(f"target {np.abs(row - measured).max():.2f} rad ahead at {at_s:.2f} s")
        origin = measured if last is None else last
        down, up = fastest_at(origin)
        if ((row - origin > up * PERIOD_S + 2e-4) | (origin - row > down * PERIOD_S + 2e-4)).any():
            found.append(f"step of {np.abs(row - origin).max():.3f} rad at {at_s:.2f} s")
        last = row
    return found


def longest_silence_s(ticks: list[dict[str, object]]) -> float:
    """The longest that a moving arm was told nothing."""
    moving = [tick["executed"] is not None and tick["state"] in ("running", "holding") for tick in ticks]
    told_s = [float(str(tick["at_s"])) for tick in ticks]
    pairs = zip(range(1, len(ticks)), range(len(ticks)), strict=False)
    return max((told_s[one] - told_s[before] for one, before in pairs if moving[one] and moving[before]), default=0.0)


def _motions(drive: Drive) -> list[NDArray[np.float64]]:
    """The commands from the beginning of a motion to its end."""
    ends = np.flatnonzero(drive.commands[:, ENDS]) + 1
    return [motion for motion in np.split(drive.commands, ends) if len(motion) > 2]


def _judge_torques(motion: NDArray[np.float64]) -> list[str]:
    at_ms, torques = motion[:, ANSWERS], motion[:, TORQUES]
    over = (np.abs(torques) > TORQUE).any(axis=1)
    apart_ms = np.maximum(np.diff(at_ms), 1)[:, None]
    jumps = (np.abs(np.diff(torques, axis=0)) > TORQUE_RATE * apart_ms + 1e-6).any(axis=1)
    found = [f"torque beyond its limit at {at_ms[index]:.0f} ms" for index in _first(over)]
    return found + [f"torque jumped at {at_ms[index + 1]:.0f} ms" for index in _first(jumps)]


def _judge_positions(motion: NDArray[np.float64]) -> list[str]:
    at_ms, wanted = motion[:-1, ANSWERS], motion[:-1, POSITIONS]
    if len(at_ms) <= 2 * SMOOTHED:
        return []
    # franky counts the time that passed, and that jitters beside a simulation: one command is two steps, the next none.
    velocities = 1000 * (wanted[SMOOTHED:] - wanted[:-SMOOTHED]) / (at_ms[SMOOTHED:] - at_ms[:-SMOOTHED])[:, None]
    apart_ms = at_ms[2 * SMOOTHED :] - at_ms[SMOOTHED:-SMOOTHED]
    accelerations = 1000 * (velocities[SMOOTHED:] - velocities[:-SMOOTHED]) / apart_ms[:, None]
    fast = (np.abs(velocities) > FASTEST).any(axis=1)
    whole = at_ms[2 * SMOOTHED :] - at_ms[: -2 * SMOOTHED] == 2 * SMOOTHED  # what the link lost is no planner's doing
    jerky = (np.abs(accelerations) > 1.2 * ACCELERATION).any(axis=1) & whole
    found = [f"commanded velocity beyond its limit at {at_ms[index]:.0f} ms" for index in _first(fast)]
    return found + [f"commanded acceleration beyond its limit at {at_ms[index]:.0f} ms" for index in _first(jerky)]


def _gaps(drive: Drive) -> list[tuple[int, int]]:
    """(ms, packets lost) wherever two commands of one motion came more than a millisecond apart."""
    found: list[tuple[int, int]] = []
    for motion in _motions(drive):
        at_ms = motion[:, CAME].astype(int)
        apart = np.diff(at_ms) - 1
        found += [(int(at_ms[index]), int(apart[index])) for index in np.flatnonzero(apart > 0)]
    return found


def _first(where: NDArray[np.bool_]) -> list[int]:
    """The first of them, and no more: one line says enough."""
    return np.flatnonzero(where)[:1].tolist()
