"""Curves over saves: what the runs of one benchmark say of a training, save by save, beside what it began with.

A save of the training `grasp` after 200 steps is the adapter or checkpoint `grasp@200`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from studio.errors import BadInput
from studio.evaluation.metrics import METRICS
from studio.evaluation.runs import EvaluationRun
from studio.evaluation.scores import Measurement, Scores
from studio.requests import Frozen

SAVE = re.compile(r"(?P<training>.+)@(?P<step>\d+)")


class CurvePoint(Frozen):
    """One save.

    Attributes:
        step: of the training.
        run: its id.
        measurement: of the line's metric.
    """

    step: int
    run: str
    measurement: Measurement


class CurveLine(Frozen):
    """One metric over the saves.

    Attributes:
        points: by rising step; a save in which nothing was measured has none.
        baseline: of the run without the training.
        peak: the step whose value is best, the first of equals.
    """

    metric: str
    points: tuple[CurvePoint, ...]
    baseline: Measurement | None = None
    peak: int


class Curve(Frozen):
    """The saves of one training on one benchmark.

    Attributes:
        training: what the saves are called before the `@`.
        checkpoint: that the adapters are of; empty where the saves are checkpoints.
        scale: of the adapters; 1 where the saves are checkpoints.
        baseline: the run that the lines are held against; none where there is no run of the checkpoint alone.
        lines: in the order of the benchmark's metrics.
    """

    training: str
    checkpoint: str = ""
    scale: float = 1.0
    baseline: str | None = None
    lines: tuple[CurveLine, ...]


class CurveList(Frozen):
    """`GET /v1/runs/curves`: a curve for each training."""

    curves: tuple[Curve, ...]


class Training(NamedTuple):
    """The runs that a curve is drawn of.

    Attributes:
        saves: by rising step.
        baseline: none where there is no such run.
    """

    name: str
    checkpoint: str
    scale: float
    saves: tuple[tuple[int, EvaluationRun], ...]
    baseline: EvaluationRun | None

    @property
    def runs(self) -> tuple[EvaluationRun, ...]:
        """All of them."""
        return (*(run for _, run in self.saves), *([self.baseline] if self.baseline else []))


class _Save(NamedTuple):
    training: str
    checkpoint: str
    scale: float
    step: int


def trainings(
    runs: Sequence[EvaluationRun],
    baseline: EvaluationRun | None = None,
    tuned_from: Callable[[str], str] = lambda _: "",
) -> tuple[Training, ...]:
    """Every training of which several saves have run.

    Only runs with the settings and the number of items of a training's newest run are compared; of several for one save
    the newest counts.

    Args:
        runs: of one benchmark, the newest first.
        baseline: the run that curves are held against; none takes the newest run of the checkpoint that the training
            began with, without an adapter.
        tuned_from: the checkpoint that a checkpoint was tuned from, by its id; empty where that is not known.

    Raises:
        BadInput: the baseline has other settings or another number of items than every training.
    """
    grouped: dict[tuple[str, str, float], list[tuple[int, EvaluationRun]]] = {}
    for run in runs:
        if (save := _save_of(run)) is not None:
            grouped.setdefault((save.training, save.checkpoint, save.scale), []).append((save.step, run))
    found: list[Training] = []
    for (name, checkpoint, scale), saves in grouped.items():
        newest = saves[0][1]
        by_step: dict[int, EvaluationRun] = {}
        for step, run in saves:
            if _is_alike(run, newest):
                by_step.setdefault(step, run)
        if len(by_step) > 1:
            base = _alone(runs, checkpoint or tuned_from(newest.reasoner))
            beside = _baseline([baseline] if baseline else base, newest)
            found.append(Training(name, checkpoint, scale, tuple(sorted(by_step.items())), beside))
    if baseline and found and not any(training.baseline for training in found):
        raise BadInput(
            f"Run {baseline.id} has other settings or another number of items than the saves.",
            param="baseline",
            hint="Select a run with the same settings and items.",
        )
    return tuple(found)


def draw_curve(training: Training, scores: Mapping[str, Scores]) -> Curve:
    """The lines of a training.

    Args:
        training: what is drawn.
        scores: of each of its runs, by id.
    """
    of_saves = [(step, run.id, scores[run.id]) for step, run in training.saves]
    of_baseline = scores[training.baseline.id] if training.baseline else None
    metrics = dict.fromkeys(one.metric for *_, each in of_saves for one in each.overall.measurements)
    lines: list[CurveLine] = []
    for metric in metrics:
        points = tuple(
            CurvePoint(step=step, run=run_id, measurement=one)
            for step, run_id, each in of_saves
            if (one := _measured(each, metric)) is not None
        )
        if points:
            beside = _measured(of_baseline, metric) if of_baseline else None
            peak = max(points, key=lambda point: _goodness(point.measurement)).step
            lines.append(CurveLine(metric=metric, points=points, baseline=beside, peak=peak))
    return Curve(
        training=training.name,
        checkpoint=training.checkpoint,
        scale=training.scale,
        baseline=training.baseline.id if training.baseline else None,
        lines=tuple(lines),
    )


def _save_of(run: EvaluationRun) -> _Save | None:
    found = SAVE.fullmatch(run.reasoner if run.adapter is None else run.adapter.name)
    if found is None:
        return None
    checkpoint, scale = (run.reasoner, run.adapter.scale) if run.adapter is not None else ("", 1.0)
    return _Save(found["training"], checkpoint, scale, int(found["step"]))


def _alone(runs: Sequence[EvaluationRun], checkpoint: str) -> list[EvaluationRun]:
    return [run for run in runs if run.adapter is None and run.reasoner == checkpoint]


def _baseline(runs: Sequence[EvaluationRun], like: EvaluationRun) -> EvaluationRun | None:
    return next((run for run in runs if _is_alike(run, like)), None)


def _is_alike(one: EvaluationRun, other: EvaluationRun) -> bool:
    return (one.settings, one.num_items) == (other.settings, other.num_items)


def _measured(scores: Scores, metric: str) -> Measurement | None:
    found = (one for one in scores.overall.measurements if one.metric == metric and one.value is not None)
    return next(found, None)


def _goodness(one: Measurement) -> float:
    assert one.value is not None
    return one.value if METRICS[one.metric].better == "higher" else -one.value
