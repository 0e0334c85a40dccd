"""Ten corrected recordings of a task that the shipped policy fails: does it succeed afterwards?

The task is to lift a thing of a colour that the pocket has not seen. Each save drives the robot's own loop and the
simulated arm, on tables that nobody has recorded; tables with old colours alone say what was forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path

from engine import Engine
from robot.evaluation.scenes import TableTask
from robot.evaluation.stepped import SteppedTable
from studio.tuning import Lora, PolicyRecipe
from tuning.policy.trying import ANSWERS_AFTER_S, EnginePolicy
from tuning_demonstration.curve import Point, draw_points, table, write_points
from tuning_demonstration.recordings import DEFAULTS, held_out, write_recordings
from tuning_demonstration.setting import NEW, Setting, add_colour

CORES = 2
"""That one of the processes takes which try saves."""


def demonstrate(setting: Setting, say: Callable[[str], None]) -> str:
    """Record, train and try; returns the table."""
    folder = setting.scratch / "recordings"
    add_colour()
    with _pool(1) as pool:
        num_tables = pool.submit(write_recordings, folder, setting.checkpoint).result()
    say(f"Ten corrected recordings are there, of {num_tables} tables.")
    recipe = PolicyRecipe.model_validate(
        {
            "name": "lifts",
            "checkpoint": "pocket",
            "data": "recordings",
            "stride": 1,
            "text_dropout": 0.0,
            "lora": Lora(rank=16, layers="all"),
            "optimisation": setting.how(steps=400, batch_size=8, learning_rate=2e-4, warmup_steps=20, save_every=100),
        }
    )
    saves = setting.train(recipe, {"recordings": folder}, say)
    asked = {
        f"lift what is {NEW}": held_out(setting.asked, is_new=True),
        "lift what has an old colour": held_out(setting.asked // 2, is_new=False),
    }
    points: list[Point] = []
    with _pool(max(1, (cpu_count() or 1) // CORES)) as pool:
        for step, save in [(0, setting.checkpoint), *saves]:
            for name, tasks in asked.items():
                lifted = sum(pool.map(partial(is_lifted, save), tasks))
                points.append(Point(name, step, lifted, len(tasks)))
                say(f"step {step}: {lifted} of {len(tasks)}, {name}")
    write_points(setting.out / "policy.jsonl", points)
    draw_points(setting.out / "policy.svg", "Things lifted in the simulated closed loop", points)
    return table(points)


def is_lifted(checkpoint: Path, task: TableTask) -> bool:
    """One table; the processes that do this keep their engine and their table from one to the next."""
    policy, own = _policy(checkpoint), _table()
    policy.begin()
    return own.try_it(task, policy.decide).success


@lru_cache(maxsize=1)
def _policy(checkpoint: Path) -> EnginePolicy:
    return EnginePolicy(Engine.load(checkpoint, device="cpu"), DEFAULTS)


@lru_cache(maxsize=1)
def _table() -> SteppedTable:
    return SteppedTable(ANSWERS_AFTER_S)


def _pool(workers: int) -> ProcessPoolExecutor:
    """Processes that know the new colour; each has OpenGL for itself."""
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=add_colour)
