"""Timing one case in both programs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import torch

from engine.bench.cases import Case
from engine.bench.library import Library
from engine.engine import Engine


@dataclass(frozen=True)
class Timing:
    """One row of the table, in seconds from request to pixels, sound and actions.

    Attributes:
        orrery_s: median of the engine's runs.
        one_thread_s: median of diffusers' runs with one thread.
        two_threads_s: the same with two, the most that the engine takes for a small checkpoint.
    """

    case: str
    orrery_s: float
    one_thread_s: float
    two_threads_s: float

    @property
    def ratio(self) -> float:
        """How many times as long diffusers takes, at its better thread count."""
        return min(self.one_thread_s, self.two_threads_s) / self.orrery_s


def time_case(engine: Engine, library: Library, case: Case, repeats: int) -> Timing:
    """Medians over alternate runs, so that a busy machine is busy for all of them; the first round is not counted."""
    default_threads = torch.get_num_threads()

    def ours() -> None:
        engine.prefixes.clear()
        trajectory = engine.begin(case.request, case.media)
        while not trajectory.done:
            engine.step([trajectory])
        for _ in engine.finish(trajectory).frames:
            pass

    def theirs(num_threads: int) -> Callable[[], None]:
        def run() -> None:
            torch.set_num_threads(num_threads)
            library.run(case)

        return run

    contenders = [ours, theirs(1), theirs(2)]
    spent: list[list[float]] = [[] for _ in contenders]
    for _ in range(repeats + 1):
        for seconds, run in zip(spent, contenders, strict=True):
            start = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - start)
    torch.set_num_threads(default_threads)
    return Timing(case.name, *(median(seconds[1:]) for seconds in spent))
