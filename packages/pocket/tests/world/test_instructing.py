import numpy as np
import pytest

from pocket.world.instructing import NUM_INSTRUCTIONS, instruct
from robot.objects import ObjectPose, Shape
from robot.scripted.instruction import understand


def _thing(colour: str, shape: Shape) -> ObjectPose:
    return ObjectPose(colour, shape, np.zeros(3), np.array([1.0, 0, 0, 0]), np.full(3, 0.02))


TABLE = (_thing("red", "cube"), _thing("blue", "cube"), _thing("blue", "ball"), _thing("green", "bowl"))


@pytest.mark.parametrize("seed", range(5))
def test_an_instruction_names_its_thing_and_no_other(seed: int):
    for thing in range(3):
        for text in instruct("pick", TABLE, thing, None, np.random.default_rng(seed)):
            named = [word for word in ("red", "blue", "green") if word in text]
            nouns = [word for word in ("cube", "block", "box", "ball", "sphere") if word in text]
            fitting = [
                other
                for other in TABLE
                if (not named or other.colour == named[0])
                and (not nouns or other.shape == ("ball" if nouns[0] in ("ball", "sphere") else "cube"))
            ]
            assert fitting == [TABLE[thing]], text


def test_the_usual_words_are_understood_by_the_scripted_policy():
    found = instruct("place", TABLE, 2, 3, np.random.default_rng(0))

    assert len(found) == NUM_INSTRUCTIONS
    task = understand(found[0], TABLE)
    assert task.thing is TABLE[2]
    assert task.destination is TABLE[3]
