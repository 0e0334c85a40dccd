"""What a person would say to the arm for a task, in varied words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pocket.world.wording import said, shape_word, with_article
from robot.objects import ObjectPose

NUM_INSTRUCTIONS = 6

PICK = (
    "pick up {0}",
    "pick {0} up",
    "grab {0}",
    "take {0}",
    "lift {0}",
    "lift up {0}",
    "please pick up {0}",
    "get {0} off the table",
    "can you pick up {0}",
    "grasp {0} and lift it",
    "hold up {0}",
    "raise {0}",
    "fetch {0}",
    "i need {0}, pick it up",
)
PLACE = (
    "put {0} in {1}",
    "place {0} in {1}",
    "drop {0} into {1}",
    "pick up {0} and put it in {1}",
    "move {0} into {1}",
    "{0} belongs in {1}, put it there",
)
STACK = (
    "put {0} on {1}",
    "stack {0} on {1}",
    "place {0} on top of {1}",
    "pick up {0} and put it on {1}",
    "set {0} on top of {1}",
    "build a tower: {0} on {1}",
)
PUSH = (
    "push {0}",
    "push {0} along the table",
    "shove {0} aside",
    "nudge {0} away",
    "give {0} a push",
    "slide {0} across the table",
)
REACH = (
    "reach for {0}",
    "move to {0}",
    "go to {0}",
    "touch {0}",
    "bring the gripper to {0}",
    "move the hand down to {0}",
)

TEMPLATES = {"pick": PICK, "place": PLACE, "stack": STACK, "push": PUSH, "reach": REACH}


def instruct(
    skill: str, objects: Sequence[ObjectPose], thing: int, destination: int | None, generator: np.random.Generator
) -> tuple[str, ...]:
    """``NUM_INSTRUCTIONS`` ways to ask for it; the first is the usual one: "pick up the red cube"."""
    if skill == "none":
        return ()
    templates = TEMPLATES[skill]
    usual = [f"the {objects[index].name}" for index in (thing, destination) if index is not None]
    found = [templates[0].format(*usual)]
    while len(found) < NUM_INSTRUCTIONS:
        names = [refer(objects, index, generator) for index in (thing, destination) if index is not None]
        found.append(said(templates, generator).format(*names))
    return tuple(found)


def refer(objects: Sequence[ObjectPose], index: int, generator: np.random.Generator) -> str:
    """Words that mean this thing of the table and no other: by both, by colour alone, by shape alone."""
    thing = objects[index]
    others = [other for place, other in enumerate(objects) if place != index]
    noun = shape_word(thing.shape, generator)
    options = [f"the {thing.colour} {noun}"] * 3
    if all(other.colour != thing.colour for other in others):
        options += [f"the {thing.colour} {said(('object', 'thing', 'one'), generator)}"]
    if all(other.shape != thing.shape for other in others):
        options += [f"the {noun}", with_article(noun)] if generator.random() < 0.3 else [f"the {noun}"]
    return said(options, generator)
