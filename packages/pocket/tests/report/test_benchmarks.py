"""The pocket's world as benchmarks: the report card and Evaluate score the same answers alike."""

from pathlib import Path

import numpy as np
import pytest

from pocket.benchmarks import write_benchmarks
from pocket.report.candidate import Candidate
from pocket.report.describing import Describing
from pocket.report.locating import Locating
from pocket.report.timing import Timing
from studio.checkpoints import find_checkpoint
from studio.evaluation import Answer, Scores
from studio.evaluation.drawing_up import draw_up
from studio.evaluation.layouts import read
from studio.presets import load_presets

COUNT = 5


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By name."""
    return {folder.name: folder for folder in write_benchmarks(tmp_path_factory.mktemp("benchmarks"), COUNT)}


@pytest.fixture(scope="module")
def candidate() -> Candidate:
    """What ships."""
    folder = find_checkpoint("pocket", load_presets(), Path("nowhere")).folder
    return Candidate(folder)


def scored(folder: Path, texts: list[str]) -> Scores:
    benchmark = read(folder)
    answers = [Answer(item=item.id, text=text) for item, text in zip(benchmark.items, texts, strict=True)]
    return draw_up(benchmark, answers)


def means(marks: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([mark[name] for mark in marks])) for name in marks[0]}


def test_every_benchmark_can_be_read_and_right_answers_are_all_right(folders: dict[str, Path]):
    for name, folder in folders.items():
        benchmark = read(folder)
        assert benchmark.name == name
        assert all((folder / medium).is_file() for item in benchmark.items for medium in item.media)
    choices = read(folders["pocket-choices"])
    assert {len(item.choices or {}) for item in choices.items} - {2, 3, 4, 5, 6, 7, 8} == set()
    assert (
        scored(folders["pocket-choices"], [str(item.reference) for item in choices.items]).overall.value("accuracy")
        == 1
    )


@pytest.mark.slow
def test_the_report_card_and_evaluate_score_the_same_answers_alike(folders: dict[str, Path], candidate: Candidate):
    describing, locating, timing = Describing(), Locating(), Timing()
    told = [describing.ask(candidate, task) for task in describing.tasks(COUNT, 0)]
    card = means(
        [dict(describing.mark(task, said)) for task, said in zip(describing.tasks(COUNT, 0), told, strict=True)]
    )
    found = scored(folders["pocket-answers"], [text for said in told for text in said.answers])
    by_still: dict[str, list[float]] = {}  # the card's mean is over images, and some have fewer questions
    for mark in found.marks:
        by_still.setdefault(mark.item.partition("-")[0], []).append(mark.values["exact_match"])
    shares = [float(np.mean(values)) for values in by_still.values()]
    assert np.mean(shares) == pytest.approx(card["answers"], abs=1e-6)

    boxes = [locating.ask(candidate, task) for task in locating.tasks(COUNT, 0)]
    card = means([dict(locating.mark(task, said)) for task, said in zip(locating.tasks(COUNT, 0), boxes, strict=True)])
    ours = scored(folders["pocket-boxes"], boxes).overall
    assert ours.value("box_iou") == pytest.approx(card["box_iou"], abs=1e-6)
    assert ours.value("box_recall") == pytest.approx(card["box_recall"], abs=1e-6)
    assert ours.value("box_extra") == pytest.approx(card["box_extra"], abs=1e-6)

    moments = [timing.ask(candidate, task) for task in timing.tasks(COUNT, 0)]
    card = means([dict(timing.mark(task, said)) for task, said in zip(timing.tasks(COUNT, 0), moments, strict=True)])
    ours = scored(folders["pocket-moments"], moments).overall
    assert card["event_found"] == 1  # of one without a time, the card counts the whole clip
    assert ours.value("mae_s") == pytest.approx(card["event_mae_s"], abs=0.011)  # written in hundredths of a second
    assert ours.value("mre_percent") == pytest.approx(100 * card["event_mre"], rel=0.05)
