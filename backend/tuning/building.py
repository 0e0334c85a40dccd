"""Everything of Tune put together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from backend.arena.reasoners import Reasoners
from backend.broadcast import Broadcast
from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.comparisons import ComparisonService
from backend.database import Database
from backend.evaluation import BenchmarkService, RunService
from backend.fleet import Fleet
from backend.library.uploads import Uploads
from backend.tuning.captioning import DatasetCaptions
from backend.tuning.datasets import DatasetFolder
from backend.tuning.device import TrainingDevice
from backend.tuning.drifting import DriftMeasuring
from backend.tuning.evaluating import SaveEvaluation, checkpoint_folder
from backend.tuning.news import TuningNews
from backend.tuning.running import TuningParts
from backend.tuning.saves import SaveShelf
from backend.tuning.service import TuningService
from backend.tuning.store import TuningStore
from backend.tuning.trying import SaveTrials
from studio.data_folder import DataFolder


@dataclass(frozen=True)
class TuningServices:
    """Data sets, and what is trained on them.

    Attributes:
        recipes: folder of the user's own recipe presets.
    """

    news: TuningNews
    datasets: DatasetFolder
    captions: DatasetCaptions
    tunings: TuningService
    recipes: Path


def build(
    *,
    folder: DataFolder,
    root: Path | None,
    database: Database,
    broadcast: Broadcast,
    engines: Fleet,
    catalogue: CheckpointCatalogue,
    uploads: Uploads,
    comparisons: ComparisonService,
    benchmarks: BenchmarkService,
    runs: RunService,
    drifting: DriftMeasuring,
    reasoners: Reasoners,
) -> TuningServices:
    """The services; nothing runs yet.

    Args:
        root: folder of data sets that are only read.
    """
    news = TuningNews(broadcast)
    datasets = DatasetFolder(folder, root, news.changed)
    device = TrainingDevice(engines)
    seeing = SaveEvaluation(
        datasets=datasets,
        catalogue=catalogue,
        uploads=uploads,
        comparisons=comparisons,
        runs=runs,
        trials=SaveTrials(folder=folder, device=device, catalogue=catalogue, benchmarks=benchmarks, runs=runs),
    )
    parts = TuningParts(
        folder=folder,
        store=TuningStore(database),
        news=news,
        shelf=SaveShelf(folder, catalogue),
        datasets=datasets,
        device=device,
        checkpoint_folder=partial(checkpoint_folder, catalogue),
        evaluate=seeing.evaluate,
        measure_drift=drifting.measure,
    )
    captions = DatasetCaptions(datasets, reasoners, lambda: catalogue.active.id)
    tunings = TuningService(parts, catalogue, benchmarks.get)
    return TuningServices(news, datasets, captions, tunings, folder.presets / "tuning")
