import numpy as np
import pytest

from robot.objects import ObjectPose, Shape
from robot.scripted.instruction import Refusal, understand


def _thing(colour: str, shape: Shape) -> ObjectPose:
    return ObjectPose(colour, shape, np.zeros(3), np.array([1.0, 0, 0, 0]), np.full(3, 0.02))


TABLE = [_thing("red", "cube"), _thing("blue", "cube"), _thing("green", "cylinder"), _thing("purple", "bowl")]


@pytest.mark.parametrize(
    ("prompt", "thing", "destination"),
    [
        ("pick up the red cube", "red cube", None),
        ("Pick up the RED block.", "red cube", None),
        ("please grasp the green object", "green cylinder", None),
        ("lift the bowl", "purple bowl", None),
        ("take the small blue cube from the table", "blue cube", None),
        ("put the red cube in the bowl", "red cube", "purple bowl"),
        ("pick up the green cylinder and place it into the purple bowl", "green cylinder", "purple bowl"),
        ("stack the red cube on top of the blue cube", "red cube", "blue cube"),
        ("move the red one onto the blue one", "red cube", "blue cube"),
        ("put the red cube on the cube", "red cube", "blue cube"),
    ],
)
def test_it_understands(prompt: str, thing: str, destination: str | None):
    task = understand(prompt, TABLE)

    assert task.thing.name == thing
    assert (task.destination.name if task.destination else None) == destination


@pytest.mark.parametrize(
    ("prompt", "code", "says"),
    [
        ("pick up the yellow cube", "object_not_found", "There is no yellow cube on the table."),
        ("pick up the banana", "object_not_found", "There is no banana"),
        ("pick up the red bowl", "object_not_found", "There is no red bowl"),
        ("put the red cube in the sink", "object_not_found", "There is no sink"),
        ("pick up the cube", "object_ambiguous", "the red cube and the blue cube"),
        ("pick up", "prompt_not_understood", "does not understand"),
        ("dance", "prompt_not_understood", "does not understand 'dance'"),
        ("", "prompt_not_understood", "does not understand"),
        ("pick up the", "prompt_not_understood", "does not understand"),
    ],
)
def test_it_says_why_not(prompt: str, code: str, says: str):
    with pytest.raises(Refusal) as caught:
        understand(prompt, TABLE)

    assert caught.value.code == code
    assert says in caught.value.message
    assert caught.value.hint


def test_a_missing_thing_is_answered_with_what_there_is():
    with pytest.raises(Refusal) as caught:
        understand("pick up the yellow cube", TABLE)

    assert caught.value.hint == "On the table: red cube, blue cube, green cylinder, purple bowl."


def test_a_long_prompt_of_repeated_words_is_answered_at_once():
    with pytest.raises(Refusal):
        understand("put " + "a in " * 380, TABLE)
