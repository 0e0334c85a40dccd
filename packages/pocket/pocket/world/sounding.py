"""What is heard of a run: motors that hum with their speed, impacts that ring as their material does, slides.

Everything follows from what was measured at 500 Hz, so that every onset is within 2 ms of its cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocket.world.episode import SAMPLES_PER_SECOND, Event
from pocket.world.run import TABLE, Run
from pocket.world.viewpoint import FIELD_OF_VIEW, Viewpoint
from robot.observation import NUM_JOINTS
from robot.simulation.arrangement import Placed
from robot.simulation.scene import STEP_S
from studio.panda.kinematics import locate_hand


@dataclass(frozen=True)
class Ring:
    """How a material sounds when struck: damped sines.

    Attributes:
        pitches: Hz, of a thing 44 mm wide.
        decays: s, to 1/e.
        slide_hz: middle of the band that sliding sounds in.
    """

    pitches: tuple[float, ...]
    decays: tuple[float, ...]
    loudness: float
    slide_hz: float


RINGS = {
    "matte": Ring((430.0, 960.0, 1610.0), (0.030, 0.020, 0.012), 1.0, 700.0),
    "glossy": Ring((1050.0, 2300.0, 3700.0), (0.055, 0.035, 0.022), 0.9, 1500.0),
    "metal": Ring((1480.0, 3710.0, 6050.0, 8900.0), (0.34, 0.26, 0.17, 0.10), 0.8, 3200.0),
}
TABLE_RING = Ring((118.0, 205.0, 340.0), (0.060, 0.045, 0.030), 0.8, 500.0)

JOINT_BASE_HZ = (70.0, 78.0, 86.0, 94.0, 118.0, 130.0, 146.0)
JOINT_HZ_PER_SPEED = (260.0, 280.0, 300.0, 320.0, 380.0, 400.0, 430.0)
"""At rest, and for every rad/s: the small motors of the wrist are higher."""
GRIPPER_HZ, GRIPPER_HZ_PER_SPEED = 320.0, 260.0

HUM_LOUDNESS, IMPACT_LOUDNESS, SLIDE_LOUDNESS, ROOM_LOUDNESS = 0.05, 3.5, 0.16, 0.0006
"""Of full scale: for 1 rad/s, for 1 N·s, for 1 m/s under 1 N, always."""

_RING_S = 1.0
_FULL_AT_M = 0.6
"""Where the camera's ear hears things at the loudness above; twice as far, half as loud."""


@dataclass(frozen=True)
class Ear:
    """Where things are heard from: the first frame's camera."""

    viewpoint: Viewpoint

    def gains(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64 [2, …] for places [..., 3] in m: louder on the side where it is seen, and nearby."""
        matrix = self.viewpoint.from_world
        seen = places @ matrix[:3, :3].T + matrix[:3, 3]
        depth = np.maximum(seen[..., 2], 0.05)
        side = np.clip(seen[..., 0] / depth / np.tan(np.radians(FIELD_OF_VIEW) / 2), -1, 1)
        angle = (side + 1) * np.pi / 4
        return np.stack([np.cos(angle), np.sin(angle)]) * np.sqrt(2) * (_FULL_AT_M / np.maximum(depth, 0.2))


def hear(
    run: Run,
    placed: Sequence[Placed],
    materials: Sequence[str],
    struck: Sequence[Event],
    ear: Ear,
    start_s: float,
    num_samples: int,
    generator: np.random.Generator,
) -> NDArray[np.float16]:
    """The sound of a window of a run.

    Args:
        placed, materials: of the things.
        struck: impacts of the whole run; what rang before the window still rings in it.
        start_s: of the window.
        num_samples: of the window, at ``SAMPLES_PER_SECOND``.

    Returns:
        float16 [2, num_samples], -1 to 1.
    """
    times = start_s + np.arange(num_samples) / SAMPLES_PER_SECOND
    sound = generator.normal(0, ROOM_LOUDNESS, (2, num_samples))
    sound += _hum(run, times, ear)
    for event in struck:
        first = round((event.start_s - start_s) * SAMPLES_PER_SECOND)
        if -_RING_S * SAMPLES_PER_SECOND < first < num_samples:
            _add(sound, _strike(event, placed, materials, generator), first, ear.gains(_place_of(run, event)))
    for thing in range(run.things.shape[1]):
        sound += _slide(run, thing, materials[thing], times, ear, generator)
    return np.tanh(sound).astype(np.float16)


def _hum(run: Run, times: NDArray[np.float64], ear: Ear) -> NDArray[np.float64]:
    steps = np.arange(len(run.joint_speeds)) * STEP_S
    hand = locate_hand(run.snapshots[len(run.snapshots) // 2].joint_positions)[0]
    total = np.zeros(len(times))
    for joint in range(NUM_JOINTS + 1):
        # 20 ms: gears do not follow every jolt.
        smooth = np.convolve(np.abs(run.joint_speeds[:, joint]), np.full(10, 0.1), mode="same")
        speed = np.interp(times, steps, smooth)
        is_gripper = joint == NUM_JOINTS
        rest_hz = GRIPPER_HZ if is_gripper else JOINT_BASE_HZ[joint]
        per_speed = GRIPPER_HZ_PER_SPEED if is_gripper else JOINT_HZ_PER_SPEED[joint]
        phase = 2 * np.pi * np.cumsum(rest_hz + per_speed * speed) / SAMPLES_PER_SECOND
        loudness = HUM_LOUDNESS * np.minimum(speed, 3.0) ** 0.8 * (0.5 if is_gripper else 1.0)
        total += loudness * (np.sin(phase) + 0.5 * np.sin(2 * phase) + 0.22 * np.sin(3 * phase + 0.5))
    return ear.gains(hand)[:, None] * total


def _strike(
    event: Event, placed: Sequence[Placed], materials: Sequence[str], generator: np.random.Generator
) -> NDArray[np.float64]:
    """float64 [n]: everything that takes part rings; without another thing it is the table or the arm."""
    times = np.arange(round(_RING_S * SAMPLES_PER_SECOND)) / SAMPLES_PER_SECOND
    loudness = IMPACT_LOUDNESS * min(event.strength, 0.12)
    wave = np.zeros(len(times))
    for thing in event.things:
        wave += _ring(RINGS[materials[thing]], 0.022 / placed[thing].half_size[0], times)
    if len(event.things) == 1:
        wave += _ring(TABLE_RING, 1.0, times)
    click = generator.normal(0, 0.5, len(times)) * np.exp(-times / 0.0012)
    return loudness * (wave + click)


def _ring(ring: Ring, higher: float, times: NDArray[np.float64]) -> NDArray[np.float64]:
    wave = np.zeros(len(times))
    for order, (pitch, decay) in enumerate(zip(ring.pitches, ring.decays, strict=True)):
        wave += np.exp(-times / decay) * np.sin(2 * np.pi * pitch * higher * times) / (1 + order)
    return ring.loudness * wave


def _slide(
    run: Run, thing: int, material: str, times: NDArray[np.float64], ear: Ear, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Noise in the material's band, as loud as it slides fast on the table; what rolls does not slide."""
    touches = run.touches
    mine = (touches.owners == (TABLE, thing)).all(axis=1) if len(touches.owners) else np.zeros(0, bool)
    if not mine.any():
        return np.zeros((2, len(times)))
    steps = touches.steps[mine]
    state = run.things[steps, thing]
    arms = touches.positions[mine] - state[:, :3]
    slip = np.linalg.norm((state[:, 3:6] + np.cross(state[:, 6:9], arms))[:, :2], axis=1)
    loud = np.zeros(len(run.things))
    heard = np.where(slip > 0.01, slip * np.sqrt(np.maximum(touches.forces[mine], 0.0)), 0.0)
    np.add.at(loud, steps, heard)
    envelope = np.interp(times, np.arange(len(loud)) * STEP_S, np.convolve(loud, np.full(8, 1 / 8), mode="same"))
    if envelope.max() < 1e-4:
        return np.zeros((2, len(times)))
    middle = RINGS[material].slide_hz
    spectrum = np.fft.rfft(generator.normal(0, 1, len(times)))
    pitches = np.fft.rfftfreq(len(times), 1 / SAMPLES_PER_SECOND)
    noise = np.fft.irfft(spectrum * np.exp(-0.5 * (np.log(np.maximum(pitches, 1.0) / middle) / 0.6) ** 2), len(times))
    noise /= noise.std() + 1e-9
    place = run.things[int(np.argmax(loud)), thing, :3]
    return ear.gains(place)[:, None] * (SLIDE_LOUDNESS * np.minimum(envelope, 1.0) * noise)


def _place_of(run: Run, event: Event) -> NDArray[np.float64]:
    step = min(len(run.things) - 1, round(event.start_s / STEP_S))
    return run.things[step, event.things[0], :3]


def _add(sound: NDArray[np.float64], wave: NDArray[np.float64], first: int, gains: NDArray[np.float64]) -> None:
    begin, end = max(0, first), min(sound.shape[1], first + len(wave))
    if end > begin:
        sound[:, begin:end] += gains[:, None] * wave[begin - first : end - first]
