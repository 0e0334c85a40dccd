"""What is done with a save: the grid that is asked for, and that what was before is made once."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from backend.tuning.evaluating import SaveEvaluation
from sent_files import clip_bytes
from studio.comparisons import CompareRequest
from studio.evaluation.runs import StartRun
from studio.rules import Capabilities
from studio.tuning.presets import RECIPE
from studio.tuning.tunings import Tuning, TuningProgress, TuningSave

POCKET = Capabilities(checkpoint="pocket", video_resolutions=("256",), aspect_ratios=("1:1",), num_frames=(17, 17))


class Asked:
    """Every service that a save is handed to; it notes what it is asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.grids: list[CompareRequest] = []
        self.runs: list[StartRun] = []
        self.is_done = True

    def where(self, name: str) -> Path:
        return self.folder

    def named(self, name: str) -> Any:
        return SimpleNamespace(capabilities=lambda: POCKET)

    async def keep(self, stream: Any, name: str) -> Any:
        return SimpleNamespace(id="u0123456789abcdef")

    async def submit(self, asked: CompareRequest) -> Any:
        self.grids.append(asked)
        return SimpleNamespace(id=f"grid{len(self.grids)}")

    async def get(self, name: str) -> Any:
        columns = [SimpleNamespace(label=label) for label in ("ground truth", "before", "after")]
        cells = [
            SimpleNamespace(column=1, item=SimpleNamespace(id=f"u{row:016x}") if self.is_done else None, gone=False)
            for row in range(3)
        ]
        return SimpleNamespace(columns=columns, rows=("text", "first frame", "first frames"), cells=cells)

    async def start(self, asked: StartRun) -> Any:
        self.runs.append(asked)
        return SimpleNamespace(id=f"run{len(self.runs)}")

    def evaluate(self, tuning: Tuning, save: TuningSave) -> TuningSave:
        own: Any = self
        evaluation = SaveEvaluation(datasets=own, catalogue=own, uploads=own, comparisons=own, runs=own)
        return asyncio.run(evaluation.evaluate(tuning, save))


def save_at(step: int, **fields: Any) -> TuningSave:
    made = {"makes": "adapter", "size_bytes": 1, "created_at": datetime.now(UTC)}
    return TuningSave.model_validate({"step": step, "name": f"grasp@{step}", **made, **fields})


def tuning_of(recipe: dict[str, Any], *saves: TuningSave) -> Tuning:
    whole = RECIPE.validate_python({"name": "grasp", "checkpoint": "pocket", **recipe})
    return Tuning(
        id="4e7a00c3d2b1",
        recipe=whole,
        checkpoint_title="Pocket",
        version="0",
        state="running",
        created_at=datetime.now(UTC),
        progress=TuningProgress(state="running"),
        saves=saves,
    )


def asked_in(tmp_path: Path) -> Asked:
    (tmp_path / "video_dataset_file.jsonl").write_text(
        '{"uuid": "a", "vision_path": "a.mp4", "t2w_windows": [{"caption": "A cup."}]}\n'
    )
    (tmp_path / "a.mp4").write_bytes(clip_bytes(num_frames=30, fps=5))
    return Asked(tmp_path)


GENERATOR = {"task": "generator", "data": "cups"}


def test_a_grid_has_truth_before_and_after_as_the_checkpoint_makes_them(tmp_path: Path):
    asked = asked_in(tmp_path)
    seen = asked.evaluate(tuning_of(GENERATOR), save_at(100))
    assert seen.comparison == "grid1"
    [grid] = asked.grids
    assert grid.axes == {"adapter": (None, {"name": "grasp@100"})}
    assert grid.column_labels == ("before", "after")
    assert [row.starts for row in grid.subjects] == [("t2v",), ("i2v",), ("v2v",)]
    size = {"resolution": "256", "aspect_ratio": "1:1", "num_frames": 17, "fps": 10.0}
    assert grid.subjects[0].request == {"prompt": "A cup.", **size}


def test_what_was_before_is_made_once_and_shown_in_later_grids(tmp_path: Path):
    asked = asked_in(tmp_path)
    first = save_at(100, comparison="grid1")
    asked.evaluate(tuning_of(GENERATOR, first), save_at(200))
    asked.is_done = False  # the first grid's videos are still being made
    asked.evaluate(tuning_of(GENERATOR, first), save_at(300))
    shown, made = asked.grids
    assert (shown.axes, shown.shown_labels, shown.column_labels) == (
        {"adapter": ({"name": "grasp@200"},)},
        ("before",),
        ("after",),
    )
    assert [row.shown for row in shown.subjects] == [(f"u{row:016x}",) for row in range(3)]
    assert len(made.axes["adapter"]) == 2


def test_a_whole_checkpoint_is_compared_as_a_checkpoint(tmp_path: Path):
    asked = asked_in(tmp_path)
    asked.evaluate(tuning_of({**GENERATOR, "lora": None}), save_at(100, makes="checkpoint"))
    assert asked.grids[0].axes == {"checkpoint": ("pocket", "grasp@100")}


def test_a_reasoner_answers_the_benchmarks_in_its_adapter(tmp_path: Path):
    asked = asked_in(tmp_path)
    recipe = {"task": "reasoner", "data": [{"data": "av"}], "benchmarks": ["cubes", "cups"]}
    seen = asked.evaluate(tuning_of(recipe), save_at(100))
    assert seen.runs == ("run1", "run2")
    assert [(run.benchmark, run.reasoner, run.adapter and run.adapter.name) for run in asked.runs] == [
        ("cubes", "pocket", "grasp@100"),
        ("cups", "pocket", "grasp@100"),
    ]
    assert (
        asked.evaluate(tuning_of({**recipe, "benchmarks": []}), save_at(200)).note == "The recipe names no benchmarks."
    )


def test_a_data_set_without_clips_to_show_says_so(tmp_path: Path):
    asked = Asked(tmp_path)
    assert "no video with a caption" in asked.evaluate(tuning_of(GENERATOR), save_at(1)).note
    assert asked.grids == []
