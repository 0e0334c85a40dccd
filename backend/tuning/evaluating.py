"""What is done with every save: the grid of 000 for a generator, the recipe's benchmarks for a reasoner."""

from __future__ import annotations

import asyncio
from pathlib import Path

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.comparisons import ComparisonService
from backend.evaluation import RunService
from backend.library.uploads import Uploads
from backend.media import DECODERS, MediaFacts, inspect_upload
from backend.tuning.datasets import DatasetFolder
from studio.comparisons import CompareRequest, ComparisonSubject
from studio.evaluation.runs import StartRun
from studio.requests.fields import AspectRatio
from studio.rules import Capabilities
from studio.tuning import GeneratorRecipe, ReasonerRecipe
from studio.tuning.held_out import HeldOut, held_out
from studio.tuning.tunings import Tuning, TuningSave


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
    ) -> None:
        self._datasets = datasets
        self._catalogue = catalogue
        self._uploads = uploads
        self._comparisons = comparisons
        self._runs = runs

    async def evaluate(self, tuning: Tuning, save: TuningSave) -> TuningSave:
        """The save with its comparison or its runs, which have been queued. Raises StudioError: why there are none."""
        match tuning.recipe:
            case GeneratorRecipe() as recipe:
                return save.model_copy(update=await self._compare(recipe, save))
            case ReasonerRecipe() as recipe:
                return save.model_copy(update=await self._measure(recipe, save))
            case _:
                served = f" --checkpoint {save.name}" if save.makes == "checkpoint" else ""
                return save.model_copy(update={"note": f"Measure it with orrery evaluate-policy{served}."})

    async def _compare(self, recipe: GeneratorRecipe, save: TuningSave) -> dict[str, object]:
        """Truth, before and after, each clip from words, from its first frame and from its first frames."""
        clips = await asyncio.to_thread(held_out, self._datasets.where(recipe.data))
        if not clips:
            return {"note": f"{recipe.data} has no video with a caption to compare with."}
        subjects = [await self._subject(recipe, clip) for clip in clips]
        if save.makes == "adapter":
            axes = {"adapter": (None, {"name": save.name})}
            request = {"checkpoint": recipe.checkpoint}
        else:
            axes, request = {"checkpoint": (recipe.checkpoint, save.name)}, {}
        kind = {"kind": "generate_video", "sampling": {"seed": 0}}
        asked = CompareRequest(
            title=f"{save.name}: {'training' if clips[0].learnt else 'held-out'} videos",
            request={**request, **kind},
            axes=axes,
            column_labels=("before", "after"),
            subjects=tuple(subjects),
            priority="low",
        )
        return {"comparison": (await self._comparisons.submit(asked)).id, "note": ""}

    async def _subject(self, recipe: GeneratorRecipe, clip: HeldOut) -> ComparisonSubject:
        facts = await DECODERS.beside(lambda: inspect_upload(clip.clip))
        with clip.clip.open("rb") as stream:
            truth = await self._uploads.keep(stream, clip.clip.name)
        able = self._catalogue.named(recipe.checkpoint).capabilities()
        request = {"prompt": clip.prompt, **_size_of(recipe, facts, able)}
        return ComparisonSubject(label=clip.name, request=request, reference=truth.id, starts=("t2v", "i2v", "v2v"))

    async def _measure(self, recipe: ReasonerRecipe, save: TuningSave) -> dict[str, object]:
        if not recipe.benchmarks:
            return {"note": "The recipe names no benchmarks."}
        adapter, reasoner = (save.name, recipe.checkpoint) if save.makes == "adapter" else (None, save.name)
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
