"""Free text: exact match, and BLEU against sacrebleu and a hand-worked example."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import sacrebleu

from studio.captions import UnusableAnswer
from studio.errors import BadInput
from studio.evaluation import Benchmark
from studio.evaluation.forms.text import TEXT, bleu_statistics, corpus_bleu

TRUTH = "the cat is on the mat"
SAID = "the cat sat on the mat"


def corpus(answers: list[str], truths: list[str]) -> float:
    return corpus_bleu(np.array([bleu_statistics(*pair) for pair in zip(answers, truths, strict=True)]))


@pytest.fixture
def cats(benchmark_of: Callable[..., Benchmark]) -> Benchmark:
    return benchmark_of("text", {"question": "Where is the cat?", "reference": TRUTH, "judge_question": "Where?"})


def test_bleu_is_the_one_worked_out_by_hand():
    # Equal n-grams 5/6, 3/5, 1/4 and none of 3, which exponential smoothing counts as 1/2: 1/6. No brevity penalty.
    by_hand = math.exp((math.log(5 / 6) + math.log(3 / 5) + math.log(1 / 4) + math.log(1 / 6)) / 4)

    assert corpus([SAID], [TRUTH]) == pytest.approx(by_hand, abs=1e-6)


def test_bleu_is_sacrebleus_from_0_to_1(cats: Benchmark):
    answers = [SAID, "A dog sleeps, outside.", TRUTH]
    truths = [TRUTH, "Outside, a dog is sleeping.", TRUTH]

    assert corpus(answers, truths) == pytest.approx(sacrebleu.corpus_bleu(answers, [truths]).score / 100)
    assert TEXT.measure(cats.items[0], cats, SAID).values["sentence_bleu"] == pytest.approx(
        sacrebleu.sentence_bleu(SAID, [TRUTH]).score / 100
    )


@pytest.mark.parametrize(("said", "right"), [(TRUTH, 1), ("The cat  is\non the mat.", 1), (SAID, 0)])
def test_exact_match_overlooks_case_space_and_the_period(cats: Benchmark, said: str, right: int):
    assert TEXT.measure(cats.items[0], cats, said).values["exact_match"] == right


def test_a_judge_is_given_both_texts_and_the_judges_question(cats: Benchmark):
    (pair,) = TEXT.measure(cats.items[0], cats, SAID).judged

    assert pair == ("", "Where?", TRUTH, SAID)


def test_the_answer_is_what_follows_the_thinking(cats: Benchmark):
    assert TEXT.read(cats.items[0], cats, f"<think>hm</think><answer>{TRUTH}</answer>") == TRUTH


@pytest.mark.parametrize("text", ["", "  ", "<think>on and on", "top of top of " * 40])
def test_an_empty_or_degenerate_answer_is_unusable(cats: Benchmark, text: str):
    with pytest.raises(UnusableAnswer):
        TEXT.read(cats.items[0], cats, text)


@pytest.mark.parametrize(("name", "value"), [("reference", ""), ("reference", 3), ("question", " ")])
def test_an_item_without_a_text_is_refused(cats: Benchmark, name: str, value: object):
    with pytest.raises(BadInput) as refused:
        TEXT.check(cats.items[0].model_copy(update={name: value}), cats)
    assert refused.value.param == name
