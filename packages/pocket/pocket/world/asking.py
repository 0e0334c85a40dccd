"""Questions about an episode and their right answers, from what is known of the scene."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from string import Template

import numpy as np

from pocket.world.captioning import event_words
from pocket.world.episode import Episode, Event, Question, QuestionKind
from pocket.world.telling import clip_words, deeds, still_words
from pocket.world.wording import NUMBERS, SHAPE_WORDS, Group, groups_of, middle_of, plural, said, sentence, with_article
from robot.simulation.arrangement import COLOURS
from studio.prompting.tasks import ReasonerTask, load_tasks

DEED_QUESTIONS = ("What does the robot arm do?", "What happens in this clip?", "What is the robot doing?")
NEXT_STEPS = {
    "reach": "grasp the {0}",
    "grasp": "lift the {0}",
    "lift": "hold the {0} above the table",
    "miss": "open the fingers and try again",
    "drop": "pick up the {0} again",
    "release": "move the hand away from the {0}",
}
OUTCOMES = {
    "succeeded": "Yes.",
    "missed": "No, the fingers closed on nothing.",
    "dropped": "No, the {0} was dropped.",
}


def ask(episode: Episode, generator: np.random.Generator) -> tuple[Question, ...]:
    """Questions of every kind that this episode can answer."""
    groups = groups_of(episode)
    found = [*_counts(groups, generator), *_features(groups, generator), *_relations(episode, groups, generator)]
    found += _located(episode, groups, generator)
    if episode.view == "clip":
        found += _moments(episode, generator)
    return tuple(found)


def _counts(groups: Sequence[Group], generator: np.random.Generator) -> list[Question]:
    total = sum(len(group.things) for group in groups)
    found = [_count("How many objects are on the table?", total)]
    colour, shape = said(list(COLOURS), generator), said(list(SHAPE_WORDS), generator)
    of_colour = sum(len(group.things) for group in groups if group.colour == colour)
    of_shape = sum(len(group.things) for group in groups if group.shape == shape)
    found.append(_count(f"How many {colour} objects are there?", of_colour))
    found.append(_count(f"How many {plural(shape)} are there?", of_shape))
    if groups:
        group = groups[int(generator.integers(len(groups)))]
        asked = f"How many {group.colour} {plural(group.shape)} are there?"
        found.append(_count(asked, len(group.things)))
    is_there = [(group.colour, group.shape) for group in groups]
    named = is_there[int(generator.integers(len(is_there)))] if is_there and generator.random() < 0.5 else None
    asked_colour, asked_shape = named or (colour, shape)
    answer = "Yes." if (asked_colour, asked_shape) in is_there else "No."
    wrong = "No." if answer == "Yes." else "Yes."
    found.append(Question("exists", f"Is there {with_article(asked_colour)} {asked_shape}?", answer, (wrong,)))
    return found


def _count(question: str, count: int) -> Question:
    wrong = tuple(sentence(NUMBERS[other]) for other in range(len(NUMBERS)) if other != count)
    return Question("count", question, sentence(NUMBERS[count]) if count else "None.", wrong)


def _features(groups: Sequence[Group], generator: np.random.Generator) -> list[Question]:
    """Colour of the only one of a shape, shape of the only one of a colour, the third of the picture it is in."""
    found: list[Question] = []
    for group in groups:
        if len(group.things) > 1:
            continue
        if sum(other.shape == group.shape for other in groups) == 1:
            wrong = tuple(sentence(colour) for colour in COLOURS if colour != group.colour)
            found.append(Question("colour", f"What colour is the {group.shape}?", sentence(group.colour), wrong))
        if sum(other.colour == group.colour for other in groups) == 1:
            wrong = tuple(sentence(f"a {shape}") for shape in SHAPE_WORDS if shape != group.shape)
            asked = f"What shape is the {group.colour} object?"
            found.append(Question("shape", asked, sentence(f"a {group.shape}"), wrong))
        if group.column:
            places = {"left": "On the left.", "middle": "In the middle.", "right": "On the right."}
            wrong = tuple(place for column, place in places.items() if column != group.column)
            asked = f"Where in the picture is the {group.colour} {group.shape}?"
            found.append(Question("place", asked, places[group.column], wrong))
    return [found[index] for index in generator.permutation(len(found))[:5]]


def _relations(episode: Episode, groups: Sequence[Group], generator: np.random.Generator) -> list[Question]:
    single = [group for group in groups if len(group.things) == 1]
    single = [single[index] for index in generator.permutation(len(single))]
    found: list[Question] = []
    for one, other in list(pairwise(single))[:2]:
        mine, its = (middle_of(episode.things[group.things[0]], 0) for group in (one, other))
        if abs(mine[0] - its[0]) < 60:
            continue
        answer, wrong = ("To the left.", "To the right.") if mine[0] < its[0] else ("To the right.", "To the left.")
        asked = f"Is the {one.colour} {one.shape} to the left or to the right of the {other.colour} {other.shape}?"
        found.append(Question("relation", asked, answer, (wrong,)))
    return found


def _located(episode: Episode, groups: Sequence[Group], generator: np.random.Generator) -> list[Question]:
    """Boxes and points of the first frame, and descriptions of the whole, in the words of the studio's tasks."""
    found: list[Question] = []
    things = [index for group in groups for index in group.things]
    if things:
        every = said(("every object on the table", "all objects", "every thing on the table"), generator)
        found.append(_task("boxes", "grounding", {"subject": every}, _boxes(episode, things)))
        group = groups[int(generator.integers(len(groups)))]
        name = f"the {group.colour} {group.shape if len(group.things) == 1 else plural(group.shape)}"
        found.append(_task("boxes", "grounding", {"subject": name}, _boxes(episode, group.things)))
        points = [
            {
                "point_2d": [round(value) for value in middle_of(episode.things[index], 0)],
                "label": _name(episode, index),
            }
            for index in group.things
        ]
        found.append(_task("points", "pointing", {"target": name}, json.dumps(points)))
    absent = [colour for colour in COLOURS if all(group.colour != colour for group in groups)]
    if absent and generator.random() < 0.3:
        name = f"the {said(absent, generator)} {said(('cube', 'ball', 'cylinder'), generator)}"
        found.append(_task("boxes", "grounding", {"subject": name}, "[]"))
    told = (still_words if episode.view == "still" else clip_words)(episode, "rich", generator)
    found.append(_task("caption", "caption", {}, told))
    return found


def _boxes(episode: Episode, things: Sequence[int]) -> str:
    entries = [
        {"bbox_2d": [round(float(value)) for value in episode.things[index].boxes[0]], "label": _name(episode, index)}
        for index in sorted(things, key=lambda index: float(episode.things[index].boxes[0, 0]))
    ]
    return json.dumps(entries)


def _moments(episode: Episode, generator: np.random.Generator) -> list[Question]:
    """What happens and when."""
    told = [event for event in episode.events if event.kind != "impact"]
    found = [Question("action", said(DEED_QUESTIONS, generator), sentence(deeds(episode, generator)))]
    # A generator's own narrative is long; whole clips are told event by event.
    everything = {"event": "every action or event that can be told apart"}
    found.append(_task("intervals", "temporal-localisation", everything, _intervals(episode, told)))
    for event in told[:3]:
        same = [other for other in told if (other.kind, other.things) == (event.kind, event.things)]
        named = {"event": event_words(episode, event)}
        found.append(_task("intervals", "temporal-localisation", named, _intervals(episode, same)))
    if told and told[-1].kind in NEXT_STEPS:
        step = NEXT_STEPS[told[-1].kind].format(episode.things[told[-1].things[0]].name)
        found.append(Question("next", "What will the robot most likely do next?", sentence(step)))
    task = episode.task
    if task.thing is not None and task.outcome in OUTCOMES and _shows_end(episode, told):
        name = episode.things[task.thing].name
        asked = f'The task was: "{task.instructions[0]}". Did the robot do it?'
        right = OUTCOMES[task.outcome].format(name)
        wrong = tuple(text.format(name) for text in OUTCOMES.values() if text.format(name) != right)
        found.append(Question("outcome", asked, right, wrong))
    return found


def _shows_end(episode: Episode, told: Sequence[Event]) -> bool:
    """Whether what decides is seen."""
    decides = {
        "pick": ("lift", "miss", "drop"),
        "place": ("place", "miss", "drop"),
        "stack": ("stack", "place", "miss", "drop"),
        "push": ("push",),
        "reach": ("reach",),
        "none": (),
    }[episode.task.skill]
    return any(event.kind in decides and event.things[0] == episode.task.thing for event in told)


def _intervals(episode: Episode, events: Sequence[Event]) -> str:
    entries = [
        {"start": _clock(event.start_s), "end": _clock(event.end_s), "caption": sentence(event_words(episode, event))}
        for event in events
    ]
    return json.dumps(entries)


def _clock(time_s: float) -> str:
    """`00:01.30`, as the task asks for."""
    return f"{int(time_s) // 60:02d}:{time_s % 60:05.2f}"


def _name(episode: Episode, index: int) -> str:
    return episode.things[index].name


@lru_cache(maxsize=1)
def _tasks() -> dict[str, ReasonerTask]:
    return load_tasks()


def _task(kind: QuestionKind, task_id: str, said_words: dict[str, str], answer: str) -> Question:
    """A question in the words in which the studio asks it."""
    task = _tasks()[task_id]
    words = {field.name: said_words.get(field.name, field.default) for field in task.fields}
    return Question(kind, Template(task.prompt.strip()).substitute(words), answer)
