"""Curves over saves: which runs belong to one, what they are held against, and where they peak."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from studio.errors import BadInput
from studio.evaluation import Counts, Group, Measurement, Scores
from studio.evaluation.curves import draw_curve, trainings
from studio.evaluation.runs import EvaluationRun
from studio.requests import Adapter


def run(run_id: str, adapter: str | None = None, reasoner: str = "nano", **fields: Any) -> EvaluationRun:
    return EvaluationRun.model_validate(
        {
            "id": run_id,
            "title": run_id,
            "benchmark": "made",
            "benchmark_id": "b",
            "benchmark_title": "Made",
            "form": "generation",
            "reasoner": reasoner,
            "reasoner_title": reasoner,
            "adapter": adapter and {"name": adapter},
            "version": "1",
            "settings": {},
            "num_items": 4,
            "num_planned": 4,
            "created_at": datetime(2026, 1, 1, tzinfo=UTC),
            **fields,
        }
    )


def scores(values: Mapping[str, float | None]) -> Scores:
    measured = tuple(Measurement(metric=metric, value=value) for metric, value in values.items())
    return Scores(
        benchmark="made",
        form="generation",
        headline="psnr_db",
        overall=Group(counts=Counts(), measurements=measured),
    )


def test_saves_of_a_training_are_drawn_by_step_beside_the_checkpoint_alone():
    runs = [
        run("late", "grasp@200"),
        run("early", "grasp@100"),
        run("older", "grasp@100"),
        run("other settings", "grasp@300", settings={"trials": 2}),
        run("other", "style@5"),
        run("base"),
        run("other base", reasoner="super"),
    ]
    (training,) = trainings(runs)
    assert (training.name, training.checkpoint) == ("grasp", "nano")
    assert [(step, each.id) for step, each in training.saves] == [(100, "early"), (200, "late")]
    assert training.baseline is not None
    assert training.baseline.id == "base"
    curve = draw_curve(
        training,
        {
            "early": scores({"psnr_db": 24.0, "action_mse": 0.2, "ssim": None}),
            "late": scores({"psnr_db": 23.0, "action_mse": 0.1, "ssim": None}),
            "base": scores({"psnr_db": 20.0, "action_mse": None, "ssim": None}),
        },
    )
    assert [(line.metric, line.peak) for line in curve.lines] == [("psnr_db", 100), ("action_mse", 200)]
    psnr, mse = curve.lines
    assert [point.measurement.value for point in psnr.points] == [24.0, 23.0]
    assert psnr.baseline is not None
    assert psnr.baseline.value == 20.0
    assert mse.baseline is None


def test_saves_may_be_checkpoints_which_a_named_run_is_the_baseline_of():
    runs = [run("late", reasoner="mine@20"), run("early", reasoner="mine@10"), run("base")]
    (training,) = trainings(runs)
    assert (training.name, training.checkpoint, training.baseline) == ("mine", "", None)
    (tuned,) = trainings(runs, tuned_from={"mine@20": "nano"}.__getitem__)
    assert tuned.baseline == runs[2]
    (named,) = trainings(runs, runs[2])
    assert named.baseline == runs[2]
    with pytest.raises(BadInput, match="another number of items"):
        trainings(runs, run("short", num_items=1))


def test_saves_at_another_scale_are_a_curve_of_their_own():
    half = run("half").model_copy(update={"adapter": Adapter(name="grasp@200", scale=0.5)})
    runs = [run("late", "grasp@200"), half, run("early", "grasp@100")]
    (training,) = trainings(runs)
    assert (training.scale, [each.id for _, each in training.saves]) == (1.0, ["early", "late"])
    assert trainings(runs[1:]) == ()


def test_one_save_alone_is_no_curve():
    assert trainings([run("one", "grasp@100"), run("base")]) == ()


PUBLISHED = {100: None, 200: None, 250: 0.8085, 350: None, 500: 0.7513}
"""Accuracy by checkpoint where the text states it (NVIDIA and Uber, "Post-train Cosmos Reason 2 for Autonomous Vehicle
Video Captioning and VQA", 5); checkpoint 0 is 80.18 %."""
PUBLISHED_BLEU = {100: 0.122, 200: 0.125, 350: 0.125, 500: 0.123}
"""The same of BLEU, beside 0.113."""


def test_the_published_curves_have_their_peaks_and_their_baselines():
    steps = sorted(PUBLISHED.keys() | PUBLISHED_BLEU.keys(), reverse=True)
    runs = [run(f"ckpt-{step}", f"uber_sft_blended@{step}") for step in steps]
    (training,) = trainings([*runs, run("base")])

    published = {
        f"ckpt-{step}": scores({"accuracy": PUBLISHED.get(step), "bleu": PUBLISHED_BLEU.get(step)}) for step in steps
    }
    curve = draw_curve(training, published | {"base": scores({"accuracy": 0.8018, "bleu": 0.113})})

    accuracy, bleu = curve.lines
    assert (accuracy.peak, bleu.peak) == (250, 200)
    assert [point.step for point in bleu.points] == [100, 200, 350, 500]
    assert accuracy.baseline is not None
    assert bleu.baseline is not None
    assert (accuracy.baseline.value, bleu.baseline.value) == (0.8018, 0.113)
