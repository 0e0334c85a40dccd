"""Scores from answers: pure arithmetic that can be repeated at any time, so a new metric needs no new answers."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from studio.evaluation.answers import Answer, FieldVerdict
from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.forms import metrics_of
from studio.evaluation.forms.fields import stated
from studio.evaluation.forms.text import bleu_statistics, corpus_bleu, reference_of
from studio.evaluation.marking import exact_truths, judge_of, mark, sort_answers
from studio.evaluation.metrics import METRICS
from studio.evaluation.schema import AnnotationSchema, SchemaField
from studio.evaluation.scores import Counts, Group, Mark, Measurement, Scores
from studio.evaluation.series import channel_names, mean_series
from studio.evaluation.statistics import bootstrap, mean_and_sd, wilson


def draw_up(
    benchmark: Benchmark,
    answers: Iterable[Answer],
    verdicts: Sequence[FieldVerdict] = (),
    judge: str | None = None,
) -> Scores:
    """What the answers of one run are worth.

    An item's trials are averaged first, then the items: intervals are over items, since trials of one item are not
    independent. An answer that failed or could not be read counts as a miss where the metric has one.

    Args:
        benchmark: with its items. `forms.check` has looked at them.
        answers: in any order; of several for one trial the first that did not fail counts.
        verdicts: of judges.
        judge: whose verdicts count; none is the only one there is.

    Raises:
        BadInput: an answer is to no item of the benchmark, or there are several judges and none is named.
    """
    found = sort_answers(benchmark, answers)
    counted = judge_of(verdicts, judge)
    by_answer: defaultdict[tuple[str, int], list[FieldVerdict]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.judge == counted:
            by_answer[verdict.item, verdict.trial].append(verdict)
    marks: dict[str, list[Mark]] = {}
    for item in benchmark.items:
        trials = (found.answers.get((item.id, trial)) for trial in range(benchmark.settings.trials))
        given = (answer for answer in trials if answer is not None)
        marks[item.id] = [mark(benchmark, item, answer, by_answer[item.id, answer.trial]) for answer in given]
    drawn = _Drawn(benchmark, marks, found.repeated)
    categories = dict.fromkeys(item.category for item in benchmark.items if item.category)
    overall = drawn.group("", benchmark.items)
    schema = benchmark.annotation
    return Scores(
        benchmark=benchmark.name,
        form=benchmark.form,
        headline=_headline(overall),
        judge=counted,
        overall=overall,
        categories=tuple(
            drawn.group(name, [item for item in benchmark.items if item.category == name]) for name in categories
        ),
        fields=tuple(drawn.field(schema, field) for field in schema.asked) if schema else (),
        channels=channel_names(benchmark),
        marks=tuple(one for item in benchmark.items for one in marks[item.id]),
    )


def _headline(overall: Group) -> str:
    """The first metric that was measured, else the first: texts without a judge are compared by BLEU."""
    measured = (one.metric for one in overall.measurements if one.value is not None)
    return next(measured, overall.measurements[0].metric)


class _Drawn:
    """The marks of a run by item, and what groups of items come to."""

    def __init__(self, benchmark: Benchmark, marks: dict[str, list[Mark]], repeated: dict[str, int]) -> None:
        self._benchmark = benchmark
        self._marks = marks
        self._repeated = repeated

    def group(self, name: str, items: Sequence[Item]) -> Group:
        """All metrics over some items."""
        measurements = tuple(self._measured(metric, items) for metric in metrics_of(self._benchmark))
        series = mean_series([self._marks[item.id] for item in items])
        return Group(name=name, counts=self._counts(items), measurements=measurements, series=series)

    def field(self, schema: AnnotationSchema, field: SchemaField) -> Group:
        """One field over all items."""
        items = self._benchmark.items
        metric = "accuracy" if field.exact else "judge_score"
        values = [
            [one.fields[field.name][metric] for one in self._marks[item.id] if metric in one.fields.get(field.name, {})]
            for item in items
        ]
        measured = _measurement(metric, values)
        if field.exact:
            measured = measured.model_copy(update={"baseline": self._majority(field.name)})
        return Group(name=field.name, counts=self._field_counts(schema, field), measurements=(measured,))

    def _measured(self, metric: str, items: Sequence[Item]) -> Measurement:
        if metric == "bleu":
            return self._bleu(items)
        if metric == "video_accuracy":
            return self._by_video(items)
        return _measurement(
            metric,
            [[one.values[metric] for one in self._marks[item.id] if metric in one.values] for item in items],
            [[one.trial for one in self._marks[item.id] if metric in one.values] for item in items],
        )

    def _by_video(self, items: Sequence[Item]) -> Measurement:
        """Mean over videos of the accuracy of each, and its standard deviation; an item without media is its own."""
        videos: defaultdict[str, list[float]] = defaultdict(list)
        for item in items:
            videos[item.video or item.id] += [one.values["accuracy"] for one in self._marks[item.id]]
        shares = [sum(values) / len(values) for values in videos.values() if values]
        measured = _measurement("video_accuracy", [[share] for share in shares])
        return measured.model_copy(update={"sd": mean_and_sd(shares)[1]}) if shares else measured

    def _bleu(self, items: Sequence[Item]) -> Measurement:
        """Corpus BLEU of all answers; one that failed or could not be read is an empty text."""
        rows = [
            bleu_statistics(one.reading if isinstance(one.reading, str) else "", reference_of(item))
            for item in items
            for one in self._marks[item.id]
        ]
        if not rows:
            return Measurement(metric="bleu")
        statistics = np.array(rows, np.float64)
        low, high = bootstrap(statistics, of=corpus_bleu)
        return Measurement(metric="bleu", value=corpus_bleu(statistics), low=low, high=high, n=len(rows))

    def _majority(self, field: str) -> float | None:
        """The share of the truths that always saying the most frequent one gets right."""
        truths = (exact_truths(self._benchmark, item) for item in self._benchmark.items)
        counted = Counter(json.dumps(truth[field]) for truth in truths if field in truth)
        return max(counted.values()) / counted.total() if counted else None

    def _counts(self, items: Sequence[Item]) -> Counts:
        marks = [one for item in items for one in self._marks[item.id]]
        states = Counter(one.state for one in marks)
        planned = len(items) * self._benchmark.settings.trials
        return Counts(
            planned=planned,
            asked=len(marks),
            answered=states["read"] + states["unparsed"],
            unparsed=states["unparsed"],
            failed=states["failed"],
            unanswered=planned - len(marks),
            repeated=sum(self._repeated.get(item.id, 0) for item in items),
            unjudged=sum(len(one.unjudged) for one in marks),
        )

    def _field_counts(self, schema: AnnotationSchema, field: SchemaField) -> Counts:
        no_reference = no_field = unjudged = 0
        for item in self._benchmark.items:
            truth = stated(schema, item.reference) if isinstance(item.reference, dict) else {}
            for one in self._marks[item.id]:
                if not isinstance(one.reading, dict):
                    continue
                no_reference += field.name not in truth
                no_field += field.name not in one.reading
                unjudged += field.name in one.unjudged
        counts = {"no_reference": no_reference, "no_field": no_field, "unjudged": unjudged}
        return self._counts(self._benchmark.items).model_copy(update=counts)


def _measurement(
    metric: str, by_item: Sequence[Sequence[float]], trials: Sequence[Sequence[int]] | None = None
) -> Measurement:
    """The mean over items of the mean over trials.

    Args:
        metric: its name.
        by_item: the values of each item's trials; an item without any is left out.
        trials: the number of each value's trial.
    """
    means = [sum(values) / len(values) for values in by_item if values]
    if not means:
        return Measurement(metric=metric)
    value = sum(means) / len(means)
    low, high = wilson(value, len(means)) if METRICS[metric].kind == "rate" else bootstrap(means)
    sd = _sd_over_trials(by_item, trials) if trials else None
    return Measurement(metric=metric, value=value, low=low, high=high, sd=sd, n=len(means))


def _sd_over_trials(by_item: Sequence[Sequence[float]], trials: Sequence[Sequence[int]]) -> float | None:
    """Standard deviation of the figure that each trial comes to; none of one trial."""
    by_trial: defaultdict[int, list[float]] = defaultdict(list)
    for values, numbers in zip(by_item, trials, strict=True):
        for value, number in zip(values, numbers, strict=True):
            by_trial[number].append(value)
    figures = [sum(values) / len(values) for values in by_trial.values()]
    return mean_and_sd(figures)[1] if len(figures) > 1 else None
