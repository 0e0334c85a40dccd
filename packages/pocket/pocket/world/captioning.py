"""Structured captions of an episode, in the schema that the generator is trained to read."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pocket.world.episode import Episode, Event, EventKind, Wording
from pocket.world.telling import (
    arm_share,
    camera_words,
    clip_words,
    deeds,
    light_words,
    relation_words,
    sound_words,
    still_words,
)
from pocket.world.wording import Group, groups_of, listed, named, place_phrase, with_article
from studio.captions import Controls, ImageCaption, VideoCaption, VideoFacts, serialise
from studio.captions.timing import clock

MATERIAL_LOOKS = {
    "matte": "plain matte surface",
    "glossy": "smooth glossy surface with soft highlights",
    "metal": "polished metal with bright highlights",
    "": "smooth plain surfaces",
}

SUFFERS: dict[EventKind, str] = {
    "reach": "is reached for",
    "grasp": "is grasped",
    "lift": "is lifted",
    "release": "is let go",
    "place": "is put down",
    "stack": "is stacked",
    "push": "is pushed",
    "drop": "is dropped",
    "miss": "is missed",
    "impact": "is struck",
    "topple": "topples over",
}
"""What happens to the thing of an event."""

_QUADRANTS = {"top_left": (0, 0), "top_right": (1, 0), "bottom_left": (0, 1), "bottom_right": (1, 1)}
Detail = Literal["short", "plain", "rich"]


def word_episode(episode: Episode, generator: np.random.Generator) -> tuple[Wording, ...]:
    """Two wordings of every detail; those of one detail tell the same in other words."""
    details: tuple[Detail, ...] = ("short", "plain", "rich")
    return tuple(_word(episode, detail, generator) for detail in details for _ in range(2))


def _word(episode: Episode, detail: Detail, generator: np.random.Generator) -> Wording:
    is_still = episode.view == "still"
    prose = (still_words if is_still else clip_words)(episode, detail, generator)
    fields = _fields(episode, detail, generator)
    if is_still:
        caption = ImageCaption.model_validate(fields | {"comprehensive_t2i_caption": prose} | _media(episode))
    else:
        caption = VideoCaption.model_validate(fields | _motion(episode, detail, prose, generator) | _media(episode))
    return Wording(detail, prose, serialise(caption))


def clip_facts(episode: Episode) -> VideoFacts:
    """What a file of its frames would say; a still as a clip of one frame a second."""
    height, width = episode.frames.shape[1:3]
    return VideoFacts(
        width=width,
        height=height,
        duration_s=episode.duration_s,
        fps=max(1, episode.fps),
        num_frames=len(episode.frames),
    )


def _media(episode: Episode) -> dict[str, Any]:
    # A clip of 1.6 s is told as one of `1s`, as a request for it would be.
    whole = Controls.of_clip(clip_facts(episode)).media | {"duration": f"{int(episode.duration_s)}s"}
    return whole if episode.fps else {name: whole[name] for name in ("resolution", "aspect_ratio")}


def _fields(episode: Episode, detail: Detail, generator: np.random.Generator) -> dict[str, Any]:
    """What captions of stills and clips share; the richer, the fuller."""
    assert episode.surroundings is not None
    surroundings = episode.surroundings
    groups = groups_of(episode)
    is_rich = detail == "rich"
    subjects = [_subject(episode, group, detail, generator) for group in groups[:5]]
    if arm_share(episode) > 0.004:
        subjects.append(_arm_subject(detail))
    camera: dict[str, Any] = {}
    lighting: dict[str, Any] = {"conditions": f"{surroundings.lighting} light"}
    if detail != "short":
        lighting["direction"] = f"from {surroundings.light_from}"
        camera = {"framing": "medium shot of the table", "camera_angle": "from the front, looking down"}
    if is_rich:
        hard = surroundings.lighting in ("bright", "strong side")
        lighting["shadows"] = "clear shadows on the table" if hard else "faint shadows on the table"
        camera |= {"depth_of_field": "deep", "focus": "everything is sharp"}
    if episode.view == "clip" and episode.camera is not None and detail != "short":
        camera["camera_motion"] = episode.camera.motion
    fields: dict[str, Any] = {
        "subjects": subjects,
        "background_setting": f"{with_article(f'{surroundings.table} table')} in a plain grey room",
        "lighting": lighting,
        "aesthetics": {"color_scheme": listed([*dict.fromkeys(group.colour for group in groups), "grey"])}
        if is_rich
        else {},
        "cinematography": camera,
        "style_medium": "computer rendering",
        "artistic_style": "clean simulation" if detail != "short" else "",
        "context": "a robot's tabletop" if detail != "short" else "",
    }
    if episode.view == "still":
        fields["quadrant_scan"] = _quadrants(episode, groups) if detail != "short" else {}
    return fields


def _subject(episode: Episode, group: Group, detail: Detail, generator: np.random.Generator) -> dict[str, Any]:
    name = named(group, generator, material=detail != "short", varied=False)
    subject: dict[str, Any] = {"description": name}
    place = place_phrase(group, row=detail == "rich")
    if place:
        subject["location"] = place
    subject["number_of_subjects"] = len(group.things)
    if detail == "rich":
        subject["appearance_details"] = MATERIAL_LOOKS[group.material]
        share = sum(float(episode.things[index].visible[0]) for index in group.things)
        subject["relative_size"] = "large" if share > 0.04 else "medium" if share > 0.012 else "small"
    if episode.view == "clip":
        mine = [event for event in episode.events if event.things[:1] == group.things[:1] and event.kind != "impact"]
        if mine:
            subject["action"] = listed([*dict.fromkeys(SUFFERS[event.kind] for event in mine)])
            subject["state_changes"] = _changes(episode, group)
    return subject


def _changes(episode: Episode, group: Group) -> str:
    thing = episode.things[group.things[0]]
    moved = thing.poses[-1, :3] - thing.poses[0, :3]
    if moved[2] > 0.03:
        return "is higher at the end than at the start"
    if moved[2] < -0.03:
        return "is lower at the end than at the start"
    return "has moved across the table" if float(np.hypot(moved[0], moved[1])) > 0.015 else "stays where it is"


def _arm_subject(detail: Detail) -> dict[str, Any]:
    subject: dict[str, Any] = {"description": "a white robot arm with a black two-finger gripper"}
    if detail != "short":
        subject["location"] = "behind the table"
    subject["number_of_subjects"] = 1
    return subject


def _quadrants(episode: Episode, groups: tuple[Group, ...]) -> dict[str, str]:
    scan: dict[str, str] = {}
    for name, (column, row) in _QUADRANTS.items():
        here: list[str] = []
        for group in groups:
            for index in group.things:
                x1, y1, x2, y2 = (float(value) for value in episode.things[index].boxes[0])
                if ((x1 + x2) / 2 >= 500) == bool(column) and ((y1 + y2) / 2 >= 500) == bool(row):
                    here.append(with_article(f"{group.colour} {group.shape}"))
        scan[name] = listed(here) if here else "empty table"
    return scan


def _motion(episode: Episode, detail: Detail, prose: str, generator: np.random.Generator) -> dict[str, Any]:
    last_s = int(episode.duration_s)
    whole = f"{clock(0)}-{clock(last_s)}"
    told = [event for event in episode.events if event.kind not in ("impact",)]
    actions = [{"time": _timing(event, last_s), "description": event_words(episode, event)} for event in told[:12]] or [
        {"time": whole, "description": deeds(episode, generator)}
    ]
    segment: dict[str, Any] = {"segment_index": 0, "time_range": whole, "description": deeds(episode, generator)}
    fields: dict[str, Any] = {"actions": actions, "segments": [segment]}
    if detail == "rich":
        segment["camera"] = camera_words(episode)
        relations = relation_words(episode, groups_of(episode))
        prose = " ".join([prose, *relations])
        if light_words(episode) not in prose:
            prose = f"{prose} {light_words(episode)}"
    fields["temporal_caption"] = prose
    if detail != "short":
        fields["audio_description"] = sound_words(episode)
    return fields


def _timing(event: Event, last_s: int) -> str:
    return f"{clock(min(int(event.start_s), last_s))}-{clock(min(int(event.end_s), last_s))}"


def event_words(episode: Episode, event: Event) -> str:
    """`the red cube is lifted`, `the red cube is stacked on the blue cube`."""
    name = episode.things[event.things[0]].name
    words = f"the {name} {SUFFERS[event.kind]}"
    if len(event.things) > 1:
        below = episode.things[event.things[1]]
        words += f" {'in' if below.shape == 'bowl' else 'on'} the {below.name}"
    return words
