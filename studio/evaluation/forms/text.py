"""Free text: exact match, BLEU, and a judge's 1 to 5."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from studio.captions import sendable
from studio.captions.answer import refuse_repetition
from studio.errors import BadInput
from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.forms.form import AnswerForm, ForJudge, Measured, inside_answer, put, spoken
from studio.evaluation.statistics import Array
from studio.prompting.question import MediaPart, Question
from studio.requests import shown

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU, BLEUScore


def check(item: Item, benchmark: Benchmark) -> None:
    """A text as reference, and a question to a model."""
    if not isinstance(item.reference, str) or not item.reference.strip():
        raise BadInput(f"reference is {shown(item.reference)}; expected a text.", param="reference")
    if not item.question.strip():
        raise BadInput("question is empty; expected what is asked.", param="question")


def question(item: Item, benchmark: Benchmark, media: Sequence[MediaPart], trial: int) -> Question:
    """The question as it is."""
    return put(benchmark, item.question, media, trial)


def read(item: Item, benchmark: Benchmark, text: str) -> str:
    """The answer without its thinking; one that repeats itself is unusable."""
    answer = inside_answer(spoken(text))
    refuse_repetition(answer)
    return sendable(answer)


def measure(item: Item, benchmark: Benchmark, reading: str) -> Measured:
    """Exact match and sentence BLEU; corpus BLEU is of many answers together."""
    reference = reference_of(item)
    values = {
        "exact_match": float(plain(reading) == plain(reference)),
        "sentence_bleu": _bleu(effective_order=True).sentence_score(reading, [reference]).score / 100,
    }
    asked = item.judge_question or item.question
    return Measured(values, judged=(ForJudge("", asked, reference, reading),))


def reference_of(item: Item) -> str:
    """The truth, which `check` has looked at."""
    assert isinstance(item.reference, str)
    return item.reference


def plain(text: str) -> str:
    """A text without its case, its final period and runs of white space: `Two  cubes.` is `two cubes`."""
    return " ".join(text.split()).rstrip(".").casefold()


def bleu_statistics(answer: str, reference: str) -> list[float]:
    """What corpus BLEU is computed of: lengths of answer and reference, then matches and totals of 1- to 4-grams."""
    found = _bleu(effective_order=False).corpus_score([answer], [[reference]])
    return [found.sys_len, found.ref_len, *found.counts, *found.totals]


def corpus_bleu(statistics: Array) -> float:
    """Corpus BLEU-4 from 0 to 1: sacrebleu's with tokenizer 13a, exponential smoothing and one reference for each.

    Args:
        statistics: float64 [answers, 10], a row of `bleu_statistics` for each.
    """
    from sacrebleu.metrics.bleu import BLEU

    sys_len, ref_len, *ngrams = (int(total) for total in statistics.sum(axis=0))
    compute = cast("Callable[..., BLEUScore]", BLEU.compute_bleu)  # pyright: ignore[reportUnknownMemberType]
    return compute(ngrams[:4], ngrams[4:], sys_len, ref_len, smooth_method="exp").score / 100


@functools.cache
def _bleu(*, effective_order: bool) -> BLEU:
    # A third of a second to import, which only those who score texts wait for.
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=effective_order)


TEXT = AnswerForm(("judge_score", "bleu", "sentence_bleu", "exact_match", "parseable"), check, question, read, measure)
