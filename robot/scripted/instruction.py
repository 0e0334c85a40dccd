"""From words to things: "put the red cube in the bowl" names two of those on the table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from robot.objects import ObjectPose, Shape

RefusalCode = Literal["prompt_not_understood", "object_not_found", "object_ambiguous", "poses_missing"]


EXAMPLES = "pick up the red cube, or: put the red cube in the bowl"

_SHAPE_WORDS: dict[str, Shape] = {
    "cube": "cube",
    "block": "cube",
    "box": "cube",
    "cylinder": "cylinder",
    "can": "cylinder",
    "ball": "ball",
    "sphere": "ball",
    "bowl": "bowl",
    "dish": "bowl",
}
_ANY_SHAPE = {"object", "thing", "one", "item"}
_SAYS_NOTHING = {"the", "a", "an", "small", "little", "big", "large", "up", "from", "off", "table"}

_TAKE = r"pick(?: up)?|grasp|grab|lift(?: up)?|take|get|hold|fetch"
_PUT = r"put|place|move|drop|stack|set"
_ONTO = r"on top of|onto|on|into|inside|in"
_SENTENCE = re.compile(
    rf"(?:please )?(?:(?:{_TAKE}) (?P<taken>.+?)(?: and (?:{_PUT}) it (?:{_ONTO}) (?P<there>.+))?"
    rf"|(?:{_PUT}) (?P<put>.+?) (?:{_ONTO}) (?P<onto>.+))"
)

_NAMES = ("taken", "there", "put", "onto")


class Refusal(Exception):  # noqa: N818 - it is an answer
    """It was understood, and cannot be done.

    Args:
        code: stable; a program may branch on it.
        message: what came and what there is, for a person.
        hint: what to do.
    """

    def __init__(self, code: RefusalCode, message: str, hint: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


@dataclass(frozen=True)
class Task:
    """What is to be done.

    Attributes:
        thing: to take.
        destination: to put it in or on; none to hold it up.
    """

    thing: ObjectPose
    destination: ObjectPose | None = None


def understand(prompt: str, objects: Sequence[ObjectPose]) -> Task:
    """The task of a prompt on this table.

    Raises:
        Refusal: the sentence is of another kind, or names nothing here, or more than one thing.
    """
    spoken = re.sub(r"[^a-z ]+", " ", prompt.lower())
    found = _SENTENCE.fullmatch(" ".join(spoken.split()))
    named = [] if found is None else [_telling_words(found[group]) for group in _NAMES if found[group] is not None]
    if not named or not all(named):
        raise Refusal(
            "prompt_not_understood",
            f"The scripted policy does not understand {prompt!r:.200}.",
            f"For example: {EXAMPLES}.",
        )
    thing = _find(named[0], objects)
    destination = None if len(named) == 1 else _find(named[1], [other for other in objects if other is not thing])
    return Task(thing, destination)


def _telling_words(phrase: str) -> list[str]:
    return [word for word in phrase.split() if word not in _SAYS_NOTHING]


def _find(words: Sequence[str], objects: Sequence[ObjectPose]) -> ObjectPose:
    """The one thing that every word fits."""
    fitting = [thing for thing in objects if all(_fits(word, thing) for word in words)]
    if len(fitting) == 1:
        return fitting[0]
    there = ", ".join(thing.name for thing in objects) or "nothing"
    called = " ".join(words)
    if not fitting:
        raise Refusal("object_not_found", f"There is no {called} on the table.", f"On the table: {there}.")
    matches = " and ".join(f"the {thing.name}" for thing in fitting)
    raise Refusal("object_ambiguous", f"{called!r} names more than one thing: {matches}.", "Include the colour.")


def _fits(word: str, thing: ObjectPose) -> bool:
    return word == thing.colour or word in _ANY_SHAPE or _SHAPE_WORDS.get(word) == thing.shape
