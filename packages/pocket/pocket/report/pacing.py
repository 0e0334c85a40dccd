"""How long a chunk takes on this machine, before anything else runs: what the closed loop makes its answers wait."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from pocket.report.candidate import ANSWERS_AFTER_S, Candidate
from pocket.report.exam import Exam, Figure, Marks
from robot.loop.loop import PERIOD_S
from robot.observation import EXTERIOR_SIZE, NUM_JOINTS, WRIST_SIZE

CANVAS = (WRIST_SIZE[1] + EXTERIOR_SIZE[1], WRIST_SIZE[0], 3)
"""The robot's: [height, width, colours]."""


class Pacing(Exam[int, float | None]):
    """Chunks for pictures of noise, one after the other, with the two threads that the engine takes."""

    name = "chunk"
    figures = (
        Figure(
            "policy_chunk_s",
            "policy: seconds per chunk here, with nothing else running",
            "median",
            higher=False,
            bar=0.5,
            has_chance=False,
        ),
    )
    ceiling_is = ""
    chance_is = ""
    alone = True

    def tasks(self, count: int, seed: int) -> Sequence[int]:
        """Seeds, and one that only warms up."""
        return range(-1, count)

    def ask(self, candidate: Candidate, task: int) -> float | None:
        """Seconds; none of the first."""
        generator = np.random.default_rng(task + 1)
        canvas = generator.integers(0, 256, CANVAS, np.uint8)
        began_s = time.perf_counter()
        candidate.act("pick up the red cube", canvas, np.full(NUM_JOINTS + 1, 0.5), task + 1)
        return None if task < 0 else time.perf_counter() - began_s

    def truth(self, task: int) -> None:
        """There is no right time."""

    def ignorant(self, task: int, other: int) -> None:
        """Nor one by chance."""

    def mark(self, task: int, answer: float | None) -> Marks:
        """The seconds."""
        return {} if answer is None else {"policy_chunk_s": answer}


def answers_after_s(chunk_s: float) -> float:
    """A chunk's seconds rounded up to a whole tick, at least ``ANSWERS_AFTER_S``: 0.35 gives 0.4, 0.41 gives 0.467."""
    ticks = max(math.ceil(chunk_s / PERIOD_S - 1e-6), round(ANSWERS_AFTER_S / PERIOD_S))
    return ticks * PERIOD_S
