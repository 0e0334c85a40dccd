"""What repeats itself is refused; what only names things more than once is not."""

import pytest

from studio.captions.answer import UnusableAnswer, refuse_repetition

LOOP = "the green bowl falls and the green cylinder topples " * 12

PROSE = (
    "A matte red bowl on the right, a glossy green cylinder on the left and a glossy blue cylinder in the middle on a "
    "light wooden table. The robot arm pushes the green cylinder along. Bright light from the left. The camera makes a "
    "slow rise. The motors hum, and there is a bright click as the green cylinder strikes something hard. The green "
    "cylinder is to the left of the blue cylinder. The blue cylinder is to the left of the red bowl."
)


def test_a_loop_is_refused_wherever_it_stands():
    for answer in (LOOP, {"subjects": [{"description": LOOP}], "context": ""}, ["a table", LOOP]):
        with pytest.raises(UnusableAnswer, match="repeats itself"):
            refuse_repetition(answer)


def test_prose_that_names_things_again_is_none():
    refuse_repetition(PROSE)
    refuse_repetition({"temporal_caption": PROSE, "number": 3, "nothing": None})


def test_a_few_words_tell_nothing():
    refuse_repetition("no no no no no no no no")
