"""A world of flat shapes that stands in for the tabletop: the same episodes, drawn in a millisecond."""

from __future__ import annotations

import json

import numpy as np

from pocket.train.shards import Source
from pocket.world.episode import (
    FIRST_THING_ID,
    TABLE_ID,
    Camera,
    Critique,
    Episode,
    Event,
    Question,
    Robot,
    Task,
    Thing,
    View,
    Wording,
)

COLOURS = {"red": (220, 30, 30), "green": (30, 160, 50), "blue": (30, 60, 210), "yellow": (235, 215, 40)}
SHAPES = ("cube", "ball")
PLACES = ("left", "right")
SIDE = 64
VIEWS: tuple[View, ...] = ("still", "clip", "policy", "glance")


def flat_episodes(source: Source, seed: int) -> list[Episode]:
    """What a shard has of a seed."""
    return [flat_episode("glance" if source == "beginnings" else source, seed)]


def flat_episode(view: View, seed: int, side: int = SIDE) -> Episode:
    """One shape on grey; in a clip it moves to the other side."""
    random = np.random.default_rng([seed, VIEWS.index(view)])
    colour = list(COLOURS)[random.integers(len(COLOURS))]
    shape, place = SHAPES[random.integers(2)], PLACES[random.integers(2)]
    acts = view in ("policy", "glance")
    num_frames = {"still": 1, "clip": 17}.get(view, 40)
    fps = {"still": 0, "clip": 10}.get(view, 15)
    height, width = (54, 64) if acts else (side, side)
    start, end = (0.28, 0.72) if place == "left" else (0.72, 0.28)
    across = start + (end - start) * np.linspace(0, 1, num_frames) if num_frames > 1 else np.array([start])
    frames, masks = zip(*(_drawn(height, width, x, colour, shape) for x in across), strict=True)
    mask = np.stack(masks)
    robot = _robot(num_frames, across, acts=acts)
    shown = np.stack(frames)[robot.chunk_starts] if view == "glance" else np.stack(frames)
    thing = _thing(colour, shape, across)
    return Episode(
        seed=seed,
        view=view,
        fps=fps,
        frames=shown,
        depth=None if acts else np.where(mask, 0.8, 1.2).astype(np.float16),
        segmentation=None if acts else np.where(mask, FIRST_THING_ID, TABLE_ID).astype(np.uint8),
        sound=_sound(num_frames / fps, seed) if view == "clip" else None,
        things=(thing,),
        robot=robot,
        camera=None if acts else _camera(num_frames),
        task=Task("push", "succeeded", 0, None, (f"Push the {thing.name}.", f"Move the {thing.name} over."))
        if view != "still"
        else Task("none", "none"),
        events=(Event("push", 0.2, 1.0, (0,)),) if view == "clip" else (),
        wordings=() if acts else _wordings(thing.name, place, view),
        questions=(
            Question("colour", "What colour is it?", colour),
            Question("boxes", "Find the shape.", json.dumps([{"bbox_2d": [1, 2, 3, 4], "label": thing.name}])),
        ),
        critiques=(Critique(f"a {thing.name}", ((thing.name, "present"),), True, "It is there."),),
    )


def _drawn(height: int, width: int, across: float, colour: str, shape: str) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = np.mgrid[:height, :width]
    dx, dy, radius = columns - across * width, rows - height / 2, height * 0.2
    mask = np.maximum(abs(dx), abs(dy)) < radius if shape == "cube" else dx**2 + dy**2 < radius**2
    return np.where(mask[..., None], COLOURS[colour], (110, 110, 110)).astype(np.uint8), mask


def _thing(colour: str, shape: str, across: np.ndarray) -> Thing:
    poses = np.zeros((len(across), 7), np.float32)
    poses[:, 0], poses[:, 3] = across, 1
    boxes = np.tile(np.array([100, 300, 500, 700], np.float32), (len(across), 1))
    half, visible = np.full(3, 0.02, np.float32), np.full(len(across), 0.1, np.float32)
    return Thing(colour, shape, "matte", half, poses, boxes, visible)


def _robot(num_frames: int, across: np.ndarray, *, acts: bool) -> Robot:
    joints = np.zeros((num_frames, 7), np.float32)
    joints[:, 0], joints[:, 3], joints[:, 5] = across, -2.2, 2.3
    targets = np.concatenate([joints, np.zeros((num_frames, 1), np.float32)], 1)
    hands = np.zeros((num_frames, 3), np.float32)
    hands[:, 1] = across
    axes = np.tile(np.eye(3, dtype=np.float32), (num_frames, 1, 1))
    starts = np.arange(num_frames - 32) if acts else np.zeros(0)
    gripper = np.zeros(num_frames, np.float32)
    return Robot(joints, joints * 0, gripper, hands, axes, targets, targets, starts.astype(np.int64))


def _camera(num_frames: int) -> Camera:
    poses = np.tile(np.eye(4, dtype=np.float32), (num_frames, 1, 1))
    return Camera(np.eye(3, dtype=np.float32), poses, "static")


def _sound(duration_s: float, seed: int) -> np.ndarray:
    times = np.arange(round(duration_s * 48_000)) / 48_000
    tone = 0.3 * np.sin(2 * np.pi * (220 + 110 * (seed % 4)) * times)
    return np.stack([tone, tone]).astype(np.float16)


def _wordings(name: str, place: str, view: View) -> tuple[Wording, ...]:
    words = f"A {name} on the {place}."
    key = "comprehensive_t2i_caption" if view == "still" else "temporal_caption"
    caption = json.dumps({"subjects": [{"description": f"a {name}"}], "background_setting": "grey", key: words})
    return (Wording("short", f"a {name}", caption), Wording("plain", words, caption), Wording("rich", words, caption))
