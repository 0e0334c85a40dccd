"""Every mode of the engine against diffusers on a processor, on a small checkpoint: ratios, and one table.

Pictures and clips are 256x256, clips have nine frames, all are guided but the distilled ones.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import diffusers
import torch

from engine.bench.cases import Case, all_cases
from engine.bench.library import SIGMAS, Library, distilled_scheduler
from engine.engine import Engine
from engine.speck import build_speck
from studio.checkpoints import MODULAR_INDEX
from studio.errors import StudioError


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


def add_options(parser: argparse.ArgumentParser) -> None:
    """What only these cases have."""
    parser.add_argument("--folder", type=Path, help="a small checkpoint; none builds speck for the occasion (CPU)")
    parser.add_argument("--steps", type=int, default=4, help="denoising steps (CPU)")


def run(options: argparse.Namespace) -> int:
    """Run the cases; 2 when the folder cannot be read or no case is named so."""
    cases = [case for case in all_cases(options.steps) if (options.case or "") in case.name]
    if not cases:
        sys.stderr.write(f"No case is called {options.case!r}.\n")
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch) / "speck"
        if options.folder is None:
            build_speck(folder)
        try:
            engine = Engine.load(folder, device="cpu")
            distilled = Engine.load(_as_distilled(folder, Path(scratch) / "distilled"), device="cpu")
        except StudioError as error:
            sys.stderr.write(f"{error}\n")
            return 2
        library = Library(folder)
        timings = [time_case(distilled if case.distilled else engine, library, case, options.repeats) for case in cases]
    sys.stdout.write(table(timings))
    if options.json is not None:
        options.json.write_text(json.dumps(report(timings), indent=2) + "\n")
    return 0


def _as_distilled(folder: Path, described: Path) -> Path:
    """The same weights, described as a distilled release describes its own."""
    described.mkdir()
    for part in folder.absolute().iterdir():
        if part.name not in ("scheduler", MODULAR_INDEX):
            (described / part.name).symlink_to(part)
    distilled_scheduler().save_pretrained(described / "scheduler")
    (described / MODULAR_INDEX).write_text(json.dumps({"is_distilled": True, "distilled_sigmas": SIGMAS}))
    return described


def table(timings: list[Timing]) -> str:
    """Median seconds a run, and how many times as long diffusers takes at its better thread count."""
    head = f"{'case':28} {'orrery':>10} {'diffusers':>10} {'2 threads':>10} {'ratio':>8}\n"
    rows = [
        f"{row.case:28} {row.orrery_s:9.3f}s {row.one_thread_s:9.3f}s {row.two_threads_s:9.3f}s {row.ratio:7.1f}x\n"
        for row in timings
    ]
    return head + "".join(rows)


def report(timings: list[Timing]) -> dict[str, object]:
    """The table as JSON, with what it was measured on."""
    return {
        "torch": torch.__version__,
        "diffusers": diffusers.__version__,
        "machine": platform.machine(),
        "cases": [{**asdict(row), "ratio": row.ratio} for row in timings],
    }
