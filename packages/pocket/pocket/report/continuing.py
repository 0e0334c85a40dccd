"""Video to video with sound: does it go on without a seam, and does it sound when something strikes?"""

from __future__ import annotations

from collections.abc import Sequence

from pocket.report.candidate import Candidate, Filmed
from pocket.report.exam import Exam, Figure, Marks, Shown
from pocket.report.likeness import filmstrip, psnr_db, steps
from pocket.report.rendering import scenes
from pocket.report.starting import filmed, told
from pocket.world.episode import SAMPLES_PER_SECOND, Episode
from studio.evaluation.onsets import apart, matched_f1, onsets

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
            found["sound_onset_f1"] = matched_f1(onsets(answer.sound, SAMPLES_PER_SECOND), apart(struck))
        return found
