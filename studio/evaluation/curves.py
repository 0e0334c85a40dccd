"""Curves over saves: what the runs of one benchmark say of a training, save by save, beside what it began with.

A save of the training `grasp` after 200 steps is the adapter or checkpoint `grasp@200`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

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
        checkpoint: that adapters are worn on; empty where the saves are checkpoints.
        baseline: the run that the lines are held against; none where there is no run of the checkpoint alone.
        lines: in the order of the benchmark's metrics.
    """

    training: str
    checkpoint: str = ""
    baseline: str | None = None
    lines: tuple[CurveLine, ...]


class CurveList(Frozen):
    """`GET /v1/runs/curves`: a curve for each training."""

    curves: tuple[Curve, ...]


class Scored(NamedTuple):
    """A run with its scores."""

    run: EvaluationRun
    scores: Scores


class _Save(NamedTuple):
    training: str
    checkpoint: str
    step: int


def draw_curves(scored: Sequence[Scored], baseline: str | None = None) -> tuple[Curve, ...]:
    """A curve of every training of which several saves have run.

    Only runs with the settings and the number of items of a training's newest run are compared; of several for one save
    the newest counts.

    Args:
        scored: runs of one benchmark, the newest first.
        baseline: id of the run that the curves are held against; none takes the newest run of the adapters' checkpoint
            without an adapter.
    """
    by_training: dict[tuple[str, str], list[tuple[int, Scored]]] = {}
    for one in scored:
        if (save := save_of(one.run)) is not None:
            by_training.setdefault((save.training, save.checkpoint), []).append((save.step, one))
    found: list[Curve] = []
    for (training, checkpoint), saves in by_training.items():
        newest = saves[0][1].run
        by_step: dict[int, Scored] = {}
        for step, one in saves:
            if _is_alike(one.run, newest):
                by_step.setdefault(step, one)
        if len(by_step) > 1:
            beside = _baseline(scored, newest, checkpoint, baseline)
            found.append(
                Curve(
                    training=training,
                    checkpoint=checkpoint,
                    baseline=beside.run.id if beside else None,
                    lines=_lines(sorted(by_step.items()), beside),
                )
            )
    return tuple(found)


def save_of(run: EvaluationRun) -> _Save | None:
    """Which save of a training a run is of; none of what is no save."""
    name = run.reasoner if run.adapter is None else run.adapter.name
    found = SAVE.fullmatch(name)
    if found is None:
        return None
    checkpoint = run.reasoner if run.adapter is not None else ""
    return _Save(found["training"], checkpoint, int(found["step"]))


def _baseline(scored: Sequence[Scored], like: EvaluationRun, checkpoint: str, named: str | None) -> Scored | None:
    if named is not None:
        return next((one for one in scored if one.run.id == named), None)
    alone = (one for one in scored if one.run.adapter is None and one.run.reasoner == checkpoint)
    return next((one for one in alone if _is_alike(one.run, like)), None)


def _is_alike(one: EvaluationRun, other: EvaluationRun) -> bool:
    return (one.settings, one.num_items) == (other.settings, other.num_items)


def _lines(saves: Sequence[tuple[int, Scored]], beside: Scored | None) -> tuple[CurveLine, ...]:
    metrics = dict.fromkeys(one.metric for _, each in saves for one in each.scores.overall.measurements)
    lines: list[CurveLine] = []
    for metric in metrics:
        points = tuple(
            CurvePoint(step=step, run=each.run.id, measurement=one)
            for step, each in saves
            if (one := _measured(each, metric)) is not None
        )
        if points:
            lines.append(
                CurveLine(
                    metric=metric,
                    points=points,
                    baseline=_measured(beside, metric) if beside else None,
                    peak=max(points, key=lambda point: _goodness(point.measurement)).step,
                )
            )
    return tuple(lines)


def _measured(scored: Scored, metric: str) -> Measurement | None:
    measurements = scored.scores.overall.measurements
    return next((one for one in measurements if one.metric == metric and one.value is not None), None)


def _goodness(one: Measurement) -> float:
    assert one.value is not None
    return one.value if METRICS[one.metric].better == "higher" else -one.value
