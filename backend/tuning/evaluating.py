"""What is done with every save: the grid of 000 for a generator, the recipe's benchmarks for a reasoner, trials for a
policy.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.comparisons import ComparisonService
from backend.evaluation import RunService
from backend.library.uploads import Uploads
from backend.media import DECODERS, MediaFacts, inspect_upload
from backend.tuning.datasets import DatasetFolder
from backend.tuning.trying import SaveTrials
from studio.comparisons import CompareRequest, ComparisonSubject, StartMode
from studio.errors import ComparisonNotFound
from studio.evaluation.runs import StartRun
from studio.requests.fields import Adapter, AspectRatio
from studio.rules import Capabilities
from studio.tuning import GeneratorRecipe, PolicyRecipe, ReasonerRecipe
from studio.tuning.held_out import HeldOut, held_out
from studio.tuning.tunings import Tuning, TuningSave

BEFORE, AFTER = "before", "after"
STARTS: tuple[StartMode, ...] = ("t2v", "i2v", "v2v")


class SaveEvaluation:
    """Shows and measures saves."""

    def __init__(
        self,
        *,
        datasets: DatasetFolder,
        catalogue: CheckpointCatalogue,
        uploads: Uploads,
        comparisons: ComparisonService,
        runs: RunService,
        trials: SaveTrials,
    ) -> None:
        self._datasets = datasets
        self._catalogue = catalogue
        self._uploads = uploads
        self._comparisons = comparisons
        self._runs = runs
        self._trials = trials

    async def evaluate(self, tuning: Tuning, save: TuningSave) -> TuningSave:
        """The save with its comparison or its runs, which have been queued; a policy's has ended.

        Raises:
            StudioError: why there are none.
        """
        match tuning.recipe:
            case GeneratorRecipe() as recipe:
                return save.model_copy(update=await self._compare(tuning, recipe, save))
            case ReasonerRecipe() as recipe:
                return save.model_copy(update=await self._measure(recipe, save))
            case PolicyRecipe() as recipe:
                return save.model_copy(update=await self._trials.run(tuning, recipe, save))

    async def _compare(self, tuning: Tuning, recipe: GeneratorRecipe, save: TuningSave) -> dict[str, object]:
        """Truth, before and after, each clip from words, from its first frame and from its first frames.

        What was made before the tuning is made once: later grids show it as it is.
        """
        clips = await asyncio.to_thread(held_out, self._datasets.where(recipe.data), recipe)
        if not clips:
            return {"note": f"{recipe.data} has no video with a caption for its beginning to compare with."}
        rows = [row for clip in clips for row in await self._rows(recipe, clip)]
        before = await self._before(tuning, len(rows))
        if before is not None:
            rows = [row.model_copy(update={"shown": (item,)}) for row, item in zip(rows, before, strict=True)]
        if save.makes == "adapter":
            request = {"checkpoint": recipe.checkpoint}
            axis, values = "adapter", (None, {"name": save.name})
        else:
            request = dict[str, str]()
            axis, values = "checkpoint", (recipe.checkpoint, save.name)
        made = values if before is None else values[1:]
        kind = {"kind": "generate_video", "sampling": {"seed": 0}}
        asked = CompareRequest(
            title=f"{save.name}: {'training' if clips[0].learnt else 'held-out'} videos",
            request={**request, **kind},
            axes={axis: made},
            column_labels=(BEFORE, AFTER)[-len(made) :],
            shown_labels=(BEFORE,),
            subjects=tuple(rows),
            priority="low",
        )
        return {"comparison": (await self._comparisons.submit(asked)).id, "note": ""}

    async def _before(self, tuning: Tuning, num_rows: int) -> tuple[str, ...] | None:
        """What an earlier grid of the tuning has in its column "before", row by row; none where not all is there."""
        for save in tuning.saves:
            if not save.comparison:
                continue
            try:
                grid = await self._comparisons.get(save.comparison)
            except ComparisonNotFound:  # somebody has deleted it
                continue
            column = next((at for at, one in enumerate(grid.columns) if one.label == BEFORE), None)
            cells = [cell for cell in grid.cells if cell.column == column and cell.item is not None and not cell.gone]
            if len(grid.rows) == len(cells) == num_rows:
                return tuple(cell.item.id for cell in cells if cell.item is not None)
        return None

    async def _rows(self, recipe: GeneratorRecipe, clip: HeldOut) -> list[ComparisonSubject]:
        facts = await DECODERS.beside(lambda: inspect_upload(clip.clip))
        with clip.clip.open("rb") as stream:
            truth = await self._uploads.keep(stream, clip.clip.name)
        able = self._catalogue.named(recipe.checkpoint).capabilities()
        request = {"prompt": clip.prompt, **_size_of(recipe, facts, able)}
        return [
            ComparisonSubject(label=clip.name, request=request, reference=truth.id, starts=(start,)) for start in STARTS
        ]

    async def _measure(self, recipe: ReasonerRecipe, save: TuningSave) -> dict[str, object]:
        if not recipe.benchmarks:
            return {"note": "The recipe names no benchmarks."}
        is_adapter = save.makes == "adapter"
        adapter, reasoner = (Adapter(name=save.name), recipe.checkpoint) if is_adapter else (None, save.name)
        asked = [
            StartRun(benchmark=name, reasoner=reasoner, adapter=adapter, title=save.name) for name in recipe.benchmarks
        ]
        return {"runs": tuple([(await self._runs.start(one)).id for one in asked]), "note": ""}


def _size_of(recipe: GeneratorRecipe, facts: MediaFacts, able: Capabilities) -> dict[str, object]:
    """The size, length and rate of the recipe and the clip, as near as the checkpoint makes them."""
    ratios: dict[AspectRatio, float] = {name: _ratio(name) for name in able.aspect_ratios}
    ratio = facts.width / facts.height
    resolution = recipe.resolution if recipe.resolution in able.video_resolutions else able.video_resolutions[0]
    num_frames = min(recipe.num_frames, facts.num_frames or recipe.num_frames)
    least, most = able.num_frames
    slow, fast = able.fps
    return {
        "resolution": resolution,
        "aspect_ratio": min(ratios, key=lambda name: abs(ratios[name] - ratio)),
        "num_frames": min(max((num_frames - 1) // 4 * 4 + 1, least), most),
        "fps": min(max(recipe.fps or facts.fps or slow, slow), fast),
    }


def _ratio(name: str) -> float:
    width, height = name.split(":")
    return int(width) / int(height)


def checkpoint_folder(catalogue: CheckpointCatalogue, name: str) -> Path:
    """The folder of a checkpoint that is here. Raises as `CheckpointCatalogue.whole`."""
    folder = catalogue.whole(name).folder
    assert folder is not None, "a whole checkpoint has a folder"
    return folder
