"""Video to video with sound: does it go on without a seam, and does it sound when something strikes?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocket.report.candidate import Candidate, Filmed
from pocket.report.exam import Exam, Figure, Marks, Shown
from pocket.report.likeness import filmstrip, psnr_db, steps
from pocket.report.rendering import scenes
from pocket.report.starting import filmed, told
from pocket.world.episode import SAMPLES_PER_SECOND, Episode

HOP = 240
"""Samples of a window: 5 ms."""

ABOVE_HZ = 4000.0
"""What is listened to: the click of an impact. The third harmonic of a gripper that closes fast reaches 3.3 kHz."""

RISES_BY, TIMES = 0.004, 2.0
"""Root mean square of full scale by which an impact is louder than the 30 ms before it, and how many times as loud.
Of sixteen rendered clips that finds the impacts with an F1 of 0.86; from 1.5 kHz on it would be 0.6."""

AT_LEAST_APART_S = 0.06
WITHIN_S = 0.05
"""How far an onset may be from its impact: half of a frame at 10 a second."""

_BEFORE = 6

Sound = NDArray[np.floating[Any]]


def loudness(sound: Sound) -> NDArray[np.float64]:
    """Root mean square of windows of 5 ms, both channels, of what is above ``ABOVE_HZ``; float64 [n]."""
    mono = sound.astype(np.float64).mean(axis=0)
    # Mirrored, so that the end does not click against the beginning.
    spectrum = np.fft.rfft(np.concatenate([mono, mono[::-1]]))
    spectrum[: round(ABOVE_HZ * 2 * len(mono) / SAMPLES_PER_SECOND)] = 0
    high = np.fft.irfft(spectrum, 2 * len(mono))[: len(mono)]
    return np.sqrt((high[: len(high) // HOP * HOP].reshape(-1, HOP) ** 2).mean(axis=1))


def apart(times_s: Sequence[float]) -> list[float]:
    """Times that rise, without those that are too near to the one before to be heard apart."""
    found: list[float] = []
    for at_s in times_s:
        if not found or at_s - found[-1] > AT_LEAST_APART_S:
            found.append(float(at_s))
    return found


def onsets(sound: Sound) -> list[float]:
    """Seconds at which something strikes, of a sound [2, S]."""
    levels = loudness(sound)
    before = np.array([levels[max(0, at - _BEFORE) : at].mean() if at else levels[0] for at in range(len(levels))])
    rises = np.where(levels > TIMES * before, levels - before, 0.0)
    return apart([float(at) * HOP / SAMPLES_PER_SECOND for at in np.flatnonzero(rises > RISES_BY)])


def matched_f1(found: Sequence[float], wanted: Sequence[float], within_s: float = WITHIN_S) -> float:
    """F1 of times that are paired one to one, the nearest first, within a tolerance; 1 where both are empty."""
    if not found or not wanted:
        return float(not found and not wanted)
    pairs = sorted((abs(one - other), i, j) for i, one in enumerate(found) for j, other in enumerate(wanted))
    taken: set[tuple[str, int]] = set()
    num_paired = 0
    for apart_s, i, j in pairs:
        if apart_s <= within_s and ("found", i) not in taken and ("wanted", j) not in taken:
            taken |= {("found", i), ("wanted", j)}
            num_paired += 1
    return 2 * num_paired / (len(found) + len(wanted))


NUM_GIVEN = 5
"""Frames: two latent ones, as a request keeps them unless it says otherwise."""

AUDIBLE_NS = 0.004
"""What captions call a sound, see `pocket.world.telling`."""

LEAST_STEP = 0.3
"""Grey levels: noise of a clip in which nothing moves, so that its seam is not divided by nothing."""


class Continuing(Exam[Episode, Filmed]):
    """The first five frames of a held-out clip and its description, with sound; clips in which something strikes count
    for the onsets."""

    name = "v2v"
    figures = (
        Figure("v2v_kept_psnr_db", "V2V: the given five frames, PSNR in dB", "mean", digits=1),
        Figure("v2v_next_psnr_db", "V2V: the four frames after them, PSNR in dB", "mean", digits=1),
        Figure("v2v_seam", "V2V: change at the seam, by the mean change before it", "median", higher=False),
        Figure("sound_onset_f1", "sound: onsets within 50 ms of the rendered impacts, F1", "mean"),
    )
    ceiling_is = "the rendered video and its sound"
    chance_is = "the given frames, then another scene's video and sound"
    view = "clip"

    def tasks(self, count: int, seed: int) -> Sequence[Episode]:
        """Clips."""
        return scenes("clip", count, seed)

    def ask(self, candidate: Candidate, task: Episode) -> Filmed:
        """Its continuation."""
        given = task.frames[:NUM_GIVEN]
        return candidate.film(told(task), given, len(task.frames), task.fps, task.seed, sound=True)

    def truth(self, task: Episode) -> Filmed:
        """The rendered one."""
        return filmed(task)

    def ignorant(self, task: Episode, other: Episode) -> Filmed:
        """A cut to something else."""
        frames = other.frames.copy()
        frames[:NUM_GIVEN] = task.frames[:NUM_GIVEN]
        return Filmed(frames, float(task.fps), other.sound)

    def show(self, task: Episode, answer: Filmed) -> Shown:
        """The clip, then the rendered one."""
        return Shown(filmstrip(answer.frames) + filmstrip(task.frames), (told(task),))

    def mark(self, task: Episode, answer: Filmed) -> Marks:
        """Pictures against the rendered ones, sound against the impacts."""
        changes = steps(answer.frames)
        usual = max(float(changes[: NUM_GIVEN - 1].mean()), LEAST_STEP)
        found = {
            "v2v_kept_psnr_db": psnr_db(answer.frames[:NUM_GIVEN], task.frames[:NUM_GIVEN]),
            "v2v_next_psnr_db": psnr_db(
                answer.frames[NUM_GIVEN : NUM_GIVEN + 4], task.frames[NUM_GIVEN : NUM_GIVEN + 4]
            ),
            "v2v_seam": float(changes[NUM_GIVEN - 1]) / usual,
        }
        if answer.sound is None:
            return found
        struck = [event.start_s for event in task.events if event.kind == "impact" and event.strength > AUDIBLE_NS]
        if struck:
            found["sound_onset_f1"] = matched_f1(onsets(answer.sound), apart(struck))
        return found
