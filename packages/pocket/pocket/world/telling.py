"""Stills and clips in plain words: what is there, what happens in which order, what is heard."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from pocket.world.episode import ARM_ID, GRIPPER_ID, Episode, Event
from pocket.world.wording import Group, groups_of, listed, named, place_phrase, said, sentence, with_article

ARM_WORDS = ("the robot arm", "the arm", "the robot", "a robot arm", "the gripper")

DEEDS: dict[str, tuple[str, ...]] = {
    "reach": ("reaches for the {0}", "moves down to the {0}", "approaches the {0}"),
    "grasp": ("grasps it", "closes its fingers on it", "grips it"),
    "lift": ("lifts it off the table", "lifts it up", "raises it"),
    "release": ("lets go of it", "opens its fingers", "releases it"),
    "place": ("puts it down", "sets it down"),
    "stack": ("stacks it on the {1}", "sets it on top of the {1}"),
    "push": ("pushes the {0} across the table", "pushes the {0} along", "shoves the {0} aside"),
    "drop": ("drops it", "lets it fall"),
    "miss": ("closes on nothing beside the {0}", "misses the {0} and grasps nothing"),
    "topple": ("the {0} topples over", "the {0} falls over"),
}
PLACED_IN = ("puts it in the {1}", "sets it down in the {1}", "drops it gently into the {1}")

MATERIAL_SOUNDS = {"matte": "dull knock", "glossy": "bright click", "metal": "ringing clang"}

_MOVES_M = 0.02
_ARM_SHARE = 0.004


def still_words(episode: Episode, detail: str, generator: np.random.Generator) -> str:
    """A still, as a person would ask for it."""
    assert episode.surroundings is not None
    groups = groups_of(episode)
    table = with_article(f"{episode.surroundings.table} table")
    if not groups:
        return sentence(f"an empty table: {table}")
    order = [groups[index] for index in generator.permutation(len(groups))] if detail == "short" else list(groups)
    with_places = detail != "short" or generator.random() < 0.6
    parts = [_with_place(group, generator, place=with_places, material=detail != "short") for group in order]
    where = "" if detail == "short" and generator.random() < 0.5 else f" on {table}"
    text = sentence(listed(parts) + where)
    if detail == "short":
        return text if generator.random() < 0.7 else text[:1].lower() + text[1:-1]
    if detail == "plain":
        return f"{text} {light_words(episode)}" if generator.random() < 0.5 else text
    relations = relation_words(episode, groups)
    return " ".join([text, *relations, light_words(episode), arm_words(episode), camera_words(episode)]).strip()


def clip_words(episode: Episode, detail: str, generator: np.random.Generator) -> str:
    """A clip, as a person would ask for it."""
    told = deeds(episode, generator)
    text = sentence(told)
    if detail == "short":
        return text
    groups = groups_of(episode)
    if groups:
        parts = [_with_place(group, generator, place=True, material=detail == "rich") for group in groups]
        assert episode.surroundings is not None
        table = with_article(f"{episode.surroundings.table} table")
        text = f"{sentence(f'{listed(parts)} on {table}')} {text}"
    if detail == "plain":
        return text
    return " ".join([text, light_words(episode), camera_words(episode), sound_words(episode)]).strip()


def deeds(episode: Episode, generator: np.random.Generator) -> str:
    """What the arm does within the frames, in order: "the robot arm reaches for the red cube, grasps it and lifts it
    off the table". Without an event: whether it moves, holds something or waits."""
    arm = said(ARM_WORDS, generator)
    told: list[str] = []
    other: list[str] = []
    subject: int | None = None
    put = {event.things[0] for event in episode.events if event.kind in ("place", "stack")}
    for event in episode.events:
        if event.kind == "release" and event.things[0] in put:
            continue
        if event.kind == "topple":
            other.append(_fill(said(DEEDS["topple"], generator), episode, event))
        elif event.kind != "impact":
            phrase = _deed(episode, event, generator)
            if subject != event.things[0] and "{0}" not in phrase:
                phrase = phrase.replace(" it", " the {0}", 1)
            subject = event.things[0]
            told.append(_fill(phrase, episode, event))
    if not told:
        told = [idle_words(episode, generator)]
    return f"{arm} {listed(told)}" + (f", and {listed(other)}" if other else "")


def _deed(episode: Episode, event: Event, generator: np.random.Generator) -> str:
    if event.kind == "place" and len(event.things) > 1:
        in_bowl = episode.things[event.things[1]].shape == "bowl"
        return said(PLACED_IN if in_bowl else DEEDS["stack"], generator)
    return said(DEEDS[event.kind], generator)


def _fill(phrase: str, episode: Episode, event: Event) -> str:
    return phrase.format(*[episode.things[index].name for index in event.things], *["table"] * 2)


def idle_words(episode: Episode, generator: np.random.Generator) -> str:
    """What the arm does where nothing happens."""
    held = held_thing(episode)
    hands = episode.robot.hand_positions
    moves = float(np.linalg.norm(hands - hands[0], axis=1).max()) > _MOVES_M
    if held is not None:
        name = episode.things[held].name
        options = (f"carries the {name} through the air",) if moves else (f"holds the {name} above the table",)
    elif moves:
        options = ("moves above the table", "moves over the table without touching anything")
    else:
        options = ("stands still above the table", "waits above the table")
    return said(options, generator)


def held_thing(episode: Episode) -> int | None:
    """The thing that is in the air near the fingers throughout the clip."""
    for index, thing in enumerate(episode.things):
        apart = np.linalg.norm(thing.poses[:, :3] - episode.robot.hand_positions, axis=1)
        if (apart < 0.06).all() and (thing.poses[:, 2] > thing.half_size[2] + 0.02).all():
            return index
    return None


def relation_words(episode: Episode, groups: tuple[Group, ...]) -> list[str]:
    """How single things stand to each other in the picture."""
    single = sorted(
        (group for group in groups if len(group.things) == 1),
        key=lambda group: float(episode.things[group.things[0]].boxes[0, 0]),
    )
    return [
        sentence(f"the {left.colour} {left.shape} is to the left of the {right.colour} {right.shape}")
        for left, right in pairwise(single)
        if episode.things[left.things[0]].boxes[0, 2] < episode.things[right.things[0]].boxes[0, 0]
    ]


def light_words(episode: Episode) -> str:
    """`Soft even light from the left.`"""
    assert episode.surroundings is not None
    return sentence(f"{episode.surroundings.lighting} light from {episode.surroundings.light_from}")


def camera_words(episode: Episode) -> str:
    """`The camera looks down at the table and does not move.`"""
    assert episode.camera is not None
    if episode.view == "still":
        return "Seen from the front, from a little above."
    motion = episode.camera.motion
    return "The camera does not move." if motion == "static" else sentence(f"the camera makes a {motion}")


def arm_words(episode: Episode) -> str:
    """Whether the arm is in the first picture."""
    return "A white robot arm stands behind." if arm_share(episode) > _ARM_SHARE else ""


def arm_share(episode: Episode) -> float:
    """Of the first picture."""
    if episode.segmentation is None:
        return 0.0
    return float(np.isin(episode.segmentation[0], (ARM_ID, GRIPPER_ID)).mean())


def sound_words(episode: Episode) -> str:
    """What is heard, loud things only."""
    speeds = np.abs(episode.robot.joint_velocities).max() if len(episode.frames) else 0.0
    hum = "The motors hum" if speeds > 0.1 else "It is quiet"
    struck = [event for event in episode.events if event.kind == "impact" and event.strength > 0.004]
    if not struck:
        return f"{hum}."
    loudest = max(struck, key=lambda event: event.strength)
    thing = episode.things[loudest.things[0]]
    against = f"the {episode.things[loudest.things[1]].name}" if len(loudest.things) > 1 else "something hard"
    return f"{hum}, and there is a {MATERIAL_SOUNDS[thing.material]} as the {thing.name} strikes {against}."


def _with_place(group: Group, generator: np.random.Generator, *, place: bool, material: bool) -> str:
    name = named(group, generator, material=material)
    where = place_phrase(group, row=generator.random() < 0.4) if place else ""
    return f"{name} {where}" if where else name
