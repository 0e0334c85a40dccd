"""Numbers: which answers have one, and how far off it is."""

from collections.abc import Callable

import pytest

from studio.captions import UnusableAnswer
from studio.errors import BadInput
from studio.evaluation import Benchmark
from studio.evaluation.forms.number import NUMBER


@pytest.fixture
def cups(benchmark_of: Callable[..., Benchmark]) -> Benchmark:
    return benchmark_of("number", {"question": "How many cups?", "reference": 8}, {"question": "x", "reference": 0})


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("8", 8),
        ("There are 8 cups.", 8),
        ("<answer>-1.5</answer>", -1.5),
        ("1,234.5 m", 1234.5),
        ("<think>3 or 4</think>4", 4),
        ('{"answer": 7}', 7),
        ("8 cups: <answer>8</answer>", 8),
        ("about 8, so 8.0", 8),
        ("1e-3", 0.001),
    ],
)
def test_the_one_number_is_read(cups: Benchmark, text: str, number: float):
    assert NUMBER.read(cups.items[0], cups, text) == number


@pytest.mark.parametrize("text", ["", "none", "3 or 4", '{"answer": "x"}', "cup8", "1.2.3"])
def test_no_number_or_several_are_unusable(cups: Benchmark, text: str):
    with pytest.raises(UnusableAnswer):
        NUMBER.read(cups.items[0], cups, text)


def test_the_errors_are_those_worked_out_by_hand(cups: Benchmark):
    assert NUMBER.measure(cups.items[0], cups, 10.0).values == {"absolute_error": 2, "relative_error": 0.25}
    assert NUMBER.measure(cups.items[1], cups, 2.0).values == {"absolute_error": 2}


@pytest.mark.parametrize("reference", ["8", None, True])
def test_a_reference_that_is_no_number_is_refused(cups: Benchmark, reference: object):
    with pytest.raises(BadInput, match="expected a number"):
        NUMBER.check(cups.items[0].model_copy(update={"reference": reference}), cups)
