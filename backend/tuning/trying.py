"""Trying a policy's saves on the simulated table: a process drives it, and its episodes are an ordinary run."""

from __future__ import annotations

import asyncio

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.evaluation import BenchmarkService, RunService
from backend.tuning.device import TrainingDevice
from backend.tuning.process import trainer
from studio.data_folder import DataFolder
from studio.evaluation import Answer
from studio.evaluation.runs import EvaluationRun, StartRun
from studio.tuning import PolicyRecipe, Refused, Trials, TrialsBegun, Tried, TuningWork
from studio.tuning.tunings import SuccessRate, Tuning, TuningSave

SUCCESS = "task_success"

DRIVEN = "droid_joint_position"
"""Embodiment of the simulated arm."""


class SaveTrials:
    """Tries one save after another. Lives on the event loop's thread."""

    def __init__(
        self,
        *,
        folder: DataFolder,
        device: TrainingDevice,
        catalogue: CheckpointCatalogue,
        benchmarks: BenchmarkService,
        runs: RunService,
    ) -> None:
        self._folder = folder
        self._device = device
        self._catalogue = catalogue
        self._benchmarks = benchmarks
        self._runs = runs
        self._turn = asyncio.Lock()

    async def run(self, tuning: Tuning, recipe: PolicyRecipe, save: TuningSave) -> dict[str, object]:
        """Drive a save through the recipe's tables; what a save says of it.

        Raises:
            StudioError: it cannot be driven here, or the process ended; the run keeps the episodes before that.
        """
        if recipe.embodiment != DRIVEN:
            return {"note": f"The simulated arm is driven by {DRIVEN} alone."}
        if not recipe.scenes:
            return {"note": "The recipe has no scenes to try it on. Use orrery evaluate-policy."}
        checkpoint = self._catalogue.whole(save.name)
        assert checkpoint.folder is not None, "a save is a folder"
        async with self._turn, self._device.beside(tuning.name) as device:
            work = TuningWork(
                recipe=recipe,
                trials=Trials(scenes=recipe.scenes, defaults=checkpoint.preset.defaults.get("run_policy", {})),
                checkpoint=checkpoint.folder,
                data={},
                out=self._folder.tunings / tuning.id,
                cache=self._folder.latents,
                device=device,
            )
            run = await self._drive(work, save.name)
        scores = await self._runs.scores(run.id)
        found = next((one for one in scores.overall.measurements if one.metric == SUCCESS), None)
        rate = None
        if found is not None and found.value is not None and found.low is not None and found.high is not None:
            rate = SuccessRate(value=found.value, low=found.low, high=found.high, num_episodes=found.n)
        return {"runs": (run.id,), "success": rate, "note": ""}

    async def _drive(self, work: TuningWork, name: str) -> EvaluationRun:
        run: EvaluationRun | None = None
        try:
            async with trainer(work) as process:
                async for event in process.events():
                    match event:
                        case TrialsBegun(benchmark=benchmark):
                            added = await self._benchmarks.add(benchmark)
                            run = await self._runs.start(StartRun(benchmark=added.id, reasoner=name, title=name))
                        case Tried(answer=answer):
                            assert run is not None, "episodes come after what they are tried on"
                            run = await self._runs.give(run.id, [Answer.model_validate(answer)])
                        case Refused(error=error):
                            raise error.error()
                        case _:
                            pass
        finally:
            if run is not None and run.state == "running":
                await self._runs.stop(run.id)
        assert run is not None, "a process that has ended well has said what it tried"
        return run
