"""A save of a policy in the simulated closed loop: the engine answers, and the world waits for it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import Engine, Result
from robot.chunk import MAX_ROWS
from robot.evaluation.scenes import table_benchmark, task_of
from robot.evaluation.stepped import SteppedTable
from robot.observation import ROWS_PER_SECOND, Observation
from studio.evaluation import Answer
from studio.logs import configure_logs
from studio.presets import laid_over
from studio.requests import RunPolicy
from studio.tuning import Ended, Trials, TrialsBegun, Tried, TuningEvent, TuningWork
from tuning.commands import Commands
from tuning.policy.columns import JOINTS

ANSWERS_AFTER_S = 0.4
"""That each answer counts as having taken, whatever the machine took: six rows are over by then."""

SEED = 0
"""Of the tables: all saves of all trainings are tried on the same ones."""

NO_IMAGE = "u0000000000000000"
"""What a request names in place of a picture in the store: its canvas comes beside it."""


class EnginePolicy:
    """An engine as what decides at a table.

    Args:
        defaults: of requests, as the checkpoint's preset has them.
    """

    def __init__(self, engine: Engine, defaults: Mapping[str, Any]) -> None:
        self._engine, self._defaults, self._seed = engine, defaults, 0

    def begin(self) -> None:
        """Another episode: its seeds count from 0, as those of a session do."""
        self._seed = 0

    def decide(self, seen: Observation) -> NDArray[np.float64]:
        """Rows float64 [32, 8] for what is seen. Raises StudioError."""
        actions = self.answer(seen).actions
        assert actions is not None, "a policy's request comes to actions"
        return actions.astype(np.float64)

    def answer(self, seen: Observation) -> Result:
        """Its actions, and the frames that it foresees, which are decoded when they are taken. Raises StudioError."""
        state = (*seen.state.joint_positions.tolist(), float(np.clip(seen.state.gripper_position, 0, 1)))
        asked = {
            "prompt": seen.prompt,
            "embodiment": JOINTS,
            "start_image": NO_IMAGE,
            "state": state,
            "num_actions": MAX_ROWS,
            "fps": ROWS_PER_SECOND,
            "decode_video": False,
            "sampling": {"seed": self._seed},
        }
        self._seed += 1
        request = RunPolicy.model_validate(laid_over(self._defaults, asked))
        trajectory = self._engine.begin(request, {"start_image": seen.views.canvas()[None]})
        while not trajectory.done:
            self._engine.step([trajectory])
        return self._engine.finish(trajectory)


def try_save(work: TuningWork, trials: Trials, tell: Callable[[TuningEvent], None], commands: Commands) -> None:
    """Let a save lift an object from each table, and tell each episode.

    Raises:
        NotInstalled: nothing can be rendered here.
        NotACheckpoint, BrokenCheckpoint, OutOfMemory: see `Engine.load`.
    """
    configure_logs(logging.ERROR)
    table = SteppedTable(ANSWERS_AFTER_S)
    try:
        policy = EnginePolicy(Engine.load(work.checkpoint, device=work.device), trials.defaults)
        benchmark = table_benchmark(trials.scenes, ("default",), SEED)
        tell(TrialsBegun(benchmark=benchmark.model_dump(mode="json")))
        for done, item in enumerate(benchmark.items):
            if commands.next() == "stop":
                tell(Ended(step=done, is_whole=False))
                return
            policy.begin()
            result = table.try_it(task_of(item), policy.decide)
            answer = Answer(item=item.id, text=result.to_text(), seconds=result.seconds)
            tell(Tried(answer=answer.model_dump(mode="json")))
    finally:
        table.close()
    tell(Ended(step=len(benchmark.items), is_whole=True))
