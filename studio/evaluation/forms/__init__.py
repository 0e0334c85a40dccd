"""The forms of questions: how an item is asked, how its answer is read, and what it is worth."""

from studio.captions import UnusableAnswer
from studio.errors import BadInput
from studio.evaluation.answers import Answer
from studio.evaluation.benchmark import Benchmark, Form, Item
from studio.evaluation.forms.boxes import BOXES
from studio.evaluation.forms.choice import CHOICE
from studio.evaluation.forms.events import EVENTS
from studio.evaluation.forms.fields import FIELDS
from studio.evaluation.forms.form import AnswerForm, ForJudge, Measured
from studio.evaluation.forms.generation import GENERATION
from studio.evaluation.forms.intervals import INTERVALS
from studio.evaluation.forms.number import NUMBER
from studio.evaluation.forms.points import POINTS
from studio.evaluation.forms.policy import POLICY
from studio.evaluation.forms.text import TEXT
from studio.requests import nearest

__all__ = ["FORMS", "AnswerForm", "ForJudge", "Measured", "check", "check_metrics", "for_judge", "metrics_of"]

FORMS: dict[Form, AnswerForm] = {
    "choice": CHOICE,
    "text": TEXT,
    "number": NUMBER,
    "boxes": BOXES,
    "points": POINTS,
    "intervals": INTERVALS,
    "events": EVENTS,
    "fields": FIELDS,
    "policy": POLICY,
    "generation": GENERATION,
}


def check(benchmark: Benchmark) -> None:
    """Look at every item before anything is asked.

    Raises:
        BadInput: an item has not what the form needs, or a metric is not one of the form's; `param` is its path.
    """
    check_metrics(benchmark)
    for number, item in enumerate(benchmark.items):
        try:
            FORMS[benchmark.form].check(item, benchmark)
        except BadInput as error:
            raise BadInput(
                f"Item {item.id}: {error.message}", param=f"items.{number}.{error.param}", hint=error.hint
            ) from None


def check_metrics(benchmark: Benchmark) -> None:
    """Raises BadInput: a metric is not one of the form's."""
    known = FORMS[benchmark.form].metrics
    for number, name in enumerate(benchmark.metrics):
        if name not in known:
            raise BadInput(
                f"{name} is not a metric of the form {benchmark.form}.",
                param=f"metrics.{number}",
                hint=nearest(name, known),
            )


def metrics_of(benchmark: Benchmark) -> tuple[str, ...]:
    """The metrics that are drawn up: the benchmark's choice, else all of its form."""
    return benchmark.metrics or FORMS[benchmark.form].metrics


def for_judge(benchmark: Benchmark, item: Item, answer: Answer) -> tuple[ForJudge, ...]:
    """What a judge has to compare of an answer; nothing of one that failed or cannot be read."""
    if answer.error is not None:
        return ()
    form = FORMS[benchmark.form]
    try:
        reading = form.read(item, benchmark, answer.text)
    except UnusableAnswer:
        return ()
    return form.measure(item, benchmark, reading).judged
